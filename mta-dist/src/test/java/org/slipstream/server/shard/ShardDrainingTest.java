package org.slipstream.server.shard;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.spool.MovableMessages;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;

/// The end of a drain that an operator takes back.
class ShardDrainingTest {
    /// Three messages.
    private static MovableMessages spool() {
        return (MovableMessages) Proxy.newProxyInstance(ShardDrainingTest.class.getClassLoader(),
                new Class<?>[]{MovableMessages.class}, (_, _, arguments) -> ((Optional<?>) arguments[0]).isPresent()
                        ? List.of()
                        : List.of(new QueueId(1), new QueueId(2), new QueueId(3)));
    }

    @Test
    @Timeout(60)
    void aDrainHasEndedWhenItsLastMoveHas() throws Exception {
        CompletableFuture<Result> move = new CompletableFuture<>();
        AtomicBoolean wanted = new AtomicBoolean(true);
        AtomicBoolean moved = new AtomicBoolean();
        ShardDraining draining = new ShardDraining(2, spool(), _ -> {
            wanted.set(false);
            return move;
        }, wanted::get);
        Thread operator = Thread.currentThread();
        Thread.ofPlatform().daemon().start(() -> {
            while (operator.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            moved.set(true);
            move.complete(Result.MOVED);
        });
        assertThat(draining.pass().moved()).isEqualTo(1);
        assertThat(moved).as("the move has ended").isTrue();
    }

    @Test
    @Timeout(60)
    void theEndOfADrainIsTheEndOfItsPass() throws Exception {
        CompletableFuture<Result> move = new CompletableFuture<>();
        CountDownLatch ordered = new CountDownLatch(1);
        AtomicBoolean wanted = new AtomicBoolean(true);
        AtomicBoolean moved = new AtomicBoolean();
        ShardDraining draining = new ShardDraining(2, spool(), _ -> {
            wanted.set(false);
            ordered.countDown();
            return move;
        }, wanted::get);
        draining.begin(() -> moved.set(false));
        ordered.await();
        Thread operator = Thread.currentThread();
        Thread.ofPlatform().daemon().start(() -> {
            while (operator.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            moved.set(true);
            move.complete(Result.MOVED);
        });
        draining.awaitEnd();
        assertThat(moved).isTrue();
    }

    @Test
    void withoutADrainThereIsNothingToWaitFor() {
        new ShardDraining(2, spool(), _ -> new CompletableFuture<>(), () -> false).awaitEnd();
    }
}
