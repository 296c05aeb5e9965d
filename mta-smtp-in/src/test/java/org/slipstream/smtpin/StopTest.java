package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.core.SettingsRecords;
import org.slipstream.testkit.SmtpTalker;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/// A stop of the listener: it sends 421 to idle clients, waits for busy ones, and disconnects
/// endless ones.
class StopTest {
    private final CollectedMessages messages = new CollectedMessages();

    @Test
    void theIdleAreToldAndLeft() throws Exception {
        SmtpListener listener = Ports.started(Ports.config(), messages);
        try (SmtpTalker fresh = Ports.greeted(listener); SmtpTalker used = Ports.greeted(listener)) {
            used.ask("HELO client.example");
            ListenerTest.send(used, "text\r\n");
            listener.stop(Duration.ofSeconds(20));
            assertThat(fresh.reply()).isEqualTo("421 4.3.2 mx.test Shutting down, try again later");
            assertThat(fresh.isClosedInOrder()).isTrue();
            assertThat(used.reply()).startsWith("421 4.3.2");
            assertThatThrownBy(() -> Ports.client(listener)).hasCauseInstanceOf(java.net.ConnectException.class);
        }
    }

    @Test
    void aTransactionMayFinishWhileNoNewClientIsAccepted() throws Exception {
        SmtpListener listener = Ports.started(Ports.config(), messages);
        try (SmtpTalker busy = Ports.greeted(listener)) {
            busy.ask("HELO client.example");
            busy.ask("MAIL FROM:<a@x.example>");
            CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> listener.stop(Duration.ofSeconds(20)));
            await().atMost(Duration.ofSeconds(90)).untilAsserted(() -> {
                try (SmtpTalker late = Ports.client(listener)) {
                    assertThat(late.reply()).startsWith("421 4.3.2");
                }
            });
            assertThat(busy.ask("RCPT TO:<b@y.example>")).startsWith("250");
            assertThat(busy.ask("DATA")).startsWith("354");
            assertThat(stop).isNotDone();
            busy.send("text\r\n.\r\nMAIL FROM:<another@x.example>\r\n");
            assertThat(busy.reply()).startsWith("250 2.0.0");
            assertThat(busy.reply()).startsWith("421 4.3.2");
            assertThat(busy.isClosedInOrder()).isTrue();
            stop.get(90, TimeUnit.SECONDS);
            assertThat(messages.accepted).hasSize(1);
        }
    }

    @Test
    void stopTimesOut() throws Exception {
        Tuning patient = SettingsRecords.with(Ports.tuning(Duration.ofSeconds(60)), "afterAbort",
                Duration.ofSeconds(60));
        SmtpListener listener = new SmtpListener(Ports.config(), ListenerServices.of(messages), patient);
        listener.start();
        try (SmtpTalker endless = Ports.greeted(listener)) {
            ListenerTest.beginData(endless);
            endless.send("text\r\n");
            await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 1);
            listener.stop(Duration.ofMillis(50));
            assertThat(messages.openDrafts).hasValue(0);
            assertThat(messages.accepted).isEmpty();
        }
    }

    @Test
    void aDiskThatHangsDoesNotHoldUpTheStop() throws Exception {
        CountDownLatch disk = new CountDownLatch(1);
        CountDownLatch committing = new CountDownLatch(1);
        messages.beforeCommit = () -> {
            committing.countDown();
            disk.await();
        };
        SmtpListener listener = Ports.started(Ports.config(), messages);
        try (SmtpTalker client = Ports.greeted(listener)) {
            ListenerTest.beginData(client);
            client.send("text\r\n.\r\n");
            committing.await();
            listener.stop(Duration.ofMillis(50));
        }
        disk.countDown();
        await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 0);
    }

    @Test
    void stoppingTwiceAndStoppingUnstartedDoNothing() throws Exception {
        SmtpListener listener = Ports.started(Ports.config(), messages);
        listener.close();
        listener.close();
        new SmtpListener(Ports.config(), messages).close();
    }
}
