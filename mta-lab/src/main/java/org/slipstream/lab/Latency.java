package org.slipstream.lab;

import java.util.random.RandomGenerator;

/// The duration of a step in milliseconds, fixed or random.
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

    /// A uniform distribution over the whole milliseconds of a range, with both ends.
    record Uniform(long leastMillis, long mostMillis) implements Latency {
        @Override
        public long millis(RandomGenerator chance) {
            return leastMillis + chance.nextLong(mostMillis - leastMillis + 1);
        }
    }

    /// An exponential distribution. Servers whose clients arrive independently of each other have
    /// such times.
    record Exponential(long meanMillis) implements Latency {
        @Override
        public long millis(RandomGenerator chance) {
            return Math.round(-meanMillis * Math.log(1 - chance.nextDouble()));
        }
    }
}
