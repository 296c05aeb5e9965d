package org.slipstream.smtpin.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/// How often each of many may do something: token buckets in bounded memory.
///
/// Each key has a bucket of so many tokens, which refills evenly; doing something takes a token, and an empty bucket means wait. So a
/// burst up to the bucket's size passes at once and the average stays at the rate. A bucket that nobody has touched for a full refill
/// is as good as new, so forgetting it loses nothing; the map keeps keys in the order of their last use, and when there are too
/// many the longest unused goes. Only somebody with more keys than the map has places gets a fresh bucket early, and from so
/// many sides no rate per key would stop him.
///
/// Turner's leaky bucket of 1986, seen as a meter. Called by all sessions.
public final class Buckets {
    private record Bucket(double tokens, long atNanos) {}

    private final double size;
    private final double tokensPerNano;
    private final LongSupplier nanos;
    private final Map<String, Bucket> buckets;

    /// @param size the largest burst
    /// @param perMillis in which time an empty bucket is full again
    /// @param keys how many are remembered
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

    /// How many keys are remembered.
    public synchronized int keys() {
        return buckets.size();
    }
}
