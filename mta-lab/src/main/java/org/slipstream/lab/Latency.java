package org.slipstream.lab;

import java.util.random.RandomGenerator;

/// How long something takes, in milliseconds: always the same, or by chance.
public sealed interface Latency {
    long millis(RandomGenerator chance);

    static Latency of(long millis) {
        return new Fixed(millis);
    }

    record Fixed(long millis) implements Latency {
        @Override
        public long millis(RandomGenerator chance) {
            return millis;
        }
    }

    /// Anything between the two, both included, equally often.
    record Uniform(long leastMillis, long mostMillis) implements Latency {
        @Override
        public long millis(RandomGenerator chance) {
            return leastMillis + chance.nextLong(mostMillis - leastMillis + 1);
        }
    }

    /// Exponential distribution: the times of a server whose clients arrive independently of each
    /// other.
    record Exponential(long meanMillis) implements Latency {
        @Override
        public long millis(RandomGenerator chance) {
            return Math.round(-meanMillis * Math.log(1 - chance.nextDouble()));
        }
    }
}
