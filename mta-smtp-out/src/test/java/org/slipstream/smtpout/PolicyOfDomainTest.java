package org.slipstream.smtpout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy.PolicyKind;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.Route;
import org.slipstream.core.TlsDemand;
import org.slipstream.smtpout.demand.PolicyServer;
import org.slipstream.smtpout.dns.DemandingRouteFinder;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.TestAuthority;
import org.slipstream.testkit.Transcript;

import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.testkit.Transcript.BYE;
import static org.slipstream.testkit.Transcript.TAKE;

/// Mail to a domain with a policy of MTA-STS: from a real web server to a session with a real STARTTLS.
@Timeout(90)
class PolicyOfDomainTest {
    private static final String HELLO = """
            S 220 mx
            C EHLO me.example
            S 250-mx
            S 250 STARTTLS
            C STARTTLS
            S 220 go
            """;
    private static final String ENCRYPTED = HELLO + "TLS\nC EHLO me.example\nS 250-mx\nS 250 PIPELINING\n";
    private static final SSLContext WEB = new TestAuthority("of the web").serving("localhost");
    private static final TestAuthority AUTHORITY = new TestAuthority("of the hosts");

    private final EventLog events = new EventLog();
    private final List<TlsOutcome> told = new CopyOnWriteArrayList<>();
    private final PolicyServer web = new PolicyServer(WEB);
    private Optional<Carriers> carriers = Optional.empty();

    @AfterEach
    void stop() {
        carriers.ifPresent(Carriers::close);
        web.close();
    }

    private static SmtpSink host(String name, String transcript) {
        return SmtpSink.start(Transcript.of(transcript).withTls(AUTHORITY.serving(name)));
    }

    /// Finds the route, and opens a connection to its host.
    private Route.Smtp opens(SmtpSink host, boolean undemanding) throws GeneralSecurityException {
        Route.Smtp plain = new Route.Smtp("a.example",
                List.of(new Route.Host("mx.a.example", host.port(), 0, List.of("127.0.0.1"))));
        ClientConfig config = Post.patient().withDemands(web.demands(WEB, AUTHORITY.trust(), told::add));
        RouteFinder finder = new DemandingRouteFinder(_ -> new RouteFinder.Answer.Found(plain), config.demands());
        RouteFinder.Answer answer = undemanding ? finder.findUndemanding("A.example") : finder.find("A.example");
        Route.Smtp route = ((RouteFinder.Answer.Found) answer).route();
        Carriers opened = new Carriers(config, events);
        carriers = Optional.of(opened);
        opened.open(1, route, false);
        return route;
    }

    private void delivers() {
        events.ready();
        Post.deliver(carriers.orElseThrow(), 1, Post.transfer(1));
        assertThat(events.answered(1).outcomes()).singleElement()
                .satisfies(each -> assertThat(each.outcome().reply().code()).isEqualTo(250));
    }

    @Test
    void anEnforcedPolicyThatIsKeptDeliversAndCountsASuccess() throws GeneralSecurityException {
        try (SmtpSink host = host("mx.a.example", ENCRYPTED + TAKE + BYE)) {
            assertThat(opens(host, false).hosts()).extracting(Route.Host::demand).containsExactly(TlsDemand.STS);
            delivers();
        }
        assertThat(told).singleElement().satisfies(each -> {
            assertThat(each.result()).isEqualTo(TlsResult.SUCCESS);
            assertThat(each.policy().kind()).isEqualTo(PolicyKind.STS);
            assertThat(each.policy().domain()).isEqualTo("a.example");
        });
    }

    @Test
    void anEnforcedPolicyThatIsBrokenMakesMailWaitAndCountsAFailure() throws GeneralSecurityException {
        try (SmtpSink host = host("other.example", HELLO + "NOTLS\n")) {
            opens(host, false);
            assertThat(events.failed().reason().toString()).startsWith("450 4.7.5 TLS is required by MTA-STS for")
                    .contains("not for mx.a.example");
        }
        assertThat(told).extracting(TlsOutcome::result).containsExactly(TlsResult.CERTIFICATE_HOST_MISMATCH);
    }

    @Test
    void aTestedPolicyThatIsBrokenDeliversAndCountsAFailure() throws GeneralSecurityException {
        web.body = web.body.replace("enforce", "testing");
        try (SmtpSink host = host("other.example", ENCRYPTED + TAKE + BYE)) {
            opens(host, false);
            delivers();
        }
        assertThat(told).singleElement().satisfies(each -> {
            assertThat(each.result()).isEqualTo(TlsResult.CERTIFICATE_HOST_MISMATCH);
            assertThat(each.policy().kind()).isEqualTo(PolicyKind.STS);
        });
    }

    @Test
    void aHostThatATestedPolicyDoesNotNameDeliversAndCountsAFailure() throws GeneralSecurityException {
        web.body = web.body.replace("enforce", "testing").replace("mx.a.example", "mx.b.example");
        try (SmtpSink host = host("mx.a.example", ENCRYPTED + TAKE + BYE)) {
            opens(host, false);
            delivers();
        }
        assertThat(told).extracting(TlsOutcome::result).containsExactly(TlsResult.VALIDATION_FAILURE);
    }

    /// RFC 8689 section 4.2.2: TLS is used, whatever its certificate.
    @Test
    void mailThatNeedsNoTlsIsSentUnderABrokenPolicyOnAConnectionOfItsOwn() throws GeneralSecurityException {
        try (SmtpSink host = host("other.example", ENCRYPTED + TAKE + BYE)) {
            Route.Smtp route = opens(host, true);
            assertThat(route.nextHop()).isEqualTo("a.example/may");
            Route.Host one = route.hosts().getFirst();
            assertThat(Post.patient().hostKey(route, one))
                    .isNotEqualTo(Post.patient().hostKey(route, one.demanding(TlsDemand.STS)));
            delivers();
        }
        assertThat(told).as("a session without the policy is in no report").isEmpty();
    }

    @Test
    void mailThatNeedsNoTlsIsSentToHostsThatThePolicyDoesNotName() throws GeneralSecurityException {
        web.body = web.body.replace("mx.a.example", "mx.b.example");
        try (SmtpSink host = host("mx.a.example", ENCRYPTED + TAKE + BYE)) {
            opens(host, true);
            delivers();
        }
    }

    /// A report about TLS is such mail, and no report tells about it.
    @Test
    void mailThatNeedsNoTlsIsInNoReportInADomainWithoutAPolicyEither() throws GeneralSecurityException {
        web.body = web.body.replace("enforce", "none");
        try (SmtpSink host = host("other.example", ENCRYPTED + TAKE + BYE)) {
            assertThat(opens(host, true).nextHop()).isEqualTo("a.example/may");
            delivers();
        }
        assertThat(told).isEmpty();
    }
}
