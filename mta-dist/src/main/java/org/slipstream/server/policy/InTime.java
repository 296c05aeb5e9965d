package org.slipstream.server.policy;

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

/// Questions to others whose silence must not become ours: an answer in time, or none.
///
/// Who has been silent once is not asked again for a minute, so that one dead list costs one client's patience and not that of every
/// client; and no more than [#AT_ONCE] questions are open, whatever happens. Any thread.
final class InTime {
    private static final Logger log = LoggerFactory.getLogger(InTime.class);
    static final int AT_ONCE = 200;
    private static final int SILENT_REMEMBERED = 1_000;
    private static final long REST_NANOS = 60_000_000_000L;

    private final long patienceMillis;
    private final LongSupplier nanos;
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final Map<String, Long> silentUntil = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > SILENT_REMEMBERED;
        }
    };

    InTime(long patienceMillis, LongSupplier nanos) {
        this.patienceMillis = patienceMillis;
        this.nanos = nanos;
    }

    /// @param whom what is to rest when it is silent: a list, a domain
    /// @return completed within the patience; empty when there is no answer
    <T> CompletableFuture<Optional<T>> ask(String whom, Supplier<T> question) {
        if (rests(whom) || !places.tryAcquire()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        CompletableFuture<T> asked = CompletableFuture.supplyAsync(question, Thread::startVirtualThread);
        asked.whenComplete((_, _) -> places.release());
        return asked.thenApply(Optional::of).completeOnTimeout(Optional.empty(), patienceMillis, TimeUnit.MILLISECONDS)
                .exceptionally(trouble -> {
                    log.warn("dns={} msg=\"question failed\"", LogText.word(whom), trouble);
                    return Optional.empty();
                }).thenApply(answer -> {
                    if (answer.isEmpty()) {
                        letRest(whom);
                    }
                    return answer;
                });
    }

    /// Of those who answer at once that they cannot say.
    void letRest(String whom) {
        synchronized (silentUntil) {
            silentUntil.put(whom, nanos.getAsLong() + REST_NANOS);
        }
        log.info("dns={} msg=\"no answer, not asked again for a minute\"", LogText.word(whom));
    }

    private boolean rests(String whom) {
        synchronized (silentUntil) {
            Long until = silentUntil.get(whom);
            if (until != null && nanos.getAsLong() - until >= 0) {
                silentUntil.remove(whom);
                return false;
            }
            return until != null;
        }
    }
}
