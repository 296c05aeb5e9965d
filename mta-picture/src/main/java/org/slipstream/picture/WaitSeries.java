package org.slipstream.picture;

import org.slipstream.picture.RunRecord.Attempt;
import org.slipstream.picture.RunRecord.QueueSample;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The waits of messages behind each other: for each time in which recipients of a message wait, the
/// messages whose deliveries occupy the connections.
///
/// Only the transports of the message count. If none of them has a delivery under way, the message
/// does not wait for a connection but for its destination, for DNS or for the disk.
public final class WaitSeries {
    /// A time in which a message waits behind the same deliveries.
    ///
    /// @param behind deliveries under way by the name of their message
    public record SeriesWait(String name, long fromMillis, long toMillis, SequencedMap<String, Integer> behind) {
        public SeriesWait {
            behind = Collections.unmodifiableSequencedMap(behind);
        }

        public int deliveries() {
            return behind.values().stream().mapToInt(Integer::intValue).sum();
        }

        /// For example `news×3 single`.
        public String text() {
            return behind.isEmpty()
                    ? "no delivery under way"
                    : behind.entrySet().stream()
                            .map(each -> new SequenceNotation.Repeated(each.getKey(), each.getValue()).toString())
                            .collect(Collectors.joining(" "));
        }
    }

    private record Step(long atMillis, String name, int change) {}

    private WaitSeries() {}

    /// The waits of all messages, by message and time.
    public static List<SeriesWait> of(RunRecord record) {
        List<SeriesWait> waits = new ArrayList<>();
        record.queue().forEach((name, samples) -> waits.addAll(of(name, samples, steps(record, name))));
        return waits;
    }

    /// Starts and ends of the deliveries of the transports of this message, in order.
    private static List<Step> steps(RunRecord record, String name) {
        Set<String> transports = record.attempts().stream().filter(each -> each.name().equals(name))
                .map(Attempt::transport).collect(Collectors.toCollection(TreeSet::new));
        List<Step> steps = new ArrayList<>();
        for (Attempt each : record.attempts()) {
            if (transports.contains(each.transport()) && each.endMillis() > each.selectedMillis()) {
                steps.add(new Step(each.selectedMillis(), each.name(), 1));
                steps.add(new Step(each.endMillis(), each.name(), -1));
            }
        }
        steps.sort((one, other) -> Long.compare(one.atMillis(), other.atMillis()));
        return steps;
    }

    private static List<SeriesWait> of(String name, List<QueueSample> samples, List<Step> steps) {
        List<SeriesWait> waits = new ArrayList<>();
        TreeMap<String, Integer> underWay = new TreeMap<>();
        int step = 0;
        for (int i = 0; i + 1 < samples.size(); i++) {
            long at = samples.get(i).atMillis();
            long end = samples.get(i + 1).atMillis();
            while (at < end) {
                while (step < steps.size() && steps.get(step).atMillis() <= at) {
                    Step each = steps.get(step++);
                    underWay.merge(each.name(), each.change(), Integer::sum);
                    underWay.remove(each.name(), 0);
                }
                long next = step < steps.size() ? Math.min(end, steps.get(step).atMillis()) : end;
                if (samples.get(i).waiting() > 0) {
                    add(waits, new SeriesWait(name, at, next, new TreeMap<>(underWay)));
                }
                at = next;
            }
        }
        return waits;
    }

    private static void add(List<SeriesWait> waits, SeriesWait wait) {
        SeriesWait before = waits.isEmpty() ? wait : waits.getLast();
        if (before.toMillis() == wait.fromMillis() && before.behind().equals(wait.behind())) {
            waits.removeLast();
            waits.add(new SeriesWait(wait.name(), before.fromMillis(), wait.toMillis(), wait.behind()));
        } else {
            waits.add(wait);
        }
    }

    /// The time for which a message waited behind each message, by name. If several connections were
    /// occupied, each delivery has its share of the time.
    public static SequencedMap<String, Double> millisBehind(List<SeriesWait> waits, String name) {
        SequencedMap<String, Double> sums = new TreeMap<>();
        for (SeriesWait wait : waits) {
            if (wait.name().equals(name)) {
                double each = (double) (wait.toMillis() - wait.fromMillis()) / Math.max(1, wait.deliveries());
                wait.behind().forEach((other, count) -> sums.merge(other, each * count, Double::sum));
                if (wait.behind().isEmpty()) {
                    sums.merge("", each, Double::sum);
                }
            }
        }
        return sums;
    }
}
