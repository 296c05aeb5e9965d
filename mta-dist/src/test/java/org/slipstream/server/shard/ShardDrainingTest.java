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
        CountDownLatch ordered = new CountDownLatch(1);
        AtomicBoolean wanted = new AtomicBoolean(true);
        ShardDraining draining = new ShardDraining(2, spool(), _ -> {
            wanted.set(false);
            ordered.countDown();
            return move;
        }, wanted::get);
        draining.begin(() -> {
            throw new AssertionError("it is not empty");
        });
        ordered.await();
        CompletableFuture<Void> end = CompletableFuture.runAsync(draining::awaitEnd);
        Thread.onSpinWait();
        assertThat(end.isDone()).as("a move is under way").isFalse();
        move.complete(Result.MOVED);
        end.join();
    }

    @Test
    void withoutADrainThereIsNothingToWaitFor() {
        new ShardDraining(2, spool(), _ -> new CompletableFuture<>(), () -> false).awaitEnd();
    }
}
