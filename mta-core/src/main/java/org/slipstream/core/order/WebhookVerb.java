package org.slipstream.core.order;

/// An order for one webhook.
public sealed interface WebhookVerb {
    @Verb(value = "test", right = Right.OPERATE,
            does = "Posts an event that says that it is a test, and shows the answer.",
            more = "It is signed as each event. The place of the webhook does not change, and a webhook that is paused is"
                    + " tested, too.",
            did = "took the test", examples = "webhook test shop")
    record Test() implements WebhookVerb {}

    @Verb(value = "pause", right = Right.OPERATE, does = "Posts no more events to a webhook.",
            more = "Its events wait, up to `events.size`. A restart keeps it paused. `resume` ends that.",
            did = "is paused",
            examples = "webhook pause shop")
    record Pause(@Argument(value = Argument.AUTHOR, label = "NAME") String author) implements WebhookVerb {}

    @Verb(value = "resume", right = Right.OPERATE,
            does = "A webhook that was paused gets events again, from where it stopped.",
            more = "It also tries at once what would be tried again later.", did = "gets events",
            examples = "webhook resume shop")
    record Resume() implements WebhookVerb {}

    @Verb(value = "replay", right = Right.OPERATE,
            does = "Posts the events from another place on, an earlier or a later one.",
            more = "Events that the receiver has come again with the same ids. A later place passes over those before it.",
            did = "goes on there",
            examples = {"webhook replay shop --since 2h", "webhook replay shop --after 1.12.4711.1"})
    record Replay(
            @Argument(value = "the time of the first event: 90s, 15m, 2h, 7d ago, or 2027-01-31T08:00:00Z",
                    label = "TIME") String since,
            @Argument(value = "the cursor of the event before the first", label = "CURSOR", max = 4_000) String after)
            implements
                WebhookVerb {
        public Replay {
            if (since.isEmpty() == after.isEmpty()) {
                throw new IllegalArgumentException("give one of since and after");
            }
        }
    }
}
