package org.slipstream.it;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.HeapFiller;
import org.slipstream.it.fixture.MailAccount;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.TestCertificates;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.PackagedServer.Launch;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.security.cert.CertificateExpiredException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The server's own means run out: descriptors, heap, the validity of its certificate. None of it is
/// the fault of a sender: mail is refused for a time or waits, and nothing acknowledged is lost.
@RequiresPrograms({"prlimit", "mkfifo"})
class LocalTroubleIT {
    private static final String FAR = "far.example";
    private static final String FRESH = "fresh.example";
    private static final int MESSAGES = 20;
    /// A full heap slows everything, so more outcomes wait for their sync than usual.
    private static final int UNRECORDED = 200;
    private static final int FREE_DESCRIPTORS = 8;
    private static final int CLIENTS = 40;
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    @Tag("PF-16")
    void outOfDescriptors() throws IOException {
        var far = bench.smtpSink();
        var fresh = bench.smtpSink();
        var server = bench.server(Settings.quick().route(FAR, far).route(FRESH, fresh)
                .set("concurrency.transport-retry", "1s"));
        var account = MailAccount.of("descriptors", far, fresh);
        account.send(server, FAR);
        account.ends(server, 0);
        long before = server.openFiles();
        try (var session = SmtpTalker.introducedTo(server.smtp())) {
            limitOpenFiles(server, before + FREE_DESCRIPTORS);
            var crowd = crowd(server);
            eventually().until(() -> server.log().contains("event=accept-failed"));
            for (int i = 0; i < MESSAGES; i++) {
                var reply = account.offer(session, account.message(i % 2 == 0 ? FAR : FRESH, 1, 1));
                assertThat(reply.code()).as("%s", reply).isIn(250, 421, 451, 452);
            }
            eventually().until(() -> server.log().lines()
                    .anyMatch(line -> line.contains("@" + FRESH) && line.contains("result=deferred")));
            crowd.forEach(SmtpTalker::close);
        }
        eventually().ignoreExceptions().untilAsserted(() -> account.send(server, FAR));
        limitOpenFiles(server, 4 * before);
        account.ends(server, 0);
        assertThat(account.acknowledged()).as("a session goes on without descriptors").isGreaterThan(1);
        assertThat(server.log().lines().filter(line -> line.contains("event=accept-failed")).count())
                .as("told once a second").isLessThan(200);
    }

    private static List<SmtpTalker> crowd(PackagedServer server) {
        var crowd = new ArrayList<SmtpTalker>();
        for (int i = 0; i < CLIENTS; i++) {
            crowd.add(SmtpTalker.to(server.smtp()));
        }
        return crowd;
    }

    /// The soft limit, so that a test that is not root may do it.
    private static void limitOpenFiles(PackagedServer server, long most) {
        ProgramRun.of("prlimit", "--pid", String.valueOf(server.pid()), "--nofile=" + most + ":").mustSucceed();
    }

    /// The virtual machine ends itself, because a program without memory is in no known state. Its
    /// service manager starts it again.
    @Test
    void outOfHeap() throws Exception {
        var folder = bench.folder();
        var agent = folder.resolve("heap-filler.jar");
        var pipe = folder.resolve("fill");
        HeapFiller.writeTo(agent);
        ProgramRun.of("mkfifo", pipe.toString()).mustSucceed();
        var far = bench.smtpSink();
        var server = bench.server(Settings.quick().route(FAR, far),
                Launch.withJavaOptions("-Xmx96m -javaagent:" + agent + "=" + pipe));
        var account = MailAccount.of("heap", far);
        try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
            IntStream.range(0, 4).forEach(_ -> clients.submit(() -> sendUntilItEnds(account, server)));
            eventually().until(() -> account.acknowledged() > MESSAGES);
            Files.writeString(pipe, "!");
            eventually().until(() -> !server.isAlive());
        }
        assertThat(server.stop()).as("SIGABRT, which a service manager takes for a fault").isEqualTo(134);
        server.startAgain();
        account.ends(server, UNRECORDED);
        assertThat(account.acknowledged()).isGreaterThan(MESSAGES);
    }

    private static void sendUntilItEnds(MailAccount account, PackagedServer server) {
        try (var session = SmtpTalker.introducedTo(server.smtp())) {
            while (server.isAlive()) {
                account.offer(session, account.message(FAR, 1, 1));
            }
        } catch (UncheckedIOException | AssertionError ended) {
            // The end of the server is the fault of this story.
        }
    }

    /// A client that does not check the certificate continues, as most mail servers do; the operator
    /// is told.
    @Test
    void theOwnCertificateHasExpired() throws IOException {
        var folder = bench.folder();
        TestCertificates.writeExpired("mail.here.example", folder.resolve("own.crt"), folder.resolve("own.key"));
        var far = bench.smtpSink();
        var server = bench.server(Settings.quick().route(FAR, far)
                .set("tls.certificate", folder.resolve("own.crt").toString())
                .set("tls.key", folder.resolve("own.key").toString()));
        var account = MailAccount.of("own-certificate", far);
        try (var session = SmtpTalker.introducedTo(server.smtp())) {
            var shown = session.startTls();
            assertThatThrownBy(shown::checkValidity).isInstanceOf(CertificateExpiredException.class);
            session.must(250, "EHLO client.example");
            assertThat(account.offer(session, account.message(FAR, 1, 1)).code()).isEqualTo(250);
        }
        account.ends(server, 0);
        assertThat(server.log()).contains("event=certificate-expired file=" + folder.resolve("own.crt"));
    }
}
