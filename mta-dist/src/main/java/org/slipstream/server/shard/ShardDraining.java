package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.spool.MovableMessages;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/// Moves the mail of a drained shard to others, message by message, in passes over the whole spool.
///
/// A pass orders at most [#AT_ONCE] moves at the same time, so that the other shards keep their time
/// for new mail. A message that is in delivery is moved when that ends; a message that could not be
/// moved is tried again by the next pass. A pass that moves nothing ends early, because then the
/// others take nothing.
final class ShardDraining {
    private static final Logger log = LoggerFactory.getLogger(ShardDraining.class);
    static final int AT_ONCE = 64;
    private static final int PAGE = 500;
    private static final int MOST_KEPT = 1_000;
    /// Longer than this, a move keeps no other from beginning.
    private static final long LONGEST_SECONDS = 30;

    private final int number;
    private final MovableMessages spool;
    private final Function<QueueId, CompletableFuture<Result>> move;
    private final BooleanSupplier wanted;
    private final AtomicBoolean underWay = new AtomicBoolean();
    private volatile CompletableFuture<Void> ended = CompletableFuture.completedFuture(null);

    /// The result of a pass.
    ///
    /// @param found messages that were in the spool
    /// @param moved those of them that other shards have
    /// @param kept those that could not be moved
    record DrainPass(int found, int moved, int kept) {}

    /// @param number of the shard
    /// @param move orders a move; its answer may never come
    /// @param wanted false as soon as the mail may stay
    ShardDraining(int number, MovableMessages spool, Function<QueueId, CompletableFuture<Result>> move,
            BooleanSupplier wanted) {
        this.number = number;
        this.spool = spool;
        this.move = move;
        this.wanted = wanted;
    }

    /// Begins a pass on a thread of its own, unless one is under way.
    ///
    /// @param empty runs when the pass found no message
    void begin(Runnable empty) {
        if (underWay.compareAndSet(false, true)) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            ended = end;
            Thread.ofPlatform().daemon().name("drain-" + number).start(() -> {
                try {
                    run(empty);
                } finally {
                    underWay.set(false);
                    end.complete(null);
                }
            });
        }
    }

    /// Waits until no move is under way, for half a minute at most: a copy of a message may be in two
    /// shards before.
    void awaitEnd() {
        try {
            ended.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException unanswered) {
            log.warn("event=shard-drain-failed shard={} next=\"moves go on\" error=\"{}\"", number,
                    LogText.text(FailureWords.of(unanswered)));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Runnable empty) {
        try {
            DrainPass pass = pass();
            if (pass.found() == 0 && wanted.getAsBoolean()) {
                log.info("event=shard-drained shard={}", number);
                empty.run();
            } else {
                log.info("event=shard-drain-pass shard={} count={} moved={} kept={}", number, pass.found(),
                        pass.moved(), pass.kept());
            }
        } catch (IOException | RuntimeException trouble) {
            log.warn("event=shard-drain-failed shard={} next=\"tried again\" error=\"{}\"", number,
                    LogText.text(FailureWords.of(trouble)));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /// Orders the move of each message and waits for the answers.
    DrainPass pass() throws IOException, InterruptedException {
        Semaphore free = new Semaphore(AT_ONCE);
        AtomicInteger moved = new AtomicInteger();
        AtomicInteger kept = new AtomicInteger();
        int found = 0;
        Optional<QueueId> after = Optional.empty();
        for (List<QueueId> page = page(after); !page.isEmpty(); page = page(after)) {
            for (QueueId id : page) {
                free.acquire();
                if (!wanted.getAsBoolean() || moved.get() == 0 && kept.get() >= MOST_KEPT) {
                    // The end of a pass is the end of its moves.
                    free.acquire(AT_ONCE - 1);
                    return new DrainPass(found, moved.get(), kept.get());
                }
                found++;
                move.apply(id).completeOnTimeout(Result.UNCHANGED, LONGEST_SECONDS, TimeUnit.SECONDS)
                        .whenComplete((result, _) -> {
                            if (result == Result.MOVED) {
                                moved.incrementAndGet();
                            } else if (result != Result.FILED) {
                                kept.incrementAndGet();
                            }
                            free.release();
                        });
            }
            after = Optional.of(page.getLast());
        }
        free.acquire(AT_ONCE);
        return new DrainPass(found, moved.get(), kept.get());
    }

    private List<QueueId> page(Optional<QueueId> after) throws IOException {
        return wanted.getAsBoolean() ? spool.ids(after, PAGE) : List.of();
    }
}
