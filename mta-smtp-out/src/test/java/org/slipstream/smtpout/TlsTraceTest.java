package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.smtpout.TlsTrace.TracedTls;
import org.slipstream.smtpout.demand.FixedDane;
import org.slipstream.smtpout.demand.PolicyServer;
import org.slipstream.smtpout.demand.TlsDemands;
import org.slipstream.smtpout.host.HostFinder;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.TestAuthority;
import org.slipstream.testkit.TestCertificates;
import org.slipstream.testkit.Transcript;

import java.net.InetAddress;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Transcript.BYE;

/// The dialogue of `mta trace --tls` with hosts that are right, wrong and hostile.
@Timeout(90)
class TlsTraceTest {
    private static final long STEP_MILLIS = 20_000;
    private static final String HELLO = """
            S 220 mx ready
            C EHLO me.example
            S 250-mx
            S 250 STARTTLS
            C STARTTLS
            S 220 go
            """;
    private static final String ENCRYPTED = HELLO
            + "TLS\nC EHLO me.example\nS 250-mx\nS 250 PIPELINING\nC QUIT\nS 221 bye\nEOF\n";
    private static final SSLContext WEB = new TestAuthority("of the web").serving("localhost");
    private static final TestAuthority AUTHORITY = new TestAuthority("of the hosts");
    private static final HostFinder LOOPBACK = _ -> new HostFinder.HostAnswer.Found(
            List.of(InetAddress.getLoopbackAddress()));

    private final PolicyServer web = new PolicyServer(WEB);

    @AfterEach
    void stop() {
        web.close();
    }

    private static TlsTrace trace(TlsDemands demands, long stepMillis, Route.Host... hosts) {
        return new TlsTrace("me.example",
                _ -> new RouteFinder.Answer.Found(new Route.Smtp("a.example", List.of(hosts))), LOOPBACK, demands,
                stepMillis);
    }

    private TracedTls underPolicy(SmtpSink host) throws Exception {
        return trace(web.demands(WEB, AUTHORITY.trust(), _ -> {}), STEP_MILLIS,
                new Route.Host("mx.a.example", host.port(), 0)).domain("a.example");
    }

    private static TracedTls host(SmtpSink host) {
        return trace(TlsDemands.none(), STEP_MILLIS).host("mx.a.example", host.port());
    }

    private static SmtpSink sink(SSLContext served, String transcript) {
        return SmtpSink.start(Transcript.of(transcript).withTls(served));
    }

    /// The lines whose values differ from run to run are not compared.
    @Test
    void aHostThatMeetsItsPolicyIsShownWhole() throws Exception {
        try (SmtpSink host = sink(AUTHORITY.serving("mx.a.example"), ENCRYPTED)) {
            TracedTls traced = underPolicy(host);
            assertThat(traced.good()).as("%s", traced.lines()).isTrue();
            assertThat(traced.lines()).filteredOn(line -> !line.contains(" valid      ")).containsExactly(
                    "policy    sts a.example: version: STSv1", "policy    sts a.example: mode: enforce",
                    "policy    sts a.example: mx: mx.a.example", "policy    sts a.example: max_age: 86400", "",
                    "mx.a.example[127.0.0.1]:" + host.port(), "S: 220 mx ready", "C: EHLO me.example", "S: 250-mx",
                    "S: 250 STARTTLS", "C: STARTTLS", "S: 220 go", "   TLSv1.3/TLS_AES_256_GCM_SHA384",
                    "   certificate  CN=mx.a.example", "     for        mx.a.example",
                    "     issuer     CN=of the hosts", "   certificate  CN=of the hosts",
                    "     issuer     CN=of the hosts", "C: EHLO me.example", "S: 250-mx", "S: 250 PIPELINING",
                    "C: QUIT", "S: 221 bye", "   for mx.a.example, by the known authorities: valid",
                    "demand    MTA-STS: met");
        }
    }

    @Test
    void aCertificateForAnotherNameDoesNotMeetThePolicy() throws Exception {
        try (SmtpSink host = sink(AUTHORITY.serving("other.example"), ENCRYPTED)) {
            TracedTls traced = underPolicy(host);
            assertThat(traced.good()).isFalse();
            assertThat(traced.lines().getLast())
                    .startsWith("demand    MTA-STS: not met, its certificate is not for mx.a.example");
        }
    }

    @Test
    void aPolicyThatIsOnlyTestedIsTold() throws Exception {
        web.body = web.body.replace("enforce", "testing").replace("mx.a.example", "mx.b.example");
        try (SmtpSink host = sink(AUTHORITY.serving("mx.a.example"), ENCRYPTED)) {
            assertThat(underPolicy(host).lines().getLast()).isEqualTo("demand    MTA-STS, which is only tested: not"
                    + " met, mx.a.example is not an mx of the policy");
        }
    }

    @Test
    void aHostThatThePolicyDoesNotNameIsShownAllTheSame() throws Exception {
        web.body = web.body.replace("mx.a.example", "mx.b.example");
        try (SmtpSink host = sink(AUTHORITY.serving("mx.a.example"), ENCRYPTED)) {
            TracedTls traced = underPolicy(host);
            assertThat(traced.good()).isFalse();
            assertThat(traced.lines()).anyMatch(line -> line.startsWith("no host   450 4.7.5 the MTA-STS policy of"))
                    .endsWith("demand    the host is not used for mail of a.example: its policies do not permit it");
        }
    }

    @Test
    void aPolicyThatCannotBeFetchedIsTold() throws Exception {
        web.status = 404;
        try (SmtpSink host = sink(AUTHORITY.serving("mx.a.example"), ENCRYPTED)) {
            TracedTls traced = underPolicy(host);
            assertThat(traced.good()).isFalse();
            assertThat(traced.lines()).contains("policy    sts-policy-fetch-error: the status is 404, not 200",
                    "demand    none: TLS is used when it is offered");
        }
    }

