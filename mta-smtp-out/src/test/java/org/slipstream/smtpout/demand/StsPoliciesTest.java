package org.slipstream.smtpout.demand;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.Route;
import org.slipstream.core.TlsDemand;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.smtpout.wire.CertificateCheck;
import org.slipstream.testkit.TestAuthority;
import org.slipstream.testkit.TestCertificates;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// Policies from a real web server, and its failures.
@Timeout(60)
class StsPoliciesTest {
    private static final SSLContext GOOD = new TestAuthority("ca").serving("localhost");
    private static final long DAY = 86_400_000;

    private PolicyServer server = new PolicyServer(GOOD);
    private final List<TlsOutcome> told = new CopyOnWriteArrayList<>();
    private TextAnswer record = new TextAnswer.Found(List.of("v=STSv1; id=one"));
    private long now = 1_000_000_000_000L;
    private Duration patience = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    @AfterEach
    void stop() {
        server.close();
    }

    private StsPolicies policies(SSLContext trust, int most) {
        return new StsPolicies((name, _) -> name.startsWith("_mta-sts.") ? record : new TextAnswer.None(false),
                new StsDownload(Optional.of(trust), server::place, patience),
                new StsStore(Optional.of(folder), most), () -> now, told::add);
    }

    private StsPolicies policies() {
        return policies(GOOD, 10);
    }

    private void serve(SSLContext certificate) {
        server.close();
        server = new PolicyServer(certificate);
    }

    private void fails(TlsResult result) {
        fails(result, GOOD);
    }

    private void fails(TlsResult result, SSLContext trust) {
        StsPolicies policies = policies(trust, 10);
        assertThat(policies.find("a.example")).isEmpty();
        assertThat(told).extracting(TlsOutcome::result).containsExactly(result);
        int requests = server.requests();
        policies.find("a.example");
        assertThat(server.requests()).as("not asked again at once").isEqualTo(requests);
    }

    @Test
    void aPolicyIsFetchedOnceAndSurvivesARestart() {
        StsPolicies policies = policies();
        assertThat(policies.find("a.example")).isPresent();
        assertThat(policies.find("a.example")).isPresent();
        assertThat(policies().find("a.example")).as("after a restart").isPresent();
        assertThat(server.requests()).isEqualTo(1);
        assertThat(told).isEmpty();
    }

    @Test
    void withoutARecordNothingIsFetched() {
        record = new TextAnswer.None(false);
        assertThat(policies().find("a.example")).isEmpty();
        assertThat(server.requests()).isZero();
    }

    @Test
    void aKnownPolicyHoldsWhenItsRecordIsSuppressed() {
        StsPolicies policies = policies();
        policies.find("a.example");
        record = new TextAnswer.Trouble("timed out");
        assertThat(policies.find("a.example")).isPresent();
        record = new TextAnswer.None(false);
        assertThat(policies.find("a.example")).isPresent();
        now += DAY;
        assertThat(policies.find("a.example")).as("its time is over").isEmpty();
    }

    @Test
    void anotherIdFetchesTheNewPolicy() {
        StsPolicies policies = policies();
        policies.find("a.example");
        record = new TextAnswer.Found(List.of("v=STSv1; id=two"));
        server.body = server.body.replace("enforce", "testing");
        assertThat(policies.find("a.example").map(StsPolicy::mode)).contains(StsPolicy.StsMode.TESTING);
    }

    @Test
    void aKnownPolicyHoldsWhenTheNewOneCannotBeFetched() {
        StsPolicies policies = policies();
        policies.find("a.example");
        record = new TextAnswer.Found(List.of("v=STSv1; id=two"));
        server.status = 404;
        assertThat(policies.find("a.example").map(StsPolicy::mode)).contains(StsPolicy.StsMode.ENFORCE);
        assertThat(told).extracting(TlsOutcome::result).containsExactly(TlsResult.STS_POLICY_FETCH_ERROR);
    }

    @Test
    void aPolicyIsRefreshedBeforeItsEnd() {
        StsPolicies policies = policies();
        policies.find("a.example");
        now += DAY / 2 + 1;
        assertThat(policies.find("a.example")).isPresent();
        await().untilAsserted(() -> assertThat(server.requests()).isEqualTo(2));
        await().untilAsserted(() -> {
            now += DAY / 2;
            assertThat(policies().find("a.example")).isPresent();
            now -= DAY / 2;
        });
    }

    @Test
    void aRedirectionIsNotFollowed() {
        server.status = 301;
        fails(TlsResult.STS_POLICY_FETCH_ERROR);
    }

    @Test
    void aMissingFileIsNoPolicy() {
        server.status = 404;
        fails(TlsResult.STS_POLICY_FETCH_ERROR);
    }

