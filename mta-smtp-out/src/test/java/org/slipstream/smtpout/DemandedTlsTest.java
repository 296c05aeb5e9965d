package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slipstream.auth.dane.DaneCertificates;
import org.slipstream.auth.dane.TlsaRecord;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.core.TlsDemand;
import org.slipstream.smtpout.demand.TlsDemands;
import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.TlsCheck;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.TestAuthority;
import org.slipstream.testkit.TestCertificates;
import org.slipstream.testkit.Transcript;

import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Transcript.BYE;
import static org.slipstream.testkit.Transcript.TAKE;

/// The TLS that the owner of a domain demands of a host, and the sharing of connections.
class DemandedTlsTest {
    private static final String HELLO = """
            S 220 mx
            C EHLO me.example
            S 250-mx
            S 250 STARTTLS
            C STARTTLS
            S 220 go
            """;
    private static final String ENCRYPTED = HELLO + "TLS\nC EHLO me.example\nS 250-mx\nS 250 PIPELINING\n";
    private static final TestAuthority AUTHORITY = new TestAuthority("an authority");

    private final EventLog events = new EventLog();
    private Optional<Carriers> carriers = Optional.empty();

    @AfterEach
    void stop() {
        carriers.ifPresent(Carriers::close);
    }

    private void open(SmtpSink server, String name, TlsDemand demand) {
        Carriers opened = new Carriers(Post.patient(), events);
        carriers = Optional.of(opened);
        Route.Host host = new Route.Host(name, server.port(), 0, List.of("127.0.0.1"), demand);
        opened.open(1, new Route.Smtp("a.example", List.of(host)), false);
    }

    private static SmtpSink sink(SSLContext tls, String transcript) {
        return SmtpSink.start(Transcript.of(transcript).withTls(tls));
    }

