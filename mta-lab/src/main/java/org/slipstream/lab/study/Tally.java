package org.slipstream.lab.study;

import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.QmgrTrace;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/// Counts as the document counts: recipients by outcome, and the window once for each delivery and
/// each refusal.
final class Tally implements QmgrTrace {
    private final LongSupplier now;
    private final List<Sample> samples = new ArrayList<>();
    private final Map<String, Integer> deferredBy = new TreeMap<>();
    private int delivered;
    private int untried;

    /// @param now simulated
    Tally(LongSupplier now) {
        this.now = now;
    }

    /// The window after one feedback.
    record Sample(long millis, int window) {}

    @Override
    public void feedback(DestinationQueue line, FeedbackEvent event, int running, Destination.FlowFigures figures) {
        if (event == FeedbackEvent.OK || event == FeedbackEvent.FAIL || event == FeedbackEvent.FAIL_DEAD) {
            samples.add(new Sample(now.getAsLong(), figures.window()));
        }
    }

    @Override
    public void deferredWithoutAttempt(QueueId id, DestinationQueue line, List<Recipient> recipients) {
        untried += recipients.size();
    }

    void recorded(List<RecipientOutcome> outcomes) {
        for (RecipientOutcome each : outcomes) {
            if (each.outcome() instanceof Outcome.Delivered) {
                delivered++;
            } else {
                deferredBy.merge(each.outcome().reply().text(), 1, Integer::sum);
            }
        }
    }

    private int deferred(Reply reason) {
        return deferredBy.getOrDefault(reason.text(), 0);
    }

    List<Sample> samples() {
        return List.copyOf(samples);
    }

    Measured figures() {
        int deferred = deferredBy.values().stream().mapToInt(Integer::intValue).sum();
        double average = samples.stream().mapToInt(Sample::window).average().orElseThrow();
        double variance = samples.stream().mapToDouble(s -> (s.window() - average) * (s.window() - average)).average()
                .orElseThrow();
        return new Measured(100.0 * deferred / (delivered + deferred), average, Math.sqrt(variance),
                deferred(Doorway.CONNECT_TIMEOUT), deferred(Doorway.GREETING_TIMEOUT),
                deferred(Doorway.TURNED_AWAY), untried, samples.stream().mapToInt(Sample::window).max().orElseThrow(),
                now.getAsLong() / 1_000.0);
    }
}
