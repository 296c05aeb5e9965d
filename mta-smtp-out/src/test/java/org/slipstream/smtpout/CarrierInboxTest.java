package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.smtpout.dialog.Transfer;
import org.slipstream.smtpout.wire.WireInput;
import org.slipstream.smtpout.wire.WireWatchdog;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class CarrierInboxTest {
    private static final CarrierInbox.Item CLOSE = new CarrierInbox.Close();
    private static final CarrierInbox.Item GONE = new CarrierInbox.FromWire(
            new WireInput.Ended(WireInput.End.CLOSED, "gone"));

    private final WireWatchdog watchdog = new WireWatchdog();
    private final CarrierInbox mailbox = new CarrierInbox(watchdog);
    private final LinkedBlockingQueue<Optional<CarrierInbox.Item>> taken = new LinkedBlockingQueue<>();

    @AfterEach
    void stop() {
        watchdog.close();
    }

    private Thread take(long nanos) {
        return Thread.ofVirtual().start(() -> taken.add(mailbox.take(nanos)));
    }

    private static void awaitWaiting(Thread reader) {
        await().atMost(Duration.ofSeconds(90)).until(() -> reader.getState() == Thread.State.WAITING);
    }

    @Test
    void anEndlessWaitEndsWithAMessage() throws Exception {
        awaitWaiting(take(Long.MAX_VALUE));
        mailbox.post(CLOSE);
        assertThat(taken.poll(90, TimeUnit.SECONDS)).contains(CLOSE);
    }

    @Test
    void aDeliveryIsExpectedAndPostedInOneStep() throws Exception {
        Transfer transfer = Post.transfer(1, "a@there.example");
        CountDownLatch expecting = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Boolean> posted = CompletableFuture.supplyAsync(() -> mailbox.deliver(transfer, () -> {
            expecting.countDown();
            try {
                goOn.await();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        }));
        assertThat(expecting.await(90, TimeUnit.SECONDS)).isTrue();
        Thread ending = Thread.ofPlatform().start(
                () -> taken.add(mailbox.end().stream().<CarrierInbox.Item>map(CarrierInbox.Deliver::new).findFirst()));
        await().atMost(Duration.ofSeconds(90)).until(() -> ending.getState() == Thread.State.BLOCKED);
        goOn.countDown();
        assertThat(posted.get(90, TimeUnit.SECONDS)).isTrue();
        assertThat(taken.poll(90, TimeUnit.SECONDS)).contains(new CarrierInbox.Deliver(transfer));
        assertThat(mailbox.deliver(transfer, () -> taken.add(Optional.empty()))).isFalse();
        assertThat(taken).as("expected by nobody").isEmpty();
    }

    @Test
    void aWaitThatTimesOutReturnsNothing() throws Exception {
        take(TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(taken.poll(90, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void aWaitInVainDoesNotShortenTheNextOne() throws Exception {
        take(TimeUnit.MILLISECONDS.toNanos(1));
        assertThat(taken.poll(90, TimeUnit.SECONDS)).isEmpty();
        awaitWaiting(take(TimeUnit.MINUTES.toNanos(10)));
        mailbox.post(CLOSE);
        assertThat(taken.poll(90, TimeUnit.SECONDS)).contains(CLOSE);
    }

    @Test
    void manyShortWaitsAndManyMessagesLoseNothing() throws Exception {
        int messages = 20_000;
        Thread reader = Thread.ofVirtual().start(() -> {
            for (int got = 0; got < messages;) {
                if (mailbox.take(TimeUnit.MICROSECONDS.toNanos(50)).isPresent()) {
                    got++;
                }
            }
        });
        Thread other = Thread.ofVirtual().start(() -> {
            for (int i = 0; i < messages / 2; i++) {
                mailbox.post(CLOSE);
            }
        });
        for (int i = 0; i < messages / 4; i++) {
            mailbox.post(List.of(CLOSE, GONE));
            Thread.yield();
        }
        other.join();
        assertThat(reader.join(java.time.Duration.ofSeconds(30))).isTrue();
        assertThat(mailbox.poll()).isEmpty();
    }

    @Test
    void messagesPostedTogetherStayInOrder() {
        mailbox.post(List.of(CLOSE, GONE));
        assertThat(mailbox.take(0)).contains(CLOSE);
        assertThat(mailbox.poll()).contains(GONE);
        assertThat(mailbox.take(0)).isEmpty();
    }

    @Test
    void afterItsEndItTakesNothing() {
        mailbox.post(GONE);
        assertThat(mailbox.end()).isEmpty();
        assertThat(mailbox.post(CLOSE)).isFalse();
        assertThat(mailbox.poll()).isEmpty();
    }
}
