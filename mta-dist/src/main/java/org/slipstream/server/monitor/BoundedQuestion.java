package org.slipstream.server.monitor;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/// A question that may hang with a disk, asked by callers that must not. It runs on a platform thread of
/// its own, which is never interrupted, and at most once at a time: further callers wait for the same
/// answer.
final class BoundedQuestion<T> {
    private final String name;
    private final Supplier<T> question;
    private final Duration limit;
    private Optional<CompletableFuture<T>> running = Optional.empty();

    /// @param name of the thread
    BoundedQuestion(String name, Supplier<T> question, Duration limit) {
        this.name = name;
        this.question = question;
        this.limit = limit;
    }

    /// Empty when there is no answer within the limit, or the question failed.
    Optional<T> ask() {
        try {
            return Optional.of(answer().get(limit.toMillis(), TimeUnit.MILLISECONDS));
        } catch (ExecutionException | TimeoutException none) {
            return Optional.empty();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    private synchronized CompletableFuture<T> answer() {
        CompletableFuture<T> now = running.filter(each -> !each.isDone()).orElseGet(
                () -> CompletableFuture.supplyAsync(question,
                        task -> Thread.ofPlatform().daemon().name(name).start(task)));
        running = Optional.of(now);
        return now;
    }
}
