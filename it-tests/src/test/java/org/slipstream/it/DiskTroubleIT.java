package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.DiskTrouble;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.Folders;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpReply;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;

import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The disk below a running server becomes slow, hangs, fails, or becomes read-only. That is this
/// server's failure and not the sender's: the reply is 451 or 452 in time, no bounce is sent,
/// acknowledged mail arrives once, refused mail does not arrive, and the server recovers by itself
/// when the disk works again (limits.md, promise 5). For a disk that is really full see
/// [DiskFullIT].
@RequiresPrograms("strace")
class DiskTroubleIT {
    private static final int SEGMENTS_TO_COME = 200;
    private static final int PATIENCE_MILLIS = 200_000;
    @RegisterExtension
    final Workbench bench = new Workbench();
    private final List<String> acknowledged = Collections.synchronizedList(new ArrayList<>());

    /// Each sync takes two seconds. A message needs one that begins after its final dot, so no 250
    /// may come before two.
    @Test
    void onASlowDiskMailIsTakenAsFastAsItsSyncsAllow() {
        var far = bench.smtpSink();
        var server = bench.server(settings(far));
        try (var disk = bench.keep(DiskTrouble.syncsTake(Duration.ofSeconds(2), server));
                var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            record Answered(SmtpReply answer, long nanos) {}
            var answers = IntStream.range(0, 8).mapToObj(i -> clients.submit(() -> {
                long start = System.nanoTime();
                return new Answered(send(server, "slow" + i), System.nanoTime() - start);
            })).toList();
            assertThat(answers).allSatisfy(each -> {
                assertThat(each.get().answer().code()).as(each.get().toString()).isEqualTo(250);
                assertThat(Duration.ofNanos(each.get().nanos())).as("no 250 before its sync")
                        .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
            });
            eventually().untilAsserted(() -> assertThat(delivered(far)).as("delivered while the disk is still slow")
                    .containsExactlyInAnyOrderElementsOf(acknowledged));
            assertThat(disk.met()).isGreaterThanOrEqualTo(2);
        }
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(delivered(far)).containsExactlyInAnyOrderElementsOf(acknowledged);
    }

    /// Syncs that take longer than a client waits. Deliveries are off, so the one sync that hangs
    /// is that of a message.
    @Test
    void aDiskThatHangsIs451InTimeAndTheMessageInTheSyncIsWaitedFor() {
        var far = bench.smtpSink();
        var keeper = settings(far).set("queue.deliver", "false");
        var server = bench.server(keeper);
        assertThat(send(server, "before").code()).isEqualTo(250);
        long logBefore = logBytes(server);
        CompletableFuture<SmtpReply> inTheSync;
        List<CompletableFuture<SmtpReply>> behindIt;
        try (var _ = bench.keep(DiskTrouble.syncsTake(Duration.ofMinutes(5), server))) {
            inTheSync = sending(server, "in-the-sync");
            eventually().until(() -> logBytes(server) > logBefore);
            behindIt = IntStream.range(0, 5).mapToObj(i -> sending(server, "behind" + i)).toList();
            try (var other = SmtpTalker.introducedTo(server.smtp())) {
                other.must(250, "NOOP");
                other.must(250, "MAIL FROM:<alice@here.example>");
                other.must(250, "RCPT TO:<friend@far.example>");
                other.must(250, "RSET");
            }
            assertThat(Queue.of(server).size()).as("perhaps with the one in the sync").isBetween(1L, 2L);
            assertThat(inTheSync).isNotDone();
            assertThat(behindIt).noneMatch(CompletableFuture::isDone);
            eventually().untilAsserted(() -> assertThat(troubles(server)).containsExactly("stall"));
            assertThat(behindIt).allSatisfy(
                    each -> assertThat(each.orTimeout(90, TimeUnit.SECONDS).join().toString()).startsWith("451 4.3.0"));
            assertThat(inTheSync).as("it is unknown whether it is on the disk").isNotDone();
        }
        assertThat(inTheSync.orTimeout(90, TimeUnit.SECONDS).join().code()).isEqualTo(250);
        eventually().untilAsserted(() -> assertThat(send(server, "after").code()).isEqualTo(250));
        assertThat(server.stop()).isZero();
        server.startAgain(settings(far).pairs());
        onlyTheAcknowledgedArrivesOnce(server, far);
        assertThat(acknowledged).containsExactlyInAnyOrder("before@x", "in-the-sync@x", "after@x");
    }

