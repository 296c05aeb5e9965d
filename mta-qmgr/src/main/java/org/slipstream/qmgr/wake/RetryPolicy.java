package org.slipstream.qmgr.wake;

import java.time.Duration;
import java.util.List;

/// The curve of a retry policy: the pause before the next attempt, as data. It is a pure function,
/// so the same message has the same times in a replay.
///
/// A pause depends on the age of the message, on the number of its attempts, and on a seed where a
/// choice is random. [RetryClause] adds the longest pause and the jitter.
public sealed interface RetryPolicy {
    /// The shortest pause of a policy that multiplies or lists: a factor of 0 must not make a loop.
    long SHORTEST_MILLIS = 1_000;

    /// @param ageMillis 0 when the first attempt has just failed: time before it is not the
    ///     destination's fault
    /// @param attempts attempts so far, at least 1
    /// @param seed of the message
    long pauseMillis(long ageMillis, int attempts, long seed);

    /// The longest pause of the curve; `Long.MAX_VALUE` when it grows without end.
    long longestMillis();

    /// Postfix: the next attempt comes after as long as the message has existed, within bounds
    /// (PF-29).
    ///
    /// @param shortest `minimal_backoff_time`
    /// @param longest `maximal_backoff_time`, at least the shortest
    record AgeDoubling(Duration shortest, Duration longest) implements RetryPolicy {
        @Override
        public long pauseMillis(long ageMillis, int attempts, long seed) {
            return Math.clamp(ageMillis, shortest.toMillis(), longestMillis());
        }

        @Override
        public long longestMillis() {
            return Math.max(shortest.toMillis(), longest.toMillis());
        }
    }

    /// ZMailer: an interval times each factor of a list; at the end of the list a jump to a random
    /// place, and on from there (ZM-30).
    ///
    /// ZMailer's source advances the place twice for each attempt, so every second factor is skipped.
    /// Its manual describes single steps, and this class follows the manual (ZM-31).
    record Factors(Duration interval, List<Integer> factors) implements RetryPolicy {
        public Factors {
            factors = List.copyOf(factors);
            if (factors.isEmpty()) {
                throw new IllegalArgumentException("no factors");
            }
        }

        @Override
        public long pauseMillis(long ageMillis, int attempts, long seed) {
            return millis(factors.get(place(Math.max(1, attempts), seed)));
        }

        private long millis(int factor) {
            return Math.max(SHORTEST_MILLIS, interval.toMillis() * factor);
        }

        /// The walk: the whole list once, then from a random place to the end, again and again.
        private int place(int attempts, long seed) {
            int size = factors.size();
            int ahead = attempts - 1;
            int start = 0;
            for (int jumps = 1; size > 1 && ahead >= size - start; jumps++) {
                ahead -= size - start;
                start = Seeds.below(size, seed, -jumps);
            }
            return size == 1 ? 0 : start + ahead;
        }

        @Override
        public long longestMillis() {
            return millis(factors.stream().mapToInt(Integer::intValue).max().orElseThrow());
        }
    }

    /// qmail: the attempts come at the squares of whole numbers, so the pauses grow with the root
    /// of the age. With an interval of 400 s (qmail's `chanskip` of 20, squared) the attempts are
    /// at 400, 1600, 3600, 6400 … s; qmail uses 100 s for local mail.
    ///
    /// qmail's rule is: next = (⌊√age⌋ + skip)², in seconds since the arrival.
    ///
    /// @param interval the first pause
    record Quadratic(Duration interval) implements RetryPolicy {
        @Override
        public long pauseMillis(long ageMillis, int attempts, long seed) {
            long age = Math.max(0, ageMillis);
            double root = Math.floor(Math.sqrt(age / 1_000.0)) + Math.sqrt(interval.toMillis() / 1_000.0);
            return Math.max(SHORTEST_MILLIS, Math.round(root * root * 1_000) - age);
        }

        @Override
        public long longestMillis() {
            return Long.MAX_VALUE;
        }
    }

    /// A list of pauses; the last is repeated.
    record PauseList(List<Duration> pauses) implements RetryPolicy {
        public PauseList {
            pauses = List.copyOf(pauses);
            if (pauses.isEmpty()) {
                throw new IllegalArgumentException("no pauses");
            }
        }

        @Override
        public long pauseMillis(long ageMillis, int attempts, long seed) {
            return millis(pauses.get(Math.clamp(attempts - 1L, 0, pauses.size() - 1)));
        }

        private static long millis(Duration pause) {
            return Math.max(SHORTEST_MILLIS, pause.toMillis());
        }

        @Override
        public long longestMillis() {
            return pauses.stream().mapToLong(PauseList::millis).max().orElseThrow();
        }
    }
}
