package org.slipstream.lab.study;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/// The statistics of one run, taken as in the published document.
///
/// It counts recipients by outcome, and it samples the window once for each delivery and each
/// refusal.
final class RunStatistics implements QmgrTrace {
    private final LongSupplier now;
    private final List<FeedbackSample> samples = new ArrayList<>();
    private final Map<String, Integer> deferredBy = new TreeMap<>();
    private int delivered;
    private int untried;

    /// @param now simulated time in milliseconds
    RunStatistics(LongSupplier now) {
        this.now = now;
    }

    /// The window after one feedback.
    record FeedbackSample(long millis, int window) {}

    @Override
    public void feedback(DestinationQueue queue, FeedbackEvent event, int running, Destination.FlowFigures figures) {
        if (event == FeedbackEvent.OK || event == FeedbackEvent.FAIL || event == FeedbackEvent.FAIL_DEAD) {
            samples.add(new FeedbackSample(now.getAsLong(), figures.window()));
        }
    }

    @Override
    public void deferredWithoutAttempt(QueueId id, DestinationQueue queue, List<Recipient> recipients) {
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

    List<FeedbackSample> samples() {
        return List.copyOf(samples);
    }

    Measurement measurement() {
        int deferred = deferredBy.values().stream().mapToInt(Integer::intValue).sum();
        double average = samples.stream().mapToInt(FeedbackSample::window).average().orElseThrow();
        double variance = samples.stream().mapToDouble(s -> (s.window() - average) * (s.window() - average)).average()
                .orElseThrow();
        return new Measurement(100.0 * deferred / (delivered + deferred), average, Math.sqrt(variance),
                deferred(SimulatedListener.CONNECT_TIMEOUT), deferred(SimulatedListener.GREETING_TIMEOUT),
                deferred(SimulatedListener.TOO_MANY_CONNECTIONS), untried,
                samples.stream().mapToInt(FeedbackSample::window).max().orElseThrow(), now.getAsLong() / 1_000.0);
    }
}