    /// One server meets all failures, one after the other, and is killed at the end: its replies
    /// during the failures hold.
    @Test
    void aDiskThatFailsIs451Or452AndItEndsByItself() {
        var far = bench.smtpSink();
        var server = bench.server(settings(far));
        assertThat(send(server, "before").code()).isEqualTo(250);
        eventually().until(() -> Queue.of(server).isEmpty());
        for (var trouble : Trouble.values()) {
            whileMailIsUnderWay(trouble, server, far);
            onlyTheAcknowledgedArrivesOnce(server, far);
        }
        server.kill9();
        server.startAgain();
        onlyTheAcknowledgedArrivesOnce(server, far);
        assertThat(acknowledged).hasSize(1 + 2 * Trouble.values().length);
    }

    /// The index follows the log, so new mail is accepted and delivered without it. Deferred mail
    /// is found by the index: it may wait until the index can be written again, and it is delivered
    /// then.
    @Test
    void whileOnlyTheIndexFailsMailIsTakenAndDeliveredAndOutcomesAreKept() {
        var far = bench.smtpSink();
        var server = bench.server(settings(far));
        assertThat(send(server, "before").code()).isEqualTo(250);
        eventually().until(() -> Queue.of(server).isEmpty());
        try (var disk = bench.keep(DiskTrouble.failing("pwrite64,fsync,fdatasync", "EIO", server, indexFile(server)))) {
            far.change(script -> script.onRecipient("friend@*", SinkAction.reply("451 4.2.1 Mailbox busy")));
            assertThat(send(server, "deferred").code()).isEqualTo(250);
            eventually().untilAsserted(() -> assertThat(troubles(server)).contains("index"));
            far.follow(SinkScript.smtp());
            assertThat(send(server, "meanwhile").code()).isEqualTo(250);
            eventually().untilAsserted(() -> assertThat(delivered(far)).contains("meanwhile@x"));
            assertThat(disk.met()).isPositive();
        }
        eventually().untilAsserted(() -> assertThat(troubles(server)).isEmpty());
        eventually().until(() -> Queue.of(server).isEmpty());
        server.kill9();
        server.startAgain();
        onlyTheAcknowledgedArrivesOnce(server, far);
    }

    private enum Trouble {
        SYNCS_FAIL("451 4.3.0", "fdatasync,fsync", "EIO"),
        /// As on file systems that report a full disk late: quotas, NFS.
        FULL_AT_THE_SYNC("452 4.3.1", "fdatasync,fsync", "ENOSPC"), NOT_A_BYTE_MORE("452 4.3.1", "pwrite64", "ENOSPC"),
        /// The behaviour of the kernel with a file system whose disk has failed: open files stay
        /// open, and no file can be written or created.
        READ_ONLY("451 4.3.0", "openat,pwrite64,fdatasync,fsync,ftruncate,unlink", "EROFS") {
            @Override
            Stream<Path> files(PackagedServer server) {
                return Stream.concat(Stream.of(indexFile(server)), segmentsToCome(server));
            }
        };

        private final String reply;
        private final String systemCalls;
        private final String error;

        Trouble(String reply, String systemCalls, String error) {
            this.reply = reply;
            this.systemCalls = systemCalls;
            this.error = error;
        }

        /// None for all.
        Stream<Path> files(PackagedServer server) {
            return Stream.of();
        }

        DiskTrouble begin(PackagedServer server) {
            return DiskTrouble.failing(systemCalls, error, server, files(server).toArray(Path[]::new));
        }

        String name(String message) {
            return name().toLowerCase(Locale.ROOT) + "." + message;
        }
    }

