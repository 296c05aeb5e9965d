package org.slipstream.lab.journal;

import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.lab.journal.JournalFilm.JournalDecisionLine;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.journal.JournalRecord;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The records of a journal that concern one message, in words: the latest [#MOST] of them.
///
/// The events of connections name a delivery only, so the numbers of the deliveries of the message
/// are remembered, and its destinations, whose windows concern it too.
final class MessageDecisions {
    static final int MOST = 200;
    private static final int MOST_REMEMBERED = 10_000;
    private static final int LONGEST_REPLY = 200;

    private final QueueId id;
    private final Deque<JournalDecisionLine> lines = new ArrayDeque<>();
    private final Set<Long> deliveries = new LinkedHashSet<>();
    private final Set<String> destinations = new LinkedHashSet<>();
    private long leftOut;

    MessageDecisions(QueueId id) {
        this.id = id;
    }

    List<JournalDecisionLine> lines() {
        return List.copyOf(lines);
    }

    long leftOut() {
        return leftOut;
    }

    void take(JournalRecord record) {
        switch (record) {
            case JournalRecord.QueueEvent event -> event(event.event()).ifPresent(text -> add(event.at(), text));
            case JournalRecord.Pick pick when pick.queue().equals(id) -> {
                remember(destinations, pick.destination());
                add(pick.at(), "is chosen for " + pick.destination() + ": " + recipients(pick.recipients()));
            }
            case JournalRecord.Preempting passing when passing.queue().equals(id) -> add(passing.at(),
                    "passes " + passing.passes() + " on " + passing.transport() + ", level " + passing.level()
                            + "; the balance of " + passing.passes() + " is " + passing.slots());
            case JournalRecord.Preempting passing when passing.passes().equals(id) -> add(passing.at(),
                    "is passed by " + passing.queue() + " on " + passing.transport() + "; its balance is "
                            + passing.slots());
            case JournalRecord.PlacementStep step when step.queue().equals(id) -> {
                remember(deliveries, step.delivery());
                add(step.at(), "is placed: " + step.step() + step.host().map(host -> " " + host).orElse("")
                        + (step.connection().isPresent() ? ", connection " + step.connection().getAsLong() : "")
                        + (step.reason().isEmpty() ? "" : " (" + step.reason() + ")"));
            }
            case JournalRecord.DeferredUntried untried when untried.queue().equals(id) -> {
                remember(destinations, untried.destination());
                add(untried.at(), "is deferred without an attempt, because " + untried.destination() + " is dead: "
                        + recipients(untried.recipients()));
            }
            case JournalRecord.WindowChange change when destinations.contains(change.destination())
                    && isNews(change) ->
                add(change.at(), "waits for " + change.destination() + ", whose window is "
                        + change.figures().window() + " after " + change.event().name().toLowerCase(Locale.ROOT)
                        + ", with " + change.running() + " under way");
            case JournalRecord.OrderGiven order when order.queue().equals(Optional.of(id)) ->
                add(order.at(), order(order));
            default -> {
                // About another message, or about none.
            }
        }
    }

    private static boolean isNews(JournalRecord.WindowChange change) {
        return switch (change.event()) {
            case FAIL, FAIL_DEAD, OK_REVIVE, TIMER_REVIVE, SUSPEND, RESUME -> true;
            case NEW, OK, TIMER_REVIVE_FORGET, RESUME_FORGET, FORGET -> false;
        };
    }

    private Optional<String> event(QmgrEvent event) {
        return switch (event) {
            case QmgrEvent.MessageQueued queued when isMine(queued.message()) -> Optional.of("arrives");
            case QmgrEvent.MovedIn moved when isMine(moved.message()) -> Optional.of("comes from another shard");
            case QmgrEvent.ScanDone scan when scan.found().stream().anyMatch(this::isMine) ->
                Optional.of("is found by a scan, because it is due");
            case QmgrEvent.RecipientsRead read when read.id().equals(id) ->
                Optional.of("has " + recipients(read.recipients().size()) + " in memory, read from the disk");
            case QmgrEvent.MessageDamaged damaged when damaged.id().equals(id) ->
                Optional.of("is set aside as damaged");
            case QmgrEvent.DeliveryDone done when deliveries.remove(done.result().delivery()) ->
                Optional.of(result(done.result()));
            case QmgrEvent.Operator order when order.command() instanceof QmgrEvent.OperatorCommand.OfMessage mine
                    && mine.id().equals(id) ->
                Optional.of("has an order of an operator: "
                        + mine.order().getClass().getSimpleName().toLowerCase(Locale.ROOT));
            default -> Optional.empty();
        };
    }

    private boolean isMine(MessageSummary message) {
        return message.id().equals(id);
    }

    private static String result(DeliveryResult result) {
        return switch (result) {
            case DeliveryResult.Answered answered -> "has a reply: " + replies(answered.outcomes());
            case DeliveryResult.Unanswered none -> "has no reply of " + none.remote() + ": " + text(none.reason());
            case DeliveryResult.OwnFailure ours -> "fails for a local reason: " + text(ours.reason());
        };
    }

    private static String replies(List<RecipientOutcome> outcomes) {
        RecipientOutcome first = outcomes.getFirst();
        return text(first.outcome().reply()) + " of " + first.outcome().remote()
                + (outcomes.size() > 1 ? ", the first of " + outcomes.size() : "");
    }

    private static String text(Reply reply) {
        String text = reply.toString();
        return text.length() > LONGEST_REPLY ? text.substring(0, LONGEST_REPLY) + "…" : text;
    }

    private static String order(JournalRecord.OrderGiven order) {
        String text = order.text().length() > LONGEST_REPLY
                ? order.text().substring(0, LONGEST_REPLY) + "…"
                : order.text();
        return "order " + order.order() + (text.isEmpty() ? "" : ": " + text);
    }

    private static String recipients(int count) {
        return count == 1 ? "1 recipient" : count + " recipients";
    }

    private static <T> void remember(Set<T> known, T value) {
        if (known.size() < MOST_REMEMBERED) {
            known.add(value);
        }
    }

    private void add(long atMillis, String text) {
        lines.add(new JournalDecisionLine(atMillis, text));
        if (lines.size() > MOST) {
            lines.removeFirst();
            leftOut++;
        }
    }
}
