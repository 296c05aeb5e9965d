package org.slipstream.qmgr.settle;

import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.text.Utf8;
import org.slipstream.qmgr.message.Activation;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The budget for the texts of outcomes of active messages. Remote hosts choose these texts, so
/// their sum has a bound in octets.
///
/// A deferral stays in memory until its message leaves the active set, and the limits of recipients
/// count only those that wait for a delivery. Beyond the budget, an outcome keeps its code, its
/// enhanced status and the beginning of its text, which is less than its recipient takes anyway. A
/// usual reply of one line is no longer than that, so honest mail beside a hostile host loses
/// nothing.
///
/// Equal replies in a row count once: a connection gives them as one object.
public final class OutcomeTexts {
    /// Some 14,000 of the longest replies that are kept. Each shard has its own budget.
    public static final long MOST_OCTETS = 16 << 20;
    public static final int BRIEF_OCTETS = 80;
    /// Of a line beside its characters: two objects and a reference.
    private static final int LINE_OCTETS = 48;

    private long octets;
    private final Map<QueueId, Counted> byMessage = new LinkedHashMap<>();

    private record Counted(long octets, Reply last) {}

    /// Counts the deferrals among these outcomes; others are not kept.
    ///
    /// @return them, with brief texts beyond the budget
    List<RecipientOutcome> counted(Activation message, List<RecipientOutcome> outcomes) {
        return outcomes.stream().map(each -> !(each.outcome() instanceof Outcome.Deferred)
                || count(message, each.outcome().reply()) ? each : withBriefText(each)).toList();
    }

    private boolean count(Activation message, Reply reply) {
        Counted before = byMessage.get(message.id);
        if (before != null && before.last().equals(reply)) {
            return true;
        }
        long size = reply.lines().stream().mapToLong(line -> Utf8.length(line) + LINE_OCTETS).sum();
        if (size <= BRIEF_OCTETS + LINE_OCTETS) {
            return true;
        }
        if (octets + size > MOST_OCTETS) {
            return false;
        }
        octets += size;
        byMessage.put(message.id, new Counted(size + (before == null ? 0 : before.octets()), reply));
        return true;
    }

    private static RecipientOutcome withBriefText(RecipientOutcome each) {
        Reply reply = each.outcome().reply();
        String text = Utf8.beginning(reply.lines().getFirst(), BRIEF_OCTETS);
        return new RecipientOutcome(each.number(),
                Outcome.of(new Reply(reply.code(), reply.status(), List.of(text)), each.outcome().remote()),
                each.reached());
    }

    /// The message leaves the active set.
    void forget(Activation message) {
        Counted counted = byMessage.remove(message.id);
        octets -= counted == null ? 0 : counted.octets();
    }
}