    @Test
    void theRecordsOfDaneAreCompared() throws Exception {
        SSLContext own = AUTHORITY.serving("mx.a.example");
        String authority = "2 0 1 " + HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(AUTHORITY.certificate().getEncoded()));
        for (String record : List.of(authority, "3 1 1 " + "ab".repeat(32))) {
            try (SmtpSink host = sink(own, ENCRYPTED)) {
                TracedTls traced = trace(FixedDane.of("mx.a.example", record), STEP_MILLIS,
                        new Route.Host("mx.a.example", host.port(), 0)).domain("a.example");
                assertThat(traced.lines().getFirst()).isEqualTo("policy    tlsa a.example: " + record);
                assertThat(traced.lines().getLast()).isEqualTo(record.equals(authority)
                        ? "demand    DANE: met"
                        : "demand    DANE: not met, none of the TLSA records names its certificate");
                assertThat(traced.good()).isEqualTo(record.equals(authority));
            }
        }
    }

    @Test
    void aHostWithoutTlsIsNotGood() {
        try (SmtpSink host = SmtpSink.following("S 220 mx\nC EHLO me.example\nS 250 mx\n" + BYE)) {
            TracedTls traced = host(host);
            assertThat(traced.good()).isFalse();
            assertThat(traced.lines()).contains("STARTTLS is not offered");
        }
    }

    @Test
    void aHandshakeThatFailsIsTold() {
        try (SmtpSink host = SmtpSink.following(HELLO + "DROP\n")) {
            TracedTls traced = host(host);
            assertThat(traced.good()).isFalse();
            assertThat(traced.lines()).anyMatch(line -> line.startsWith("the TLS handshake failed: "));
        }
    }

    // ---- a hostile host

    private static void isHarmless(TracedTls traced) {
        assertThat(traced.lines()).hasSizeLessThan(150)
                .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(TlsTrace.LONGEST_LINE))
                .allSatisfy(line -> assertThat(line.chars()).noneMatch(Character::isISOControl));
    }

    @Test
    void controlsOfATerminalAreNotPassedOn() {
        try (SmtpSink host = SmtpSink.following("S 220 \u001b[2J\u0007mx\u0000\u202e\n"
                + "C EHLO me.example\nS 250 mx\n" + BYE)) {
            TracedTls traced = host(host);
            isHarmless(traced);
            assertThat(traced.lines().get(2)).startsWith("S: 220 ?[2J?mx");
        }
    }

    @Test
    void aReplyOfManyLongLinesIsCut() {
        String lines = IntStream.range(0, 60).mapToObj(i -> "S 250-" + "x".repeat(450))
                .collect(Collectors.joining("\n"));
        try (SmtpSink host = SmtpSink.following("S 220 mx\nC EHLO me.example\n" + lines + "\nS 250 mx\n" + BYE)) {
            TracedTls traced = host(host);
            isHarmless(traced);
            assertThat(traced.lines()).contains("   and " + (61 - TlsTrace.MOST_LINES) + " more lines");
        }
    }

    @Test
    void aReplyWithoutAnEndIsAFailure() {
        String lines = IntStream.range(0, 300).mapToObj(_ -> "S 220-x").collect(Collectors.joining("\n"));
        try (SmtpSink host = SmtpSink.following(lines + "\nEOF\n")) {
            TracedTls traced = host(host);
            isHarmless(traced);
            assertThat(traced.lines()).anyMatch(line -> line.startsWith("no reply: "));
        }
    }

    @Test
    void aSilentHostEndsInTime() {
        try (SmtpSink host = SmtpSink.following("STALL\n")) {
            TracedTls traced = trace(TlsDemands.none(), 200).host("mx.a.example", host.port());
            assertThat(traced.good()).isFalse();
            assertThat(traced.lines()).contains("no reply: timed out after 200 ms");
        }
    }

    @Test
    void textBehindTheReplyToStarttlsEndsTheDialogue() {
        try (SmtpSink host = SmtpSink.following(HELLO + "S 250 injected\nEOF\n")) {
            TracedTls traced = host(host);
            isHarmless(traced);
            assertThat(traced.good()).isFalse();
        }
    }

    @Test
    void certificatesHaveABound() {
        String[] names = IntStream.range(0, 50).mapToObj(i -> "h" + i + ".example").toArray(String[]::new);
        try (SmtpSink host = sink(TestCertificates.of(names), ENCRYPTED)) {
            TracedTls traced = host(host);
            isHarmless(traced);
            assertThat(traced.lines()).anyMatch(line -> line.startsWith("   for mx.a.example, by the known"));
        }
    }

    @Test
    void theNumberOfHostsHasABound() throws Exception {
        Route.Host[] many = IntStream.range(0, 8).mapToObj(i -> new Route.Host("h" + i + ".example", 1, i))
                .toArray(Route.Host[]::new);
        TracedTls traced = trace(TlsDemands.none(), STEP_MILLIS, many).domain("a.example");
        assertThat(traced.lines()).filteredOn(line -> line.startsWith("no connection")).hasSize(TlsTrace.MOST_HOSTS);
        assertThat(traced.lines()).endsWith("and 3 more hosts");
    }

    @Test
    void aDomainWithoutARouteIsTold() {
        TlsTrace trace = new TlsTrace("me.example",
                _ -> new RouteFinder.Answer.NoRoute(Reply.of(550, "5.1.2", "domain a.example not found")), LOOPBACK,
                TlsDemands.none(), STEP_MILLIS);
        assertThat(trace.domain("a.example"))
                .isEqualTo(new TracedTls(List.of("no route  550 5.1.2 domain a.example not found"), false));
    }
}
