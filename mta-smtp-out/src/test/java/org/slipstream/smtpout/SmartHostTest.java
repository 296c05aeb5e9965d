package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Outcome;
import org.slipstream.core.Route;
import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.Sources;

import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.smtpout.ScriptedServer.BYE;
import static org.slipstream.smtpout.ScriptedServer.TAKE;

/// A provider's relay: TLS from the first byte or by STARTTLS, a certificate that is checked, and a password.
class SmartHostTest {
    private static final Optional<Credentials> ALICE = Optional.of(new Credentials("alice", "s3cret"));
    private static final String LOGIN = """
            S 220 relay
            C EHLO me.example
            S 250-relay
            S 250-PIPELINING
            S 250 AUTH LOGIN PLAIN
            C AUTH PLAIN AGFsaWNlAHMzY3JldA==
            """;
    private static final String STARTTLS = """
            S 220 relay
            C EHLO me.example
            S 250-relay
            S 250 STARTTLS
            C STARTTLS
            S 220 go
            TLS
            """;

    @TempDir
    private static Path keys;
    private static SSLSocketFactory relay;
    private static SSLSocketFactory trusting;

    private final EventLog events = new EventLog();
    private Optional<Carriers> carriers = Optional.empty();

    /// A certificate for 127.0.0.1 and relay.example, self-signed, and trusted alone.
    @BeforeAll
    static void makeKey() throws Exception {
        Path store = keys.resolve("keys.p12");
        Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair", "-alias", "relay", "-keyalg", "EC", "-dname", "CN=relay.example", "-ext",
                "SAN=ip:127.0.0.1,dns:relay.example", "-storetype", "PKCS12", "-keystore", store.toString(),
                "-storepass", "secret").redirectErrorStream(true).start();
        keytool.getInputStream().readAllBytes();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        KeyStore loaded = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            loaded.load(in, "secret".toCharArray());
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(loaded, "secret".toCharArray());
        SSLContext ofRelay = SSLContext.getInstance("TLS");
        ofRelay.init(managers.getKeyManagers(), null, null);
        relay = ofRelay.getSocketFactory();
        KeyStore known = KeyStore.getInstance("PKCS12");
        known.load(null, null);
        known.setCertificateEntry("relay", loaded.getCertificate("relay"));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(known);
        SSLContext ofUs = SSLContext.getInstance("TLS");
        ofUs.init(null, trust.getTrustManagers(), null);
        trusting = ofUs.getSocketFactory();
    }

    @AfterEach
    void stop() {
        carriers.ifPresent(Carriers::close);
    }

    @Test
    void mailGoesWithAPasswordUnderImplicitTls() {
        try (var server = ScriptedServer.withTls(relay, "TLS\n" + LOGIN + "S 235 2.7.0 welcome\n" + TAKE + BYE)) {
            open(server, new PeerPolicy(TlsPolicy.VERIFY, true, ALICE, false), Optional.of(trusting), "127.0.0.1");
            delivers(server);
        }
    }

    /// How long an answer takes is the server's choice (SCRAM), and a carrier of virtual threads is not
    /// its to keep.
    @Test
    void aLoginIsAnsweredOnAThreadOfItsOwn() {
        mailGoesWithAPasswordUnderImplicitTls();
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName).contains("out-login");
    }

    @Test
    void aCertificateOfAnUnknownAuthorityIsNotGoodEnoughWhereItIsChecked() {
        try (var server = ScriptedServer.withTls(relay, STARTTLS.replaceFirst("TLS\n$", "NOTLS\n"))) {
            open(server, new PeerPolicy(TlsPolicy.VERIFY, false, ALICE, false), Optional.empty(), "127.0.0.1");
            assertThat(events.failed().reason().toString())
                    .startsWith("450 4.7.5 TLS is required for 127.0.0.1[127.0.0.1]:")
                    .contains(", but failed: ");
            assertThat(server.connections()).as("no second call in the clear").isEqualTo(1);
        }
    }

    @Test
    void aCertificateForAnotherNameIsNotGoodEnoughEither() {
        try (var server = ScriptedServer.withTls(relay, STARTTLS.replaceFirst("TLS\n$", "NOTLS\n"))) {
            open(server, new PeerPolicy(TlsPolicy.VERIFY, false, ALICE, false), Optional.of(trusting), "other.example");
            assertThat(events.failed().reason().toString())
                    .startsWith("450 4.7.5 TLS is required for other.example[127.0.0.1]:");
        }
    }

    @Test
    void whereOnlyEncryptionIsDemandedAnyCertificateWillDo() {
        String encrypted = STARTTLS + "C EHLO me.example\nS 250-relay\nS 250 PIPELINING\n";
        try (var server = ScriptedServer.withTls(relay, encrypted + TAKE + BYE)) {
            open(server, new PeerPolicy(TlsPolicy.ENCRYPT, false, Optional.empty(), false), Optional.empty(),
                    "x.example");
            delivers(server);
        }
    }

    @Test
    void withoutTlsThePasswordStaysHereAndTheMailWaits() {
        try (var server = ScriptedServer.of(LOGIN.replaceFirst("C AUTH.*\n", "C QUIT\n"))) {
            open(server, new PeerPolicy(TlsPolicy.MAY, false, ALICE, false), Optional.empty(), "127.0.0.1");
            assertThat(events.failed().reason().toString()).startsWith("450 4.7.4 host 127.0.0.1[127.0.0.1]:")
                    .endsWith("the password is not sent without TLS");
        }
    }

    @Test
    void aWrongPasswordWaitsForTheOperator() {
        try (var server = ScriptedServer.of(LOGIN + "S 535 5.7.8 wrong\nC QUIT\n")) {
            open(server, new PeerPolicy(TlsPolicy.NONE, false, ALICE, true), Optional.empty(), "127.0.0.1");
            assertThat(events.failed().reason().toString()).startsWith("450 4.7.8 host 127.0.0.1[127.0.0.1]:")
                    .endsWith(": 535 5.7.8 wrong");
        }
    }

    @Test
    void connectionsComeFromTheAddressThatIsConfigured() {
        Sources sources = new Sources(Optional.of((Inet4Address) InetAddress.ofLiteral("127.0.0.7")), Optional.empty());
        try (var server = ScriptedServer.of(ScriptedServer.HELLO + TAKE + BYE)) {
            ClientConfig config = Post.patient().withPeers(new Peers(Map.of(), sources, 250, Optional.empty()));
            carriers = Optional.of(new Carriers(config, events));
            carriers.get().open(1, server.route(), false);
            delivers(server);
            assertThat(server.clients()).containsExactly("127.0.0.7");
        }
    }

    /// An address that this machine does not have is a failure of this server: the host was not called.
    @Test
    void aSourceAddressThatIsNotHereIsNoFailureOfTheHost() {
        Sources sources = new Sources(Optional.of((Inet4Address) InetAddress.ofLiteral("192.0.2.7")), Optional.empty());
        try (var server = ScriptedServer.of(ScriptedServer.HELLO)) {
            ClientConfig config = Post.patient().withPeers(new Peers(Map.of(), sources, 250, Optional.empty()));
            carriers = Optional.of(new Carriers(config, events));
            carriers.get().open(1, server.route(), false);
            assertThat(events.failed().ours()).isTrue();
            assertThat(events.failed().remote()).isEqualTo("local");
            assertThat(events.failed().reason().toString())
                    .startsWith("451 4.3.0 cannot connect to 127.0.0.1[127.0.0.1]:")
                    .endsWith(": Cannot assign requested address");
            assertThat(server.connections()).isZero();
        }
    }

    private void open(ScriptedServer server, PeerPolicy policy, Optional<SSLSocketFactory> trust, String name) {
        String nextHop = "[" + name + "]:" + server.port();
        ClientConfig config = Post.patient()
                .withPeers(new Peers(Map.of(nextHop, policy), Sources.ANY, 250, trust));
        carriers = Optional.of(new Carriers(config, events));
        carriers.get().open(1, new Route.Smtp(nextHop,
                List.of(new Route.Host(name, server.port(), 0, List.of("127.0.0.1")))), false);
    }

    private void delivers(ScriptedServer server) {
        events.ready();
        Post.deliver(carriers.orElseThrow(), 1, transfer(1));
        assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
        assertThat(server.contents()).containsExactly(Post.LETTER);
    }
}