    /// A session is open and a delivery is under way when it begins. The far side answers while the
    /// outcome cannot be written down: it is kept, and not sent again.
    private void whileMailIsUnderWay(Trouble trouble, PackagedServer server, SmtpSink far) {
        far.change(script -> script.on(SinkPhase.FINAL_DOT, SinkAction.usual().holds()));
        assertThat(send(server, trouble.name("under-way")).code()).as(trouble.name()).isEqualTo(250);
        eventually().until(() -> Queue.of(server).status().path("destinations").path(0).path("running").asInt() == 1);
        int logged = server.log().length();
        try (var open = SmtpTalker.introducedTo(server.smtp())) {
            try (var disk = bench.keep(trouble.begin(server))) {
                assertThat(send(open, "refused1").toString()).as(trouble.name()).startsWith(trouble.reply);
                open.must(250, "NOOP");
                assertThat(send(server, "refused2").code()).isIn(451, 452);
                far.release();
                eventually().untilAsserted(
                        () -> assertThat(delivered(far)).contains(trouble.name("under-way") + "@x"));
                assertThat(send(open, "refused3").code()).isIn(451, 452);
                assertThat(server.log().substring(logged)).contains("event=log-failed");
                assertThat(troubles(server)).as("what the status says of " + trouble).contains("log");
                assertThat(Queue.of(server).status().path("trouble").toString()).contains("since")
                        .contains("new mail is refused with " + trouble.reply.substring(0, 3) + " until");
                assertThat(disk.met()).isPositive();
            }
            eventually().untilAsserted(() -> assertThat(send(open, trouble.name("after")).code())
                    .as("the same session after " + trouble).isEqualTo(250));
            eventually().untilAsserted(() -> assertThat(troubles(server)).as("after " + trouble).isEmpty());
        }
    }

    private void onlyTheAcknowledgedArrivesOnce(PackagedServer server, SmtpSink far) {
        eventually().until(() -> Queue.of(server).isEmpty());
        assertThat(delivered(far)).containsExactlyInAnyOrderElementsOf(acknowledged);
        assertThat(server.mail().count("alice@here.example")).as("bounces for our own trouble").isZero();
        assertThat(Queue.of(server).status().path("corrupt").asInt()).isZero();
    }

    private static List<String> troubles(PackagedServer server) {
        return Queue.of(server).status().path("trouble").valueStream().map(each -> each.path("what").asString())
                .toList();
    }

    private static Settings settings(SmtpSink far) {
        return Settings.quick().route("far.example", far);
    }

    private static List<String> delivered(SmtpSink far) {
        return far.messages().stream().map(ReceivedMessage::id).toList();
    }

    private CompletableFuture<SmtpReply> sending(PackagedServer server, String name) {
        var answer = new CompletableFuture<SmtpReply>().orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        Thread.startVirtualThread(() -> {
            try {
                answer.complete(send(server, name));
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        return answer;
    }

    private SmtpReply send(PackagedServer server, String name) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            talk.socket().setSoTimeout(PATIENCE_MILLIS);
            return send(talk, name);
        } catch (SocketException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private SmtpReply send(SmtpTalker talk, String name) {
        var answer = talk.send(OutgoingMessage.of(name + "@x", "alice@here.example", "friend@far.example"));
        if (answer.code() == 250) {
            acknowledged.add(name + "@x");
        } else {
            // The refusal may have come before the final dot or behind it.
            talk.must(250, "RSET");
        }
        return answer;
    }

    private static Path indexFile(PackagedServer server) {
        return server.home().resolve("spool/index.mv.db");
    }

    private static Stream<Path> segmentsToCome(PackagedServer server) {
        return IntStream.rangeClosed(1, SEGMENTS_TO_COME)
                .mapToObj(number -> server.home().resolve("spool/log/%010d.segment".formatted(number)));
    }

    private static long logBytes(PackagedServer server) {
        return Folders.sizeBytes(server.home().resolve("spool/log"));
    }
}
