package org.slipstream.smtpin;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.testkit.SimulatedClock;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// Waits that end on a clock that stands still until it is moved.
class SessionWatchdogTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SimulatedClock clock = new SimulatedClock();
    private final AtomicBoolean crowded = new AtomicBoolean();
    private final SessionWatchdog watchdog = new SessionWatchdog(crowded::get, () -> 30 * SECOND, clock::nanos);
    private final ServerSocket server = new ListenerSocket("smtp", AcceptedSocket::unconnected, () -> 100);
    private final Socket client;
    private final SocketLink link;

    SessionWatchdogTest() throws IOException {
        server.bind(null);
        client = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
        client.setSoTimeout(90_000);
        link = new SocketLink((AcceptedSocket) server.accept(), -1, Duration.ofSeconds(2));
        watchdog.watch(link);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        link.abort();
        server.close();
        watchdog.close();
    }

    @Test
    void aReadThatIsOverLeavesTheOutputOpen() throws Exception {
        CompletableFuture<Integer> read = reading(300);
        after(299);
        assertThat(read).isNotDone();
        after(1);
        assertThatThrownBy(() -> read.get(90, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(SocketTimeoutException.class);
        link.write("421\r\n".getBytes(StandardCharsets.US_ASCII), 0, 5, begin(2));
        assertThat(client.getInputStream().readNBytes(5)).isNotEmpty();
        assertThat(link.isInputEnded()).isTrue();
    }

    @Test
    void aReadThatIsUnderWayWhenItGetsCrowdedHasLessTime() throws Exception {
        CompletableFuture<Integer> read = reading(300);
        after(5);
        crowded.set(true);
        after(5);
        crowded.set(false);
        after(19);
        assertThat(read).isNotDone();
        after(1);
        assertThatThrownBy(() -> read.get(90, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void aReadThatBeginsWhenItIsCrowdedNoMoreHasAllItsTime() throws Exception {
        crowded.set(true);
        after(5);
        crowded.set(false);
        after(1);
        CompletableFuture<Integer> read = reading(300);
        after(299);
        client.getOutputStream().write('x');
        assertThat(read.get(90, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void aClientThatReadsNothingIsCutSoonerWhenItIsCrowded() throws Exception {
        ClientWait wait = begin(300);
        CompletableFuture<Integer> write = run(() -> {
            while (true) {
                link.write(new byte[1 << 20], 0, 1 << 20, wait);
            }
        });
        crowded.set(true);
        after(29);
        assertThat(write).isNotDone();
        clock.advance(Duration.ofSeconds(1));
        // The write is found when it waits, not between two of them.
        await().atMost(Duration.ofSeconds(90)).until(() -> {
            watchdog.scan();
            return write.isDone();
        });
        assertThatThrownBy(() -> write.get(90, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
    }

    /// Under load the session's thread runs later than the watchdog looks again.
    @Test
    void aSessionThatIsSlowToNoticeTheEndOfItsInputSendsItsLastReply() throws Exception {
        CompletableFuture<Integer> read = reading(300);
        try (BusyCarriers _ = new BusyCarriers()) {
            after(300);
            after(1);
            assertThat(read).isNotDone();
        }
        assertThatThrownBy(() -> read.get(90, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketTimeoutException.class);
        link.write("421\r\n".getBytes(StandardCharsets.US_ASCII), 0, 5, begin(2));
        assertThat(client.getInputStream().readNBytes(5)).asString(StandardCharsets.US_ASCII).isEqualTo("421\r\n");
    }

    /// As TLS can, which may write while it reads.
    @Test
    void aReadThatGoesOnAfterTheEndOfItsInputIsCut() throws Exception {
        CompletableFuture<Integer> read = reading(300);
        try (BusyCarriers _ = new BusyCarriers()) {
            after(300);
            after(2);
            assertThat(read).isNotDone();
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    /// The end of the input is not seen, so only the bound ends the wait for a silent client.
    @Test
    void aClientThatKeepsItsConnectionAfterATimeoutIsCutAtTheBound() throws Exception {
        timedOut();
        CompletableFuture<Integer> close = closing(Duration.ofMillis(100));
        assertThat(close.get(90, TimeUnit.SECONDS)).isZero();
        assertThat(client.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void anAbortEndsTheWaitForAClientThatReadsItsLastReply() throws Exception {
        timedOut();
        CompletableFuture<Integer> close = closing(Duration.ofDays(10));
        assertThat(client.getInputStream().read()).as("the output has ended").isEqualTo(-1);
        assertThat(close).isNotDone();
        link.abort();
        assertThat(close.get(90, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void aClientThatSendsWithoutEndIsDrainedUpToTheBound() throws Exception {
        CompletableFuture<Integer> flood = run(() -> {
            while (true) {
                client.getOutputStream().write(new byte[1 << 10]);
            }
        });
        CompletableFuture<Integer> close = closing(Duration.ofSeconds(2));
        assertThat(client.getInputStream().read()).as("the output has ended").isEqualTo(-1);
        after(1);
        assertThat(close).isNotDone();
        clock.advance(Duration.ofSeconds(1));
        // The read is found when it waits, not between two of them.
        await().atMost(Duration.ofSeconds(90)).until(() -> {
            watchdog.scan();
            return close.isDone();
        });
        assertThat(close.get()).isZero();
        assertThatThrownBy(() -> flood.get(90, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
    }

    private void timedOut() {
        CompletableFuture<Integer> read = reading(300);
        after(300);
        assertThatThrownBy(() -> read.get(90, TimeUnit.SECONDS)).hasCauseInstanceOf(SocketTimeoutException.class);
    }

    private CompletableFuture<Integer> closing(Duration linger) {
        SmtpStream stream = new SmtpStream(link, new BufferPool(1), clock::nanos, 300 * SECOND);
        return run(() -> {
            stream.closeAfterDrain(linger, true);
            return 0;
        });
    }

    private void after(long seconds) {
        clock.advance(Duration.ofSeconds(seconds));
        watchdog.scan();
    }

    private ClientWait begin(long seconds) {
        return new ClientWait(clock.nanos(), seconds * SECOND);
    }

    private CompletableFuture<Integer> reading(long seconds) {
        ClientWait wait = begin(seconds);
        AtomicBoolean waits = new AtomicBoolean();
        CompletableFuture<Integer> read = run(() -> link.read(new byte[1], 0, 1, wait));
        await().atMost(Duration.ofSeconds(90)).until(() -> {
            link.endIfOver(clock.nanos(), seen -> {
                waits.compareAndSet(false, seen == wait);
                return false;
            });
            return waits.get();
        });
        return read;
    }

    /// Keeps every virtual thread that waits from running again until it is closed.
    private static final class BusyCarriers implements AutoCloseable {
        private volatile boolean busy = true;

        BusyCarriers() throws InterruptedException {
            int carriers = Runtime.getRuntime().availableProcessors();
            CountDownLatch running = new CountDownLatch(carriers);
            for (int i = 0; i < carriers; i++) {
                Thread.startVirtualThread(() -> {
                    running.countDown();
                    while (busy) {
                        Thread.onSpinWait();
                    }
                });
            }
            assertThat(running.await(90, TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public void close() {
            busy = false;
        }
    }

    private interface Work {
        int run() throws IOException;
    }

    private static CompletableFuture<Integer> run(Work work) {
        CompletableFuture<Integer> result = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                result.complete(work.run());
            } catch (IOException e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
