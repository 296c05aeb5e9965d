package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Outcome;
import org.slipstream.smtpout.auth.Credentials;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.Sources;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.TestCertificates;
import org.slipstream.testkit.Transcript;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.smtpout.Post.transfer;
import static org.slipstream.testkit.Transcript.BYE;
import static org.slipstream.testkit.Transcript.TAKE;

/// A provider's relay: TLS from the first byte or by STARTTLS, a certificate that is checked, and a
/// password.
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

    /// For 127.0.0.1 and relay.example, signed by itself; a client that trusts it trusts nothing
    /// else.
    private static final SSLContext RELAY = TestCertificates.of("relay.example");

    private final EventLog events = new EventLog();
    private Optional<Carriers> carriers = Optional.empty();

    @AfterEach
    void stop() {
        carriers.ifPresent(Carriers::close);
    }

    @Test
    void mailGoesWithAPasswordUnderImplicitTls() {
        try (var server = tlsSink("TLS\n" + LOGIN + "S 235 2.7.0 welcome\n" + TAKE + BYE)) {
            open(server, new PeerPolicy(TlsPolicy.VERIFY, true, ALICE, false), Optional.of(RELAY.getSocketFactory()),
                    "127.0.0.1");
            delivers(server);
        }
    }

    /// The duration of an answer is the server's choice (SCRAM), so it must not hold a carrier of
    /// virtual threads.
    @Test
    void aLoginIsAnsweredOnAThreadOfItsOwn() {
        mailGoesWithAPasswordUnderImplicitTls();
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName).contains("out-login");
    }

    @Test
    void aCertificateOfAnUnknownAuthorityIsNotGoodEnoughWhereItIsChecked() {
        try (var server = tlsSink(STARTTLS.replaceFirst("TLS\n$", "NOTLS\n"))) {
            open(server, new PeerPolicy(TlsPolicy.VERIFY, false, ALICE, false), Optional.empty(), "127.0.0.1");
            assertThat(events.failed().reason().toString())
                    .startsWith("450 4.7.5 TLS is required for 127.0.0.1[127.0.0.1]:")
                    .contains(", but failed: its certificate ").doesNotContain("PKIX", "certificate_unknown");
            assertThat(server.connections()).as("no second call in the clear").isEqualTo(1);
        }
    }

    @Test
    void aCertificateForAnotherNameIsNotGoodEnoughEither() {
        try (var server = tlsSink(STARTTLS.replaceFirst("TLS\n$", "NOTLS\n"))) {
            open(server, new PeerPolicy(TlsPolicy.VERIFY, false, ALICE, false), Optional.of(RELAY.getSocketFactory()),
                    "other.example");
            assertThat(events.failed().reason().toString())
                    .startsWith("450 4.7.5 TLS is required for other.example[127.0.0.1]:");
        }
    }

    @Test
    void whereOnlyEncryptionIsDemandedAnyCertificateWillDo() {
        String encrypted = STARTTLS + "C EHLO me.example\nS 250-relay\nS 250 PIPELINING\n";
        try (var server = tlsSink(encrypted + TAKE + BYE)) {
            open(server, new PeerPolicy(TlsPolicy.ENCRYPT, false, Optional.empty(), false), Optional.empty(),
                    "x.example");
            delivers(server);
        }
    }

    @Test
    void withoutTlsThePasswordStaysHereAndTheMailWaits() {
        try (var server = SmtpSink.following(LOGIN.replaceFirst("C AUTH.*\n", "C QUIT\n"))) {
            open(server, new PeerPolicy(TlsPolicy.MAY, false, ALICE, false), Optional.empty(), "127.0.0.1");
            assertThat(events.failed().reason().toString()).startsWith("450 4.7.4 host 127.0.0.1[127.0.0.1]:")
                    .endsWith("the password is not sent without TLS");
        }
    }

    @Test
    void aWrongPasswordWaitsForTheOperator() {
        try (var server = SmtpSink.following(LOGIN + "S 535 5.7.8 wrong\nC QUIT\n")) {
            open(server, new PeerPolicy(TlsPolicy.NONE, false, ALICE, true), Optional.empty(), "127.0.0.1");
            assertThat(events.failed().reason().toString()).startsWith("450 4.7.8 host 127.0.0.1[127.0.0.1]:")
                    .endsWith(": 535 5.7.8 wrong");
        }
    }

    @Test
    void connectionsComeFromTheAddressThatIsConfigured() {
        Sources sources = new Sources(Optional.of((Inet4Address) InetAddress.ofLiteral("127.0.0.7")), Optional.empty());
        try (var server = SmtpSink.following(Transcript.HELLO + TAKE + BYE)) {
            ClientConfig config = Post.patient().withPeers(new Peers(Map.of(), sources, 250, Optional.empty()));
            carriers = Optional.of(new Carriers(config, events));
            carriers.get().open(1, Post.route(server), false);
            delivers(server);
            assertThat(server.clients()).containsExactly("127.0.0.7");
        }
    }

    /// An address that this machine does not have is a failure of this server: the host was not
    /// called.
    @Test
    void aSourceAddressThatIsNotHereIsNoFailureOfTheHost() {
        Sources sources = new Sources(Optional.of((Inet4Address) InetAddress.ofLiteral("192.0.2.7")), Optional.empty());
        try (var server = SmtpSink.following(Transcript.HELLO)) {
            ClientConfig config = Post.patient().withPeers(new Peers(Map.of(), sources, 250, Optional.empty()));
            carriers = Optional.of(new Carriers(config, events));
            carriers.get().open(1, Post.route(server), false);
            assertThat(events.failed().ours()).isTrue();
            assertThat(events.failed().remote()).isEqualTo("local");
            assertThat(events.failed().reason().toString())
                    .startsWith("451 4.3.0 cannot connect to 127.0.0.1[127.0.0.1]:")
                    .endsWith(": Cannot assign requested address");
            assertThat(server.connections()).isZero();
        }
    }

    private void open(SmtpSink server, PeerPolicy policy, Optional<SSLSocketFactory> trust, String name) {
        String nextHop = "[" + name + "]:" + server.port();
        ClientConfig config = Post.patient()
                .withPeers(new Peers(Map.of(nextHop, policy), Sources.ANY, 250, trust));
        carriers = Optional.of(new Carriers(config, events));
        carriers.get().open(1, new Route.Smtp(nextHop,
                List.of(new Route.Host(name, server.port(), 0, List.of("127.0.0.1")))), false);
    }

    private static SmtpSink tlsSink(String transcript) {
        return SmtpSink.start(Transcript.of(transcript).withTls(RELAY));
    }

    private void delivers(SmtpSink server) {
        events.ready();
        Post.deliver(carriers.orElseThrow(), 1, transfer(1));
        assertThat(events.outcome(1)).isInstanceOf(Outcome.Delivered.class);
        assertThat(server.contents()).containsExactly(Post.LETTER);
    }
}