    private static String digest(X509Certificate certificate) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
    }

    private static TlsDemand authority(TestAuthority of, String... names) throws Exception {
        return TlsDemand.dane(List.of(names), List.of("2 0 1 " + digest(of.certificate())));
    }

    private void refuses(SSLContext served, TlsDemand demand, String words) {
        try (var server = sink(served, HELLO + "NOTLS\n")) {
            open(server, "mx.a.example", demand);
            assertThat(events.failed().reason().toString()).startsWith("450 4.7.5 TLS is required by ")
                    .contains(words);
            assertThat(server.connections()).as("no second call in the clear").isEqualTo(1);
        }
    }

    private void accepts(SSLContext served, TlsDemand demand) {
        try (var server = sink(served, ENCRYPTED + TAKE + BYE)) {
            open(server, "mx.a.example", demand);
            events.ready();
            Post.deliver(carriers.orElseThrow(), 1, Post.transfer(1));
        }
    }

    @Test
    void aHostUnderMtaStsNeedsACertificateOfAKnownAuthority() {
        refuses(AUTHORITY.serving("mx.a.example"), TlsDemand.STS, "by MTA-STS for mx.a.example[127.0.0.1]:");
    }

    @Test
    void aHostUnderMtaStsThatOffersNoTlsGetsNoMail() {
        try (var server = SmtpSink.following("S 220 mx\nC EHLO me.example\nS 250 mx\nC QUIT\n")) {
            open(server, "mx.a.example", TlsDemand.STS);
            assertThat(events.failed().reason().code()).isEqualTo(450);
        }
    }

    @Test
    void anAuthorityInDnsVouchesForAHostByItsName() throws Exception {
        accepts(AUTHORITY.serving("mx.a.example"), authority(AUTHORITY, "mx.a.example"));
    }

    @Test
    void anAuthorityInDnsDoesNotVouchForAnotherName() throws Exception {
        refuses(AUTHORITY.serving("other.example"), authority(AUTHORITY, "mx.a.example"),
                "by DANE for mx.a.example[127.0.0.1]:");
    }

    @Test
    void anAuthorityInDnsDoesNotVouchForAnExpiredCertificate() throws Exception {
        refuses(AUTHORITY.serving("mx.a.example", Duration.ofDays(-3), Duration.ofDays(-1)),
                authority(AUTHORITY, "mx.a.example"), "by DANE");
    }

    @Test
    void anotherAuthorityThanThatInDnsIsRefused() throws Exception {
        refuses(new TestAuthority("an authority").serving("mx.a.example"), authority(AUTHORITY, "mx.a.example"),
                "none of the TLSA records names its certificate");
    }

    @Test
    void aCertificateThatDnsDoesNotNameIsRefused() {
        refuses(TestCertificates.of("mx.a.example"),
                TlsDemand.dane(List.of("mx.a.example"), List.of("3 1 1 " + "ab".repeat(32))),
                "none of the TLSA records names its certificate");
    }

    /// RFC 7672 section 3.1.1: DNS says which certificate it is, so neither its name nor its dates count.
    @Test
    void theOwnCertificateInDnsIsRightWhateverItsNameAndDates() throws Exception {
        X509Certificate own = AUTHORITY.certificate();
        Instant later = Instant.now().plus(Duration.ofDays(400));
        String key = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-512").digest(own.getPublicKey().getEncoded()));
        for (String record : List.of("3 0 1 " + digest(own), "3 1 2 " + key,
                "3 0 0 " + HexFormat.of().formatHex(own.getEncoded()))) {
            assertThat(DaneCertificates.refusal(TlsaRecord.usable(record).stream().toList(), List.of("mx.a.example"),
                    List.of(own), later)).as(record).isEmpty();
        }
        assertThat(DaneCertificates.refusal(TlsaRecord.usable("3 1 1 " + digest(own)).stream().toList(),
                List.of("mx.a.example"), List.of(own), later)).as("the digest of another thing").isPresent();
    }

    // ---- reports

    @Test
    void aHandshakeThatFailedIsToldOnceWhenTheMailGoesInTheClear() {
        List<TlsResult> told = Collections.synchronizedList(new ArrayList<>());
        TlsDemands demands = TlsDemands.none();
        demands.tellTo(outcome -> told.add(outcome.result()));
        try (var server = SmtpSink.following(HELLO + "DROP\n", """
                S 220 mx
                C EHLO me.example
                S 250-mx
                S 250-PIPELINING
                S 250 STARTTLS
                """ + BYE); var clear = new Carriers(Post.patient().withDemands(demands), events)) {
            clear.open(1, new Route.Smtp("a.example",
                    List.of(new Route.Host("mx.a.example", server.port(), 0, List.of("127.0.0.1")))), false);
            events.ready();
        }
        assertThat(told).containsExactly(TlsResult.VALIDATION_FAILURE);
    }

    // ---- sharing

    private static HostKey key(String domain, String name, TlsDemand demand) {
        Route.Host host = new Route.Host(name, 25, 0, List.of("192.0.2.1"), demand);
        return Post.patient().hostKey(new Route.Smtp(domain, List.of(host)), host);
    }

    @Test
    void aSiblingDomainOnTheSameHostSharesConnectionsOnlyUnderAnEqualDemand() {
        HostKey without = key("b.example", "mx.example", TlsDemand.NONE);
        HostKey sts = key("a.example", "mx.example", TlsDemand.STS);
        HostKey dane = key("c.example", "mx.example", dane("ab"));
        assertThat(List.of(without, sts, dane, key("d.example", "mx.example", dane("cd")),
                key("e.example", "mx.example", TlsDemand.ENCRYPT))).doesNotHaveDuplicates();
        assertThat(key("f.example", "mx.example", TlsDemand.STS)).isEqualTo(sts);
        assertThat(key("g.example", "mx.example", dane("ab"))).isEqualTo(dane);
        assertThat(HostKey.parse(dane.toString())).contains(dane);
    }

    /// A resumed session is not checked again.
    @Test
    void onlyEqualDemandsShareSessions() {
        assertThat(TlsCheck.dane(dane("ab")).sockets()).isSameAs(TlsCheck.dane(dane("ab")).sockets())
                .isNotSameAs(TlsCheck.dane(dane("cd")).sockets());
        SSLSocketFactory first = TlsCheck.dane(dane("ab")).sockets();
        for (int i = 0; i < 256; i++) {
            TlsCheck.dane(TlsDemand.dane(List.of("h" + i + ".example"), List.of("3 1 1 " + "ab".repeat(32))));
        }
        assertThat(TlsCheck.dane(dane("ab")).sockets()).as("their number is bounded").isNotSameAs(first);
    }

    @Test
    void underMtaStsTwoNamesOfOneAddressAreTwoHosts() {
        assertThat(key("a.example", "mx1.example", TlsDemand.STS))
                .isNotEqualTo(key("a.example", "mx2.example", TlsDemand.STS));
    }

    private static TlsDemand dane(String octet) {
        return TlsDemand.dane(List.of("mx.example"), List.of("3 1 1 " + octet.repeat(32)));
    }

    @Test
    void theDemandOfADomainDoesNotLowerTheOneOfTheOperator() {
        PeerPolicy set = new PeerPolicy(TlsPolicy.VERIFY, false, Optional.empty(), false);
        Route.Host host = new Route.Host("mx.example", 25, 0, List.of(), dane("ab"));
        Route.Smtp route = new Route.Smtp("a.example", List.of(host));
        assertThat(Peers.USUAL.policy(route, set).tls()).isEqualTo(TlsPolicy.VERIFY);
        assertThat(Peers.USUAL.policy(route, PeerPolicy.usual(true)).tls()).isEqualTo(TlsPolicy.DANE);
    }
}
