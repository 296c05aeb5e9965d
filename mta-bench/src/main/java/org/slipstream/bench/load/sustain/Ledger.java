package org.slipstream.bench.load.sustain;

import java.util.Arrays;
import java.util.BitSet;

/// The result of each message, by its number. Any thread.
final class Ledger {
    private final BitSet taken = new BitSet();
    private final BitSet arrived = new BitSet();
    private final Waits untilTaken = new Waits();
    private final Waits untilArrived = new Waits();
    private final Stalls stalls = new Stalls();
    private Schedule schedule = Schedule.asFastAsTaken(0, 0);
    private long strangers;
    private long copies;
    private long refusals;
    private String firstRefusal = "";

    /// In microseconds, since the last call.
    private static final class Waits {
        private int[] micros = new int[4_096];
        private int count;

        void add(long nanos) {
            if (count == micros.length) {
                micros = Arrays.copyOf(micros, 2 * count);
            }
            micros[count++] = (int) Math.min(Integer.MAX_VALUE, nanos / 1_000);
        }

        LatencyFigures take() {
            int[] sorted = Arrays.copyOf(micros, count);
            count = 0;
            Arrays.sort(sorted);
            return LatencyFigures.of(sorted);
        }
    }

    /// @param count messages it is about; milliseconds are not a number when there was none
    record LatencyFigures(int count, double medianMillis, double p99Millis, double mostMillis) {
        private static LatencyFigures of(int[] sorted) {
            return new LatencyFigures(sorted.length, at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1));
        }

        private static double at(int[] sorted, double share) {
            return sorted.length == 0
                    ? Double.NaN
                    : sorted[(int) Math.min(sorted.length - 1, share * sorted.length)] / 1e3;
        }
    }

    /// @param copies that arrived beyond the first of each
    /// @param missing taken, and not arrived
    /// @param strangers at the sink without a number that it could read
    record Balance(long taken, long missing, long copies, long strangers, long refusals, String firstRefusal) {
        boolean isEven() {
            return missing == 0 && copies == 0 && strangers == 0 && refusals == 0;
        }
    }

    Stalls stalls() {
        return stalls;
    }

    synchronized void follow(Schedule next) {
        schedule = next;
        untilTaken.take();
        untilArrived.take();
    }

    synchronized void taken(long message) {
        long now = System.nanoTime();
        taken.set(Math.toIntExact(message));
        stalls.taken(now);
        untilTaken.add(now - schedule.dueNanos(message));
    }

    synchronized void refused(String why) {
        refusals++;
        firstRefusal = firstRefusal.isEmpty() ? why : firstRefusal;
    }

    /// @param message negative when the sink could not read the number
    synchronized void arrived(long message) {
        if (message < 0 || message > Integer.MAX_VALUE) {
            strangers++;
        } else if (arrived.get((int) message)) {
            copies++;
        } else {
            long now = System.nanoTime();
            arrived.set((int) message);
            stalls.arrived(now);
            untilArrived.add(now - schedule.dueNanos(message));
        }
    }

    synchronized LatencyFigures untilTaken() {
        return untilTaken.take();
    }

    synchronized LatencyFigures untilArrived() {
        return untilArrived.take();
    }

    synchronized long arrivals() {
        return arrived.cardinality();
    }

    synchronized Balance balance() {
        BitSet missing = (BitSet) taken.clone();
        missing.andNot(arrived);
        return new Balance(taken.cardinality(), missing.cardinality(), copies, strangers, refusals, firstRefusal);
    }
}
