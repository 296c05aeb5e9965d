package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueueName;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.Search;
import org.slipstream.spool.log.LogRecord;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

/// An operator makes a long queue due while mail arrives.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LongOrderTest {
    private static final int PORTION = 500;
    private static final long HOUR = 3_600_000;

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private Spool spool;

    @BeforeEach
    void open() throws Exception {
        spool = world.open(directory);
    }

    private void fill(int messages) throws InterruptedException {
        FillQueue.fill(spool, messages, new byte[10], world.clock.millis() + HOUR);
    }

    @AfterEach
    void close() {
        spool.close();
    }

    private long now() {
        return world.clock.millis();
    }

    /// The order is a few dozen portions. The second one is held back until a message has come; it
    /// is with the next group.
    @Test
    void aNewMessageWaitsForOnePortionAndIsScannedAmongTheNext() throws Exception {
        int messages = 20_000;
        fill(messages);
        CountDownLatch secondPortion = new CountDownLatch(1);
        CountDownLatch messageWaits = new CountDownLatch(1);
        AtomicInteger portions = new AtomicInteger();
        AtomicInteger portionsBefore = new AtomicInteger();
        CompletableFuture<Void> done = new CompletableFuture<>();
        world.trouble = (call, arguments) -> {
            if (!call.equals("index.apply")) {
                return;
            }
            List<?> changes = (List<?>) arguments[0];
            if (changes.stream().anyMatch(LogRecord.Stored.class::isInstance)) {
                portionsBefore.set(portions.get());
            }
            if (changes.stream().anyMatch(LogRecord.MakeDue.class::isInstance) && portions.incrementAndGet() == 2) {
                secondPortion.countDown();
                messageWaits.await();
            }
        };
        long flushed = now();
        AtomicInteger answers = new AtomicInteger();
        spool.makeDue(Optional.empty(), Optional.empty(), flushed, () -> {
            if (answers.incrementAndGet() == messages / PORTION) {
                done.complete(null);
            }
        });
        secondPortion.await();
        world.clock.advanceMillis(1);
        CompletableFuture<QueueId> message = new CompletableFuture<>();
        try (Draft draft = spool.draft()) {
            draft.write(new byte[10], 0, 10);
            Thread.ofVirtual().start(() -> {
                try {
                    message.complete(draft.commit(TestMessages.envelope("bob@new.example")).id());
                } catch (Exception e) {
                    message.completeExceptionally(e);
                }
            });
            messageWaits.countDown();
            QueueId fresh = message.join();
            assertThat(portionsBefore).as("portions before the message").hasValueLessThanOrEqualTo(4);
            done.join();
            // The order may name the message at that moment: such a message is left to the next
            // scan, which is told of it.
            List<MessageSummary> scanned = Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> {
                Spool.Claimed claimed = TestMessages.claim(spool, QueueName.INCOMING, now(), 1_000, now() + HOUR);
                assertThat(claimed.messages().size() == 1 || claimed.more()).isTrue();
                return claimed.messages();
            }, found -> !found.isEmpty());
            assertThat(scanned).extracting(MessageSummary::id).containsExactly(fresh);
            assertThat(TestMessages.claim(spool, QueueName.DEFERRED, now(), 1_000, now() + HOUR))
                    .satisfies(old -> assertThat(old.messages()).hasSize(1_000))
                    .satisfies(old -> assertThat(old.more()).isTrue());
        }
    }

    @Test
    void anOrderForEverythingReachesEachMessageAndOneForADomainItsOwn() throws Exception {
        fill(5_000);
        CountDownLatch portions = new CountDownLatch(1);
        spool.makeDue(Optional.empty(), Optional.of("D7.example.net"), now(), portions::countDown);
        portions.await();
        assertThat(TestMessages.claim(spool, QueueName.DEFERRED, now(), 1_000, now() + HOUR).messages()).hasSize(5)
                .allMatch(message -> message.attempts() == 1);
        CountDownLatch all = new CountDownLatch(5_000 / PORTION);
        spool.makeDue(Optional.empty(), Optional.empty(), now() + 1, all::countDown);
        all.await();
        assertThat(TestMessages.claim(spool, now() + 1, 10_000, now() + HOUR)).hasSize(5_000);
    }

    @Test
    void aDomainIsFoundWithOneQuestionWhetherRareOrFrequent() throws Exception {
        fill(5_000);
        QueueId rare = TestMessages.commit(spool, "bob@rare.example", new byte[10]);
        QueueIndex.Found found = spool.find(Search.of(domain("rare.example")), Optional.empty(), 100);
        assertThat(found.ids()).containsExactly(rare);
        assertThat(found.next()).isEmpty();
        found = spool.find(Search.of(domain("d7.example.net")), Optional.empty(), 2);
        assertThat(found.ids()).hasSize(2);
        QueueIndex.Found rest = spool.find(Search.of(domain("d7.example.net")), found.next(), 100);
        assertThat(rest.ids()).hasSize(3).doesNotContainAnyElementsOf(found.ids());
        assertThat(rest.next()).isEmpty();
        assertThat(world.calls.stream().filter("index.find"::equals)).hasSize(3);
    }

    private static QueueFilter domain(String domain) {
        return new QueueFilter(Optional.empty(), List.of(AddressPattern.ofDomain(domain).orElseThrow()),
                Optional.empty(), OptionalLong.empty(), OptionalLong.empty(), 0);
    }
}
