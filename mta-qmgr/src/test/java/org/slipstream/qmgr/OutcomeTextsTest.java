package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settle.OutcomeTexts;

import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// A host that answers each recipient with a long text of its own.
class OutcomeTextsTest {
    private static final int CROWD = 20_000;

    private final Story story = new Story(s -> s.recipients(100, CROWD));

    private static String address(int number) {
        return "r" + number + "@far.example";
    }

    private void everyRecipientIsToldALongStory() {
        for (int i = 0; i < CROWD; i++) {
            story.replies.put(address(i), Reply.of(450, "4.2.1", "story " + i + " " + "x".repeat(1_000)));
        }
    }

    private QueueId queue(String... others) {
        return story.queue(IntStream.range(0, CROWD + others.length)
                .mapToObj(i -> i < CROWD ? address(i) : others[i - CROWD]).toArray(String[]::new));
    }

    private List<Outcome> recorded(QueueId id) {
        return story.ordered(QmgrOrder.RecordOutcome.class).stream().filter(order -> order.id().equals(id))
                .flatMap(order -> order.outcomes().stream()).map(each -> each.outcome()).toList();
    }

    private static long octets(List<Outcome> outcomes) {
        return outcomes.stream().map(each -> each.reply().text()).filter(text -> text.length() > 1_000)
                .mapToLong(String::length).sum();
    }

    @Test
    void beyondTheBudgetTheBeginningsOfTextsAreKept() {
        everyRecipientIsToldALongStory();
        story.replies.put("honest@near.example", Reply.of(450, "4.2.2", "mailbox full"));
        QueueId id = queue("honest@near.example");
        List<Outcome> outcomes = recorded(id);
        assertThat(outcomes).hasSize(CROWD + 1).allSatisfy(each -> {
            assertThat(each).isInstanceOf(Outcome.Deferred.class);
            assertThat(each.reply().status()).isPresent();
        });
        assertThat(octets(outcomes)).isBetween(OutcomeTexts.MOST_OCTETS * 9 / 10, OutcomeTexts.MOST_OCTETS);
        assertThat(outcomes).filteredOn(each -> each.reply().text().length() <= OutcomeTexts.BRIEF_OCTETS)
                .hasSizeGreaterThan(1_000).anyMatch(each -> each.reply().text().equals("mailbox full"))
                .allMatch(each -> each.reply().text().matches("mailbox full|story [0-9]+ x+"));
    }

    @Test
    void aMessageThatHasLeftTheActiveSetGivesItsShareBack() {
        everyRecipientIsToldALongStory();
        queue();
        QueueId next = queue();
        assertThat(story.active()).isEmpty();
        assertThat(octets(recorded(next))).isGreaterThan(OutcomeTexts.MOST_OCTETS * 9 / 10);
    }

    @Test
    void oneReplyForAllRecipientsCountsOnce() {
        story.replies.put("far.example", Reply.of(450, "4.2.1", "x".repeat(1_000)));
        assertThat(recorded(queue())).hasSize(CROWD).allMatch(each -> each.reply().text().length() == 1_000);
    }
}