    @Test
    void anotherTypeThanTextIsNoPolicy() {
        server.type = "text/html";
        fails(TlsResult.STS_POLICY_FETCH_ERROR);
    }

    @Test
    void aFileOfOneOctetTooManyIsNoPolicy() {
        server.body += "x: " + "y".repeat(StsPolicy.MOST_OCTETS - server.body.length() - 3) + "y";
        fails(TlsResult.STS_POLICY_FETCH_ERROR);
    }

    @Test
    void aFileOfTheLargestSizeIsAPolicy() {
        server.body += "x: " + "y".repeat(StsPolicy.MOST_OCTETS - server.body.length() - 3);
        assertThat(policies().find("a.example")).isPresent();
    }

    @Test
    void aSlowDripEndsInTime() {
        server.drips = true;
        patience = Duration.ofSeconds(2);
        fails(TlsResult.STS_POLICY_FETCH_ERROR);
    }

    @Test
    void aMalformedFileIsNoPolicy() {
        server.body = server.body.replace("86400", "9223372036854775808");
        fails(TlsResult.STS_POLICY_INVALID);
    }

    @Test
    void aCertificateForAnotherNameIsNoPolicy() {
        SSLContext other = new TestAuthority("ca").serving("other.example");
        serve(other);
        fails(TlsResult.STS_WEBPKI_INVALID, other);
    }

    @Test
    void anExpiredCertificateIsNoPolicy() {
        SSLContext expired = new TestAuthority("ca").serving("localhost", Duration.ofDays(-3), Duration.ofDays(-1));
        serve(expired);
        fails(TlsResult.STS_WEBPKI_INVALID, expired);
    }

    @Test
    void aCertificateOfAnUnknownAuthorityIsNoPolicy() {
        fails(TlsResult.STS_WEBPKI_INVALID, TestCertificates.of("localhost"));
    }

    @Test
    void aDamagedFileIsFetchedAgain() throws IOException {
        policies().find("a.example");
        Files.writeString(folder.resolve("a.example.sts"), "id one fetched 99999999999999999999\nrubbish");
        assertThat(policies().find("a.example")).isPresent();
        assertThat(server.requests()).isEqualTo(2);
    }

    @Test
    void theNumberOfFilesIsBounded() throws IOException {
        StsPolicies policies = policies(GOOD, 3);
        for (int i = 0; i < 6; i++) {
            policies.find("d" + i + ".example");
        }
        try (var files = Files.list(folder)) {
            assertThat(files).hasSize(3);
        }
    }

    @Test
    void aNameThatWouldLeaveTheFolderHasNoPolicy() {
        assertThat(policies().find("../evil.example")).isEmpty();
        assertThat(policies().find("..")).isEmpty();
        assertThat(server.requests()).isZero();
    }

    // ---- the decision for the hosts

    private static final List<Route.Host> HOSTS = List.of(new Route.Host("mx.a.example", 25, 10),
            new Route.Host("mx.evil.example", 25, 20));

    private TlsDemands demands() throws GeneralSecurityException {
        CertificateCheck none = CertificateCheck.trusting(Optional.empty());
        return new TlsDemands(Optional.of(policies()), Optional.empty(), () -> none, told::add);
    }

    @Test
    void anEnforcedPolicyLeavesOutTheHostsThatItDoesNotName() throws GeneralSecurityException {
        assertThat(demands().decide("A.example", HOSTS)).isEqualTo(
                new TlsDemands.HostDecision.Permitted(List.of(HOSTS.getFirst().demanding(TlsDemand.STS))));
    }

    @Test
    void mailWaitsWhenThePolicyNamesNoneOfTheHosts() throws GeneralSecurityException {
        assertThat(demands().decide("a.example", List.of(HOSTS.getLast())))
                .isInstanceOfSatisfying(TlsDemands.HostDecision.NoHost.class, none -> assertThat(none.reason())
                        .hasToString("450 4.7.5 the MTA-STS policy of a.example permits none of its mail exchangers:"
                                + " mx.evil.example"));
        assertThat(told).extracting(TlsOutcome::result).containsExactly(TlsResult.VALIDATION_FAILURE);
    }

    @Test
    void aTestedPolicyAndNoPolicyDemandNothing() throws GeneralSecurityException {
        server.body = server.body.replace("enforce", "testing");
        TlsDemands demands = demands();
        assertThat(demands.decide("a.example", HOSTS)).isEqualTo(new TlsDemands.HostDecision.Permitted(HOSTS));
        assertThat(demands.tried("a.example")).isPresent();
        record = new TextAnswer.None(false);
        assertThat(demands.decide("b.example", HOSTS)).isEqualTo(new TlsDemands.HostDecision.Permitted(HOSTS));
        assertThat(demands.tried("b.example")).isEmpty();
    }
}
