package org.slipstream.smtpin.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// Rate limits by token buckets, in bounded memory.
///
/// Each key has a bucket of N tokens that refills evenly. An action takes a token; an empty bucket
/// means wait. So a burst up to the bucket's size passes at once and the average stays at the rate.
/// A bucket untouched for a full refill is full, so evicting it loses nothing. The map keeps keys
/// in the order of their last use and evicts the least recently used. Only a client with more keys
/// than the map holds gets a full bucket early, and no rate per key would stop such a client.
///
/// This is Turner's leaky bucket of 1986, used as a meter. Thread-safe.
public final class Buckets {
    private record Bucket(double tokens, long atNanos) {}

    private final double size;
    private final double tokensPerNano;
    private final LongSupplier nanos;
    private final Map<String, Bucket> buckets;

    /// @param size the largest burst
    /// @param perMillis the time in which an empty bucket refills
    /// @param keys the number of keys that are kept
    public Buckets(int size, long perMillis, int keys, LongSupplier nanos) {
        this.size = size;
        this.tokensPerNano = size / (perMillis * 1e6);
        this.nanos = nanos;
        this.buckets = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
                return size() > keys;
            }
        };
    }

    /// Takes a token. @return false when there is none
    public synchronized boolean take(String key) {
        long now = nanos.getAsLong();
        Bucket bucket = buckets.getOrDefault(key, new Bucket(size, now));
        double tokens = Math.min(size, bucket.tokens() + (now - bucket.atNanos()) * tokensPerNano);
        boolean enough = tokens >= 1;
        buckets.put(key, new Bucket(enough ? tokens - 1 : tokens, now));
        return enough;
    }

    /// The number of keys that are kept.
    public synchronized int keys() {
        return buckets.size();
    }
}
