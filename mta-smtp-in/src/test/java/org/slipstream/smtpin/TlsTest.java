package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.smtpin.protocol.ServicePolicy;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class TlsTest {
    private static final int RECORD = 16_384;

    private final SSLContext context = Certificates.mx();
    private final CollectedMessages messages = new CollectedMessages();

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void mailComesInOverTls(String version) throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            assertThat(client.ask("EHLO client.example")).endsWith("\n250 STARTTLS");
            assertThat(client.ask("STARTTLS")).isEqualTo("220 2.0.0 Ready to start TLS");
            upgrade(client, version);
            assertThat(client.ask("EHLO secret.example")).doesNotContain("STARTTLS").endsWith("ENHANCEDSTATUSCODES");
            assertThat(ListenerTest.send(client, "text\r\n")).startsWith("250 2.0.0");
            assertThat(client.ask("QUIT")).startsWith("221 2.0.0");
            assertThat(client.isClosedInOrder()).isTrue();
            CollectedMessages.Accepted mail = messages.accepted.take();
            assertThat(mail.client().tls().orElse("")).startsWith(version + " TLS_");
            assertThat(mail.content()).contains("from secret.example ").contains(" with ESMTPS id ");
        }
    }

    @Test
    void clearTextStateIsForgottenAfterTls() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("MAIL FROM:<a@x.example>");
            client.ask("STARTTLS");
            upgrade(client, "TLSv1.3");
            assertThat(client.ask("RCPT TO:<b@y.example>")).startsWith("503 5.5.1");
            assertThat(client.ask("MAIL FROM:<a@x.example>")).startsWith("503 5.5.1");
            assertThat(client.ask("STARTTLS")).startsWith("503 5.5.1");
            assertThat(client.ask("EHLO client.example")).startsWith("250-mx.test");
        }
    }

    @Test
    void commandsInjectedBehindStarttlsAreNotExecuted() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.send("STARTTLS\r\nMAIL FROM:<injected@x.example>\r\n");
            assertThat(client.reply()).startsWith("554 5.5.0");
            assertThat(client.isClosedInOrder()).isTrue();
        }
    }

    @Test
    void clearTextInsteadOfAHandshakeClosesTheSession() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            client.send("MAIL FROM:<a@x.example>\r\nRCPT TO:<b@y.example>\r\nDATA\r\n.\r\n");
            String rest = everythingFrom(client.socket());
            assertThat(rest).doesNotContain("250").doesNotContain("354");
            assertThat(messages.drafts).hasValue(0);
        }
    }

    @Test
    void aHandshakeThatStallsEnds() throws Exception {
        ListenerConfig config = Ports.with(Ports.config().withTls(context), "idle", 2000);
        try (SmtpListener listener = Ports.started(config, messages); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            everythingFrom(client.socket());
        }
    }

    /// A record whose octets come one by one never lets a timeout of the socket pass.
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void aRecordThatDripsMeetsTheTimeout(String version) throws Exception {
        ListenerConfig config = Ports.with(Ports.config().withTls(context), "idle", 3000);
        try (SmtpListener listener = Ports.started(config, messages); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            Socket tcp = client.socket();
            upgrade(client, version);
            client.ask("EHLO client.example");
            drip(tcp, 23);
            assertThat(client.reply()).isEqualTo("421 4.4.2 mx.test Timeout exceeded");
        }
    }

    @Test
    void aRecordThatDripsInDataIsTooSlow() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config().withTls(context), messages, Duration.ofMillis(300));
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            Socket tcp = client.socket();
            upgrade(client, "TLSv1.3");
            ListenerTest.beginData(client);
            drip(tcp, 23);
            assertThat(client.reply()).isEqualTo("421 4.4.2 mx.test Timeout exceeded");
            await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 0);
        }
    }

    @Test
    void aRecordThatDripsAfterTheLastReplyDoesNotHoldTheConnection() throws Exception {
        ListenerConfig config = Ports.with(Ports.config().withTls(context), "errors", 1);
        try (SmtpListener listener = Ports.started(config, messages); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            Socket tcp = client.socket();
            upgrade(client, "TLSv1.3");
            client.ask("WHAT");
            assertThat(client.reply()).startsWith("421 4.7.0");
            assertThatThrownBy(() -> {
                tcp.getOutputStream().write(new byte[]{23, 3, 3, 64, 0});
                for (int i = 0; i < RECORD; i++) {
                    tcp.getOutputStream().write('x');
                    LockSupport.parkNanos(1_000_000);
                }
            }).isInstanceOf(IOException.class);
        }
    }

    /// Each octet comes within the limit, all of them together do not.
    @Test
    void aHandshakeThatDripsEnds() throws Exception {
        ListenerConfig config = Ports.with(Ports.config().withTls(context), "idle", 3000);
        try (SmtpListener listener = Ports.started(config, messages); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            assertThat(drip(client.socket(), 22)).as("octets that the server read").isLessThan(RECORD);
            assertThat(everythingFrom(client.socket())).isIn("", "(reset)");
        }
    }

    /// Sends one record of 16 KiB, octet by octet, until the server replies or closes. A server that
    /// has replied reads on for a short time only and then closes with a reset. On a busy machine
    /// that can happen between the look for a reply and the next octet, which then fails with
    /// "Broken pipe". The reply can be read all the same.
    ///
    /// @return how many octets of the record were sent
    private static int drip(Socket tcp, int type) throws IOException {
        tcp.getOutputStream().write(new byte[]{(byte) type, 3, 3, 64, 0});
        int sent = 0;
        try {
            while (sent < RECORD && tcp.getInputStream().available() == 0) {
                tcp.getOutputStream().write('x');
                sent++;
                LockSupport.parkNanos(1_000_000);
            }
        } catch (SocketException closed) {
            // By the server.
        }
        return sent;
    }

    @Test
    void aClientMayNotRenegotiate() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            upgrade(client, "TLSv1.2");
            assertThat(client.ask("EHLO client.example")).startsWith("250");
            assertThatThrownBy(() -> {
                ((SSLSocket) client.socket()).startHandshake();
                throw new AssertionError(client.ask("NOOP"));
            }).isInstanceOfAny(IOException.class, UncheckedIOException.class);
        }
    }

    /// TLS 1.3 has new keys instead, and those cost little.
    @Test
    void aClientMayChangeItsKeys() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            upgrade(client, "TLSv1.3");
            assertThat(client.ask("EHLO client.example")).startsWith("250");
            ((SSLSocket) client.socket()).startHandshake();
            assertThat(client.ask("NOOP")).startsWith("250");
        }
    }

    @Test
    void cipherSuitesWithCbcAreNotSpoken() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(client.socket(), "mx.test",
                    client.socket().getPort(), true);
            tls.setEnabledProtocols(new String[]{"TLSv1.2"});
            tls.setEnabledCipherSuites(Arrays.stream(tls.getEnabledCipherSuites())
                    .filter(suite -> suite.contains("_CBC_")).toArray(String[]::new));
            assertThat(tls.getEnabledCipherSuites()).isNotEmpty();
            assertThatThrownBy(tls::startHandshake).isInstanceOf(IOException.class);
        }
    }

    @Test
    void starttlsTakesNoArgument() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            assertThat(client.ask("STARTTLS now")).startsWith("501 5.5.4");
            assertThat(client.ask("NOOP")).startsWith("250");
        }
    }

    @Test
    void oldVersionsAreRefused() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            assertThatThrownBy(() -> upgrade(client, "TLSv1.1")).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aMegabyteOverTlsComesOutWhole() throws Exception {
        try (SmtpListener listener = listener(); SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            upgrade(client, "TLSv1.3");
            client.ask("EHLO client.example");
            String content = ("0123456789abcdef".repeat(4) + "\r\n").repeat(16_000);
            assertThat(ListenerTest.send(client, content)).startsWith("250");
            assertThat(messages.accepted.take().asSent()).isEqualTo(content);
        }
    }

    @Test
    void theIdleInTlsAreToldAtStop() throws Exception {
        SmtpListener listener = listener();
        try (SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            upgrade(client, "TLSv1.3");
            client.ask("EHLO client.example");
            listener.stop(Duration.ofSeconds(20));
            assertThat(client.reply()).startsWith("421 4.3.2");
        }
    }

    @Test
    void aClientThatDisappearsInDataOverTlsLeavesNothing() throws Exception {
        try (SmtpListener listener = listener()) {
            try (SmtpTalker client = Ports.greeted(listener)) {
                Socket tcp = client.socket();
                client.ask("EHLO client.example");
                client.ask("STARTTLS");
                upgrade(client, "TLSv1.3");
                ListenerTest.beginData(client);
                client.send("half a mess");
                await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 1);
                tcp.close();
            }
            await().atMost(Duration.ofSeconds(90)).until(() -> messages.openDrafts.get() == 0);
            assertThat(messages.accepted).isEmpty();
        }
    }

    @Test
    void aRenewedCertificateCountsFromTheNextHandshake() throws Exception {
        AtomicReference<SSLContext> current = new AtomicReference<>(Certificates.mx());
        try (SmtpListener listener = Ports.started(Ports.config().withTls(current::get), messages)) {
            assertThat(shown(listener, Certificates.mx(), "mx.test")).isEqualTo("CN=mx.test");
            current.set(Certificates.both());
            assertThat(shown(listener, Certificates.both(), "two.test")).isEqualTo("CN=two.test");
        }
    }

    @Test
    void aClientGetsTheCertificateItAsksFor() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config().withTls(Certificates.both()), messages)) {
            assertThat(shown(listener, Certificates.both(), "one.test")).isEqualTo("CN=one.test");
            assertThat(shown(listener, Certificates.both(), "two.test")).isEqualTo("CN=two.test");
        }
    }

    @Test
    void aServiceThatNeedsTlsDoesNotStartWithout() {
        assertThatThrownBy(() -> Ports.started(Ports.config().withService(ServicePolicy.submissions()), messages))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("submissions needs TLS");
    }

    @Test
    void garbageOnTheImplicitPortDisturbsNoOtherSession() throws Exception {
        ListenerConfig config = Ports.config().withTls(context)
                .withService(ServicePolicy.mx().withTls(true, true));
        try (SmtpListener listener = Ports.started(config, messages)) {
            try (SmtpTalker garbage = Ports.client(listener)) {
                garbage.send("EHLO clear.example\r\n\0\1\2\3\377");
                assertThat(everythingFrom(garbage.socket())).doesNotContain("250");
            }
            try (SmtpTalker client = Ports.client(listener)) {
                upgrade(client, "TLSv1.3");
                assertThat(client.reply()).startsWith("220 ");
                assertThat(client.ask("EHLO client.example")).doesNotContain("STARTTLS");
                assertThat(ListenerTest.send(client, "text\r\n")).startsWith("250");
                assertThat(messages.accepted.take().content()).contains(" with ESMTPS id ");
            }
        }
    }

    /// A login whose channel binding is what the client's end computes.
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void aLoginIsBoundToItsChannel(String version) throws Exception {
        Stage stage = new Stage(java.util.List.of("service=submission", "tls=1"));
        try (SmtpListener listener = Ports.started(stage.config(), stage.services());
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            upgrade(client, version);
            assertThat(client.ask("EHLO client.example")).contains("AUTH SCRAM-SHA-256-PLUS SCRAM-SHA-256 PLAIN");
            ExtendedSSLSession tls = (ExtendedSSLSession) ((SSLSocket) client.socket()).getSession();
            byte[] exporter = tls.exportKeyingMaterialData("EXPORTER-Channel-Binding", new byte[0], 32);
            byte[] endPoint = MessageDigest.getInstance("SHA-256").digest(tls.getPeerCertificates()[0].getEncoded());
            byte[] other = exporter.clone();
            other[0] ^= 1;
            assertThat(plus(client, "tls-exporter", other)).startsWith("535 5.7.8");
            assertThat(plus(client, "tls-unique", exporter)).startsWith("535 5.7.8");
            // The certificate of a P-384 key is signed with another hash; ours is SHA-256 or
            // SHA-384.
            String signature = ((java.security.cert.X509Certificate) tls.getPeerCertificates()[0]).getSigAlgName();
            byte[] hashed = signature.startsWith("SHA384")
                    ? MessageDigest.getInstance("SHA-384").digest(tls.getPeerCertificates()[0].getEncoded())
                    : endPoint;
            assertThat(plus(client, "tls-exporter", exporter)).startsWith("235 2.7.0");
            client.ask("RSET");
            try (SmtpTalker second = Ports.greeted(listener)) {
                second.ask("EHLO client.example");
                second.ask("STARTTLS");
                upgrade(second, version);
                second.ask("EHLO client.example");
                assertThat(plus(second, "tls-server-end-point", hashed)).startsWith("235 2.7.0");
            }
        }
    }

    private static String plus(SmtpTalker client, String binding, byte[] value) throws IOException {
        ScramClient scram = new ScramClient("alice", "secret", "p=" + binding + ",,", value);
        String challenge = client.ask("AUTH SCRAM-SHA-256-PLUS " + scram.first());
        if (!challenge.startsWith("334 ")) {
            return challenge;
        }
        String proof = client.ask(scram.last(challenge.substring(4)));
        if (!proof.startsWith("334 ")) {
            return proof;
        }
        assertThat(scram.isServerRight(proof.substring(4))).as("the server knows the password too").isTrue();
        return client.ask("");
    }

    private static String shown(SmtpListener listener, SSLContext trusting, String name) throws Exception {
        try (SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            client.ask("STARTTLS");
            SSLSocket tls = (SSLSocket) trusting.getSocketFactory().createSocket(client.socket(), name,
                    client.socket().getPort(), true);
            SSLParameters parameters = tls.getSSLParameters();
            parameters.setServerNames(java.util.List.of(new SNIHostName(name)));
            tls.setSSLParameters(parameters);
            tls.startHandshake();
            return tls.getSession().getPeerPrincipal().getName();
        }
    }

    private SmtpListener listener() throws IOException {
        return Ports.started(Ports.config().withTls(context), messages);
    }

    private void upgrade(SmtpTalker client, String version) throws IOException {
        SSLSocket tls = (SSLSocket) context.getSocketFactory().createSocket(client.socket(), "mx.test",
                client.socket().getPort(), true);
        tls.setEnabledProtocols(new String[]{version});
        tls.startHandshake();
        client.continueOn(tls);
    }

    private static String everythingFrom(Socket socket) throws IOException {
        StringBuilder all = new StringBuilder();
        try {
            for (int b = socket.getInputStream().read(); b >= 0; b = socket.getInputStream().read()) {
                all.append((char) b);
            }
        } catch (SocketException reset) {
            all.append("(reset)");
        }
        return all.toString();
    }
}
