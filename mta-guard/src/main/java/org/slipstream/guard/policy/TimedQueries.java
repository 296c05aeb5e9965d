package org.slipstream.guard.policy;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// DNS queries with a time limit: an answer in time, or none.
///
/// A name whose servers did not answer once is not queried again for a minute, so that a dead list
/// delays one client and not every client. At most [#AT_ONCE] queries are open at any time. May be
/// called by any thread.
final class TimedQueries {
    private static final Logger log = LoggerFactory.getLogger(TimedQueries.class);
    static final int AT_ONCE = 200;
    private static final int SILENT_REMEMBERED = 1_000;
    private static final long REST_NANOS = 60_000_000_000L;

    private final long limitMillis;
    private final LongSupplier nanos;
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final Map<String, Long> silentUntil = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > SILENT_REMEMBERED;
        }
    };

    TimedQueries(long limitMillis, LongSupplier nanos) {
        this.limitMillis = limitMillis;
        this.nanos = nanos;
    }

    /// @param name what is not queried for a minute after a timeout: a list, a domain
    /// @return completed within the time limit; empty when there is no answer
    <T> CompletableFuture<Optional<T>> ask(String name, Supplier<T> question) {
        if (isPaused(name) || !places.tryAcquire()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        CompletableFuture<T> asked = CompletableFuture.supplyAsync(question, Thread::startVirtualThread);
        asked.whenComplete((_, _) -> places.release());
        return asked.thenApply(Optional::of).completeOnTimeout(Optional.empty(), limitMillis, TimeUnit.MILLISECONDS)
                .exceptionally(trouble -> {
                    log.warn("event=dns-query-failed domain={}", LogText.word(name), trouble);
                    return Optional.empty();
                }).thenApply(answer -> {
                    if (answer.isEmpty()) {
                        pause(name);
                    }
                    return answer;
                });
    }

    /// For servers that answer at once with a failure.
    void pause(String name) {
        synchronized (silentUntil) {
            silentUntil.put(name, nanos.getAsLong() + REST_NANOS);
        }
        log.info("event=dns-no-answer domain={} next=\"not queried again for a minute\"", LogText.word(name));
    }

    private boolean isPaused(String name) {
        synchronized (silentUntil) {
            Long until = silentUntil.get(name);
            if (until != null && nanos.getAsLong() - until >= 0) {
                silentUntil.remove(name);
                return false;
            }
            return until != null;
        }
    }
}
