package org.slipstream.bench.load.sustain;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/// The stalls of a run, each with the activities of the server, the bench and the machine that
/// coincided with it.
///
/// A stall is a gap of at least 200 ms between two replies of 250, or between two arrivals at the
/// sink, while messages are due. Waiting after a stall is its consequence and not a stall.
/// Coincidence is no proof: a collector that stops for 10 ms does not explain 400 ms, so each
/// activity is shown with the time that it overlaps the stall.
final class Stalls {
    private static final long LEAST_NANOS = 200_000_000;
    private static final long SAMPLE_NANOS = 20_000_000;
    private static final int SHOWN = 7;

    private final Queue<Evidence> evidence = new ConcurrentLinkedQueue<>();
    private final Gaps taken = new Gaps("250");
    private final Gaps arrived = new Gaps("arrival");
    private volatile long startNanos = Long.MAX_VALUE;

    private record Stall(String missing, long fromNanos, long toNanos) {}

    /// Gaps between moments of one kind. Any thread.
    private static final class Gaps {
        private final String missing;
        private final List<Stall> found = new ArrayList<>();
        private long lastNanos;

        Gaps(String missing) {
            this.missing = missing;
        }

        synchronized void begin(long nanos) {
            lastNanos = nanos;
        }

        synchronized void at(long nanos) {
            if (nanos - lastNanos >= LEAST_NANOS) {
                found.add(new Stall(missing, lastNanos, nanos));
            }
            lastNanos = Math.max(lastNanos, nanos);
        }

        synchronized List<Stall> found() {
            return List.copyOf(found);
        }
    }

    Stalls() {
        Evidence.ofOwnCollector(evidence);
    }

    Queue<Evidence> evidence() {
        return evidence;
    }

    /// The steady part of the run begins. Earlier samples do not count.
    void begin(long nanos) {
        taken.begin(nanos);
        arrived.begin(nanos);
        startNanos = nanos;
    }

    void taken(long nanos) {
        if (nanos >= startNanos) {
            taken.at(nanos);
        }
    }

    void arrived(long nanos) {
        if (nanos >= startNanos) {
            arrived.at(nanos);
        }
    }

    /// All evidence has been collected.
    void report(PrintStream out) {
        List<Stall> all = new ArrayList<>(taken.found());
        all.addAll(arrived.found());
        all.sort(Comparator.comparingLong(Stall::fromNanos));
        out.printf(Locale.ROOT, "%n%d stalls of 200 ms and more%n%n", all.size());
        out.println(
                "| at s | no | ms | at the same time, ms of overlap (number) | running then |\n|---|---|---|---|---|");
        all.forEach(stall -> out.printf(Locale.ROOT, "| %.2f | %s | %.0f | %s | %s |%n",
                (stall.fromNanos - startNanos) / 1e9, stall.missing, (stall.toNanos - stall.fromNanos) / 1e6,
                overlaps(stall), running(stall)));
        longest(out);
    }

    private String overlaps(Stall stall) {
        Map<String, List<Long>> byKind = new HashMap<>();
        for (Evidence each : evidence) {
            long overlap = each.overlapNanos(stall.fromNanos, stall.toNanos);
            if (overlap > 0) {
                byKind.computeIfAbsent(each.what(), _ -> new ArrayList<>()).add(overlap);
            }
        }
        return top(byKind, "%s %.0f (%d)");
    }

    /// Each sample stands for the 20 ms between two of them.
    private String running(Stall stall) {
        Map<String, List<Long>> byKind = new HashMap<>();
        for (Evidence each : evidence) {
            if (each.what().startsWith("sample: ") && each.fromNanos() >= stall.fromNanos
                    && each.fromNanos() <= stall.toNanos) {
                byKind.computeIfAbsent(each.what().substring("sample: ".length()), _ -> new ArrayList<>())
                        .add(SAMPLE_NANOS);
            }
        }
        return top(byKind, "%s ~%.0f (%d)");
    }

    private static String top(Map<String, List<Long>> byKind, String format) {
        return byKind.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, List<Long>> kind) -> sum(kind.getValue()))
                        .reversed())
                .limit(SHOWN)
                .map(kind -> String.format(Locale.ROOT, format, kind.getKey(), sum(kind.getValue()) / 1e6,
                        kind.getValue().size()))
                .reduce((one, next) -> one + "; " + next).orElse("nothing that is recorded");
    }

    private static long sum(List<Long> nanos) {
        return nanos.stream().mapToLong(Long::longValue).sum();
    }

    /// In the whole run, whether it coincided with a stall or not.
    private void longest(PrintStream out) {
        Map<String, List<Long>> byKind = new HashMap<>();
        evidence.stream().filter(each -> !each.what().startsWith("sample: ") && each.fromNanos() >= startNanos)
                .forEach(each -> byKind.computeIfAbsent(each.what(), _ -> new ArrayList<>())
                        .add(each.toNanos() - each.fromNanos()));
        out.println("\n| in the whole run | number | ms in all | longest ms |\n|---|---|---|---|");
        byKind.entrySet().stream()
                .sorted(Comparator.comparingLong((Map.Entry<String, List<Long>> kind) -> sum(kind.getValue()))
                        .reversed())
                .forEach(kind -> out.printf(Locale.ROOT, "| %s | %d | %.0f | %.0f |%n", kind.getKey(),
                        kind.getValue().size(), sum(kind.getValue()) / 1e6,
                        kind.getValue().stream().mapToLong(Long::longValue).max().orElse(0) / 1e6));
    }
}
