package org.slipstream.server.shard;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.spool.Draft;
import org.slipstream.spool.MovableMessages;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/// The order of the steps of a move, and its bounds.
class MessageMoverTest {
    @TempDir
    Path directory;
    private final List<String> steps = Collections.synchronizedList(new ArrayList<>());
    private final List<QmgrEvent.MovedIn> announced = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger kept = new AtomicInteger();
    private final AtomicBoolean drained = new AtomicBoolean(true);
    private Spool source;
    private Spool target;

    @BeforeEach
    void open() throws Exception {
        source = Spools.open(SpoolConfig.at(directory.resolve("one")), System::currentTimeMillis, 1, () -> true,
                Optional.empty());
        target = Spools.open(SpoolConfig.at(directory.resolve("two")), System::currentTimeMillis, 2, () -> true,
                Optional.empty());
    }

    @AfterEach
    void close() {
        source.close();
        target.close();
    }

    private QueueId message() throws IOException {
        try (Draft draft = source.draft()) {
            draft.write(new byte[100], 0, 100);
            return draft.commit(Envelope.of(Optional.empty(), List.of(Address.of("a@far.example")))).id();
        }
    }

    /// A spool that notes the steps of a move.
    private Spool watched(String name, Spool real) {
        return (Spool) Proxy.newProxyInstance(Spool.class.getClassLoader(), new Class<?>[]{Spool.class},
                (_, method, arguments) -> {
                    steps.add(name + "." + method.getName());
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Optional<MessageMover.MoveTarget> chosen() {
        kept.incrementAndGet();
        Spool spool = watched("target", target);
        return Optional.of(new MessageMover.MoveTarget() {
            @Override
            public int number() {
                return 2;
            }

            @Override
            public MovableMessages spool() {
                return spool;
            }

            @Override
            public void arrived(QmgrEvent.MovedIn message) {
                steps.add("announced");
                announced.add(message);
            }

            @Override
            public void release() {
                kept.decrementAndGet();
            }
        });
    }

    private boolean move(QueueId id, MessageMover mover) {
        CompletableFuture<Boolean> moved = new CompletableFuture<>();
        mover.moveOut(id, OptionalLong.empty(), moved::complete);
        return moved.orTimeout(90, TimeUnit.SECONDS).join();
    }

    private MessageMover mover() {
        return new MessageMover(1, watched("source", source), drained::get, this::chosen,
                MessageMover.MoveDoubts.NONE);
    }

    @Test
    @Tag("IM-15")
    void theNewQueueManagerGetsToKnowAMessageWhenTheOldLogHasItNoMore() throws Exception {
        QueueId id = message();
        assertThat(move(id, mover())).isTrue();
        assertThat(steps).containsExactly("source.export", "target.take", "source.left", "target.arrived",
                "announced");
        assertThat(announced).singleElement().satisfies(event -> {
            assertThat(event.message().id()).isEqualTo(id);
            assertThat(event.message().open()).isEqualTo(1);
            assertThat(event.nextAttemptMillis()).isEqualTo(event.message().createdMillis());
        });
        assertThat(source.ids(Optional.empty(), 10)).isEmpty();
        assertThat(target.ids(Optional.empty(), 10)).containsExactly(id);
        assertThat(kept).as("the target may close again").hasValue(0);
    }

    @Test
    void aTargetThatIsClosedKeepsTheMessageWhereItIs() throws Exception {
        QueueId id = message();
        target.close();
        assertThat(move(id, mover())).isFalse();
        assertThat(source.ids(Optional.empty(), 10)).containsExactly(id);
        assertThat(steps).contains("source.stays").doesNotContain("source.left", "announced");
        assertThat(kept).hasValue(0);
    }

    /// The order waits for the end of a delivery, which may take minutes.
    @Test
    void anOrderThatComesAfterTheShardWasEnabledMovesNothing() throws Exception {
        QueueId id = message();
        drained.set(false);
        assertThat(move(id, mover())).isFalse();
        assertThat(source.ids(Optional.empty(), 10)).containsExactly(id);
        assertThat(steps).isEmpty();
        assertThat(kept).hasValue(0);
    }

    @Test
    void withoutAnotherShardOrWithoutTheMessageNothingMoves() throws Exception {
        QueueId id = message();
        assertThat(move(id, new MessageMover(1, source, () -> true, Optional::empty,
                MessageMover.MoveDoubts.NONE))).isFalse();
        assertThat(move(new QueueId(99), mover())).isFalse();
        assertThat(source.ids(Optional.empty(), 10)).containsExactly(id);
        assertThat(kept).hasValue(0);
    }

    @Test
    void aDrainOrdersABoundedNumberOfMovesAndCountsTheAnswers() throws Exception {
        Set<QueueId> waiting = new ConcurrentSkipListSet<>();
        List<CompletableFuture<Result>> answers = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < 3 * ShardDraining.AT_ONCE; i++) {
            waiting.add(message());
        }
        AtomicInteger most = new AtomicInteger();
        AtomicInteger now = new AtomicInteger();
        ShardDraining draining = new ShardDraining(1, source, id -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            waiting.remove(id);
            CompletableFuture<Result> answer = new CompletableFuture<>();
            answers.add(answer);
            if (answers.size() % ShardDraining.AT_ONCE == 0) {
                List<CompletableFuture<Result>> all = List.copyOf(answers.subList(
                        answers.size() - ShardDraining.AT_ONCE, answers.size()));
                Thread.ofVirtual().start(() -> all.forEach(each -> {
                    now.decrementAndGet();
                    each.complete(all.indexOf(each) % 4 == 0 ? Result.UNCHANGED : Result.MOVED);
                }));
            }
            return answer;
        }, () -> true);
        ShardDraining.DrainPass pass = draining.pass();

        assertThat(waiting).isEmpty();
        assertThat(most.get()).isEqualTo(ShardDraining.AT_ONCE);
        assertThat(pass).isEqualTo(new ShardDraining.DrainPass(192, 144, 48));
    }

    @Test
    void aDrainEndsWhenTheShardIsEnabledAgain() throws Exception {
        for (int i = 0; i < 10; i++) {
            message();
        }
        AtomicInteger ordered = new AtomicInteger();
        ShardDraining draining = new ShardDraining(1, source, _ -> {
            ordered.incrementAndGet();
            return CompletableFuture.completedFuture(Result.MOVED);
        }, () -> ordered.get() < 4);
        assertThat(draining.pass()).isEqualTo(new ShardDraining.DrainPass(4, 4, 0));
    }
}
