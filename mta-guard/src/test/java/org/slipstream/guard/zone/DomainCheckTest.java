package org.slipstream.guard.zone;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.core.CheckFinding;
import org.slipstream.core.FindingList;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.guard.tls.TlsContexts;
import org.slipstream.guard.tls.TlsFailure;
import org.slipstream.guard.tls.TlsSettings;
import org.slipstream.smtpout.demand.StsDownload;
import org.slipstream.testkit.TestAuthority;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import javax.net.ssl.SSLContext;

import static org.assertj.core.api.Assertions.assertThat;

/// A domain that lacks nothing, and the sentence and the record for each thing that it may lack.
class DomainCheckTest {
    private static final String GOOD = """
            example.org MX 10 mail.example.org
            mail.example.org A 192.0.2.25
            mail.example.org AAAA 2001:db8::25
            25.2.0.192.in-addr.arpa PTR mail.example.org
            example.org TXT v=spf1 mx -all
            example.org TXT some-verification=1
            mail.example.org TXT v=spf1 a -all
            s1._domainkey.example.org TXT v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
            _dmarc.example.org TXT v=DMARC1; p=reject; rua=mailto:postmaster@example.org
            _mta-sts.example.org TXT v=STSv1; id=20261121
            mta-sts.example.org A 192.0.2.25
            _smtp._tls.example.org TXT v=TLSRPTv1; rua=mailto:postmaster@example.org
            """;
    private static final String ADDRESS = "192.0.2.25";

    @TempDir
    static Path folder;
    private static List<X509Certificate> chain;

    @BeforeAll
    static void certificate() throws TlsFailure {
        TlsContexts.open(new TlsSettings(Optional.empty(), Optional.empty()), folder, "mail.example.org");
        chain = TlsContexts
                .chain(new TlsSettings(Optional.of(folder.resolve("tls/self-signed.crt")), Optional.empty()));
    }

    private static DomainQuestion question(String... addresses) {
        return new DomainQuestion("Example.ORG.", "mail.example.org",
                List.of(addresses).stream().map(InetAddress::ofLiteral).toList(), Optional.of("s1"),
                List.of("list.example"), List.of(), List.of());
    }

    private static List<CheckFinding> findings(String zone, DomainQuestion asked) {
        return findings(zone, asked, chain, Instant.now());
    }

    private static List<CheckFinding> findings(String zone, DomainQuestion asked, List<X509Certificate> chain,
            Instant now) {
        FindingList findings = new FindingList();
        DomainCheck.run(ZoneText.of(zone), asked, chain, now, DomainCheckTest::policy, findings);
        return findings.all();
    }

    private static StsDownload.Download policy(String domain) {
        assertThat(domain).isEqualTo("example.org");
        return policy(StsPolicy.StsMode.ENFORCE, "*.example.org");
    }

    private static StsDownload.Download policy(StsPolicy.StsMode mode, String... mx) {
        return new StsDownload.Download.Policy(new StsPolicy(mode, List.of(mx), 86_400));
    }

    private static String sts(Function<String, StsDownload.Download> policies) {
        FindingList findings = new FindingList();
        DomainCheck.run(ZoneText.of(GOOD), question(ADDRESS), chain, Instant.now(), policies, findings);
        return findings.all().stream().filter(finding -> finding.subject().equals("mta-sts")).reduce((_, last) -> last)
                .map(finding -> finding.level() + " " + finding.text()).orElseThrow();
    }

    /// An address of a pool has a name of its own in EHLO.
    @Test
    void theSourcesOfPoolsAreAskedForWithTheirOwnNames() {
        InetAddress source = InetAddress.ofLiteral("192.0.2.10");
        DomainQuestion asked = new DomainQuestion("example.org", "mail.example.org",
                List.of(InetAddress.ofLiteral(ADDRESS)), Optional.of("s1"), List.of("list.example"), List.of(),
                List.of(), Map.of(source, "out-a.example.org"));
        List<String> bare = texts(findings(GOOD, asked));
        assertThat(bare).anySatisfy(text -> assertThat(text).contains("192.0.2.10 has no reverse name"))
                .anySatisfy(text -> assertThat(text).contains("spf: 192.0.2.10 may not send"));
        String elsewhere = GOOD + "out-a.example.org A 192.0.2.11\n"
                + "10.2.0.192.in-addr.arpa PTR out-b.example.org\nout-b.example.org A 192.0.2.10\n";
        assertThat(texts(findings(elsewhere, asked)))
                .anySatisfy(text -> assertThat(text).contains("out-a.example.org, the name in EHLO of the source"));
        assertThat(findings(elsewhere, asked)).extracting(CheckFinding::text)
                .anySatisfy(text -> assertThat(text).contains("is out-b.example.org, and EHLO says out-a.example.org"));
        String right = GOOD.replace("v=spf1 mx -all", "v=spf1 mx ip4:192.0.2.10 -all")
                + "out-a.example.org A 192.0.2.10\n10.2.0.192.in-addr.arpa PTR out-a.example.org\n";
        assertThat(texts(findings(right, asked))).noneMatch(text -> text.contains("192.0.2.10"));
    }

    private static List<String> lacking(String zone) {
        return texts(findings(zone, question(ADDRESS)));
    }

    private static List<String> texts(List<CheckFinding> findings) {
        return findings.stream().filter(CheckFinding::isLacking).map(finding -> finding.subject() + ": "
                + finding.text() + finding.record().map(record -> " | " + record).orElse("")).toList();
    }

    /// The good zone with the lines of this beginning replaced.
    private static String with(String beginning, String... lines) {
        return String.join("\n", GOOD.lines().filter(line -> !line.startsWith(beginning)).toList()) + "\n"
                + String.join("\n", lines);
    }

    @Test
    void aCompleteDomainLacksNothing() {
        var all = findings(GOOD, question(ADDRESS));
        assertThat(texts(all)).isEmpty();
        assertThat(all).extracting(CheckFinding::subject).containsSubsequence("mx", "name", "ptr", "spf", "dkim",
                "dmarc", "tls", "dane", "mta-sts", "tls-reports", "list", "port-25");
        assertThat(all).filteredOn(finding -> finding.level() == CheckFinding.Level.ADVICE).singleElement()
                .satisfies(dane -> assertThat(dane.record().orElseThrow())
                        .matches("_25\\._tcp\\.mail\\.example\\.org\\. IN TLSA 3 1 1 [0-9a-f]{64}"));
    }

    @Test
    void theTlsaRecordThatIsAdvisedFits() {
        var record = findings(GOOD, question(ADDRESS)).stream().filter(finding -> finding.subject().equals("dane"))
                .findFirst().flatMap(CheckFinding::record).orElseThrow();
        var data = record.substring(record.indexOf("3 1 1"));
        assertThat(lacking(with("-", "_25._tcp.mail.example.org TLSA " + data))).isEmpty();
        assertThat(lacking(with("-", "_25._tcp.mail.example.org TLSA 3 1 1 " + "0".repeat(64)))).singleElement()
                .asString().startsWith("dane: no TLSA record").endsWith(data);
        assertThat(lacking(with("-", "_25._tcp.mail.example.org TLSA 3 1 1 " + "0".repeat(64),
                "_25._tcp.mail.example.org TLSA " + data))).as("a new key before it is used").isEmpty();
    }

    @Test
    void exchangers() {
        assertThat(lacking(with("example.org MX"))).containsExactly("mx: example.org has no MX record; other servers"
                + " try the address of example.org itself | example.org. IN MX 10 mail.example.org.",
                "spf: 192.0.2.25 may not send: fail, \"-all\" of example.org | example.org. IN TXT"
                        + " \"v=spf1 ip4:192.0.2.25 mx -all\"");
        assertThat(lacking(with("example.org MX", "example.org MX 0 ."))).first().asString()
                .startsWith("mx: example.org has a null MX");
        assertThat(lacking(with("example.org MX", "example.org MX 5 mx.other.example",
                "mx.other.example A 198.51.100.1"))).first().asString()
                .contains("goes to mx.other.example, and none of them is this server");
        assertThat(lacking(with("example.org MX", "example.org MX 5 alias.example.org",
                "alias.example.org CNAME mail.example.org", "alias.example.org A 192.0.2.25"))).containsExactly(
                        "mx: the MX host alias.example.org is an alias (CNAME) of mail.example.org, which RFC 2181"
                                + " section 10.3 forbids; name the target | example.org. IN MX 10 mail.example.org.");
        assertThat(lacking(with("example.org MX", "example.org MX 10 mail.example.org",
                "example.org MX 20 gone.example.org"))).containsExactly(
                        "mx: the MX host gone.example.org has no address | gone.example.org. IN A 192.0.2.25");
    }

    @Test
    void addressesAndNames() {
        assertThat(lacking(with("25.2.0.192"))).containsExactly("ptr: 192.0.2.25 has no reverse name; the provider of"
                + " the address sets it | 25.2.0.192.in-addr.arpa. IN PTR mail.example.org.");
        assertThat(lacking(with("25.2.0.192", "25.2.0.192.in-addr.arpa PTR pool-25.isp.example"))).containsExactly(
                "ptr: the reverse name of 192.0.2.25, pool-25.isp.example, does not lead back to the address |"
                        + " pool-25.isp.example. IN A 192.0.2.25");
        assertThat(findings(with("25.2.0.192", "25.2.0.192.in-addr.arpa PTR other.example.org",
                "other.example.org A 192.0.2.25"), question(ADDRESS))).as("EHLO differs")
                .anyMatch(finding -> finding.subject().equals("ptr")
                        && finding.level() == CheckFinding.Level.ADVICE);
        assertThat(texts(findings(GOOD, question("192.0.2.26")))).anyMatch(text -> text.startsWith("name: mail.example"
                + ".org has the addresses 192.0.2.25, 2001:db8:0:0:0:0:0:25, and mail leaves from 192.0.2.26"));
        assertThat(findings(GOOD, question())).as("no address is given").first()
                .satisfies(finding -> assertThat(finding.text()).contains("mail is taken to leave from 192.0.2.25"));
    }

    @Test
    void senderPolicies() {
        assertThat(lacking(with("example.org TXT v=spf1"))).containsExactly(
                "spf: example.org has no SPF record | example.org. IN TXT \"v=spf1 mx -all\"");
        assertThat(lacking(with("-", "example.org TXT v=spf1 -all"))).containsExactly("spf: example.org has 2 SPF"
                + " records, which counts as an error (RFC 7208 section 4.5); join them to one");
        assertThat(lacking(with("example.org TXT v=spf1", "example.org TXT v=spf1 ip:192.0.2.25 -all"))).singleElement()
                .asString().startsWith("spf: in the SPF record, \"ip:192.0.2.25\" is not a mechanism");
        assertThat(lacking(with("example.org TXT v=spf1", "example.org TXT v=spf1 include:_spf.isp.example -all",
                "_spf.isp.example TXT v=spf1 ip4:198.51.100.0/24 -all"))).containsExactly(
                        "spf: 192.0.2.25 may not send: fail, \"-all\" of example.org | example.org. IN TXT"
                                + " \"v=spf1 ip4:192.0.2.25 include:_spf.isp.example -all\"");
        assertThat(lacking(with("example.org TXT v=spf1", "example.org TXT v=spf1 +all"))).singleElement().asString()
                .contains("lets every address send");
    }

    @Test
    void signaturesAndPolicies() {
        assertThat(lacking(with("s1._domainkey"))).singleElement().asString()
                .startsWith("dkim: the selector s1 has no key").contains("s1._domainkey.example.org. IN TXT");
        assertThat(lacking(with("_dmarc"))).containsExactly("dmarc: example.org has no DMARC record; begin with p=none"
                + " and read the reports | _dmarc.example.org. IN TXT \"v=DMARC1; p=none;"
                + " rua=mailto:postmaster@example.org\"");
        assertThat(lacking(with("_dmarc", "_dmarc.org TXT v=DMARC1; p=reject"))).as("a registry is no owner")
                .isNotEmpty();
        var below = new DomainQuestion("news.example.org", "mail.example.org",
                List.of(InetAddress.ofLiteral(ADDRESS)), Optional.empty(), List.of(), List.of(), List.of());
        assertThat(texts(findings(GOOD, below))).as("the domain above").noneMatch(text -> text.startsWith("dmarc"));
        assertThat(lacking(with("_dmarc", "_dmarc.example.org TXT v=DMARC1; p=drop"))).containsExactly(
                "dmarc: in the DMARC record of example.org, \"p=drop\" has no valid value");
        var elsewhere = "_dmarc.example.org TXT v=DMARC1; p=reject; rua=mailto:d@reports.example";
        assertThat(lacking(with("_dmarc", elsewhere))).singleElement().asString()
                .endsWith("| example.org._report._dmarc.reports.example. IN TXT \"v=DMARC1\"");
        assertThat(lacking(with("_dmarc", elsewhere,
                "example.org._report._dmarc.reports.example TXT v=DMARC1"))).isEmpty();
        assertThat(lacking(with("_mta-sts", "_mta-sts.example.org TXT v=STSv1"))).singleElement().asString()
                .startsWith("mta-sts: ");
        assertThat(lacking(with("-", "25.2.0.192.list.example A 127.0.0.2"))).singleElement().asString()
                .startsWith("list: 192.0.2.25 is listed in list.example (127.0.0.2)");
    }

    @Test
    void certificates() {
        var end = chain.getFirst().getNotAfter().toInstant();
        assertThat(texts(findings(GOOD, question(ADDRESS), chain, end.plusSeconds(1)))).singleElement().asString()
                .contains("renew it");
        assertThat(texts(findings(GOOD, question(ADDRESS), chain, end.minus(Duration.ofDays(3))))).singleElement()
                .asString().contains("its renewal does not work");
        assertThat(texts(findings(GOOD, question(ADDRESS), List.of(), Instant.now()))).isEmpty();
        var other = new DomainQuestion("example.org", "mx.example.org", List.of(InetAddress.ofLiteral(ADDRESS)),
                Optional.empty(), List.of(), List.of(), List.of());
        assertThat(texts(findings(GOOD, other)))
                .contains("tls: the certificate is for mail.example.org and not for mx.example.org");
        assertThat(TlsFindings.matches("*.example.org", "mail.example.org")).isTrue();
        assertThat(TlsFindings.matches("*.example.org", "a.mail.example.org")).isFalse();
        assertThat(TlsFindings.matches("*.example.org", "example.org")).isFalse();
    }

    @Test
    void dnsThatDoesNotAnswerIsNoLackOfTheDomain() {
        assertThat(lacking(with("example.org TXT", "example.org TXT !"))).containsExactly(
                "spf: DNS does not answer about example.org: no answer");
        assertThat(lacking(with("-", "_dmarc.org TXT !"))).as("its own record is known").isEmpty();
        assertThat(lacking(with("example.org MX", "example.org MX !"))).first().asString()
                .isEqualTo("mx: DNS does not answer about example.org: no answer");
    }

    @Test
    void thePolicyIsComparedWithTheHostsOfTheDomain() {
        assertThat(sts(_ -> policy(StsPolicy.StsMode.ENFORCE, "*.example.org"))).isEqualTo(
                "OK the policy permits the hosts of the domain, mode enforce");
        assertThat(sts(_ -> policy(StsPolicy.StsMode.ENFORCE, "mx.example.org"))).startsWith(
                "LACKS the policy does not permit mail.example.org, so servers that obey it do not deliver there");
        assertThat(sts(_ -> policy(StsPolicy.StsMode.TESTING, "mail.example.org", "old.example.org"))).startsWith(
                "ADVICE the policy names old.example.org, and no MX record does");
        assertThat(sts(_ -> policy(StsPolicy.StsMode.NONE))).startsWith("ADVICE the policy has the mode none");
    }

    /// By the class that fetches the policies of other domains for the server.
    @Test
    void thePolicyIsFetchedAsOtherServersFetchIt() throws IOException {
        SSLContext good = new TestAuthority("ca").serving("localhost");
        AtomicReference<String> file = new AtomicReference<>("");
        HttpsServer web = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        web.setHttpsConfigurator(new HttpsConfigurator(good));
        web.createContext("/.well-known/mta-sts.txt", exchange -> {
            byte[] octets = file.get().getBytes(StandardCharsets.US_ASCII);
            exchange.getResponseHeaders().add("Content-Type", "text/plain");
            exchange.sendResponseHeaders(octets.length == 0 ? 404 : 200, octets.length == 0 ? -1 : octets.length);
            exchange.getResponseBody().write(octets);
            exchange.close();
        });
        web.start();
        try {
            UnaryOperator<URI> place = page -> URI.create("https://localhost:" + web.getAddress().getPort()
                    + page.getPath());
            StsDownload download = new StsDownload(Optional.of(good), place, Duration.ofSeconds(60));
            assertThat(sts(download::fetch)).isEqualTo("LACKS no policy at https://mta-sts.example.org/.well-known/"
                    + "mta-sts.txt: the status is 404, not 200 (sts-policy-fetch-error); mta setup writes the file, a web"
                    + " server must serve it");
            file.set("version: STSv1\nmode: enforce\nmx: mail.example.org\nmax_age: 86400\n");
            assertThat(sts(download::fetch)).startsWith("OK ");
            file.set("x".repeat(100_000));
            assertThat(sts(download::fetch)).startsWith("LACKS no policy at ");
            file.set("version: STSv1\nmode: enforce\nmax_age: 86400\n\u001b[2J");
            assertThat(sts(download::fetch)).contains("(sts-policy-invalid)").doesNotContain("\u001b");
            StsDownload stranger = new StsDownload(Optional.of(new TestAuthority("other").serving("localhost")), place,
                    Duration.ofSeconds(60));
            assertThat(sts(stranger::fetch)).contains("(sts-webpki-invalid)");
        } finally {
            web.stop(0);
        }
    }

    /// With a resolver that is down, each question takes its whole patience.
    @Test
    void aDeadResolverIsAskedThreeTimes() {
        List<String> asked = new ArrayList<>();
        var lookup = new RememberingLookup((name, type) -> {
            asked.add(name + " " + type);
            return new TextAnswer.Trouble("Timeout exceeded");
        });
        FindingList findings = new FindingList();
        DomainCheck.run(lookup, question(ADDRESS), chain, Instant.now(), DomainCheckTest::policy, findings);
        assertThat(asked).hasSize(3).doesNotHaveDuplicates();
        assertThat(findings.all()).filteredOn(finding -> finding.level() == CheckFinding.Level.NO_ANSWER)
                .hasSizeGreaterThan(5);
    }
}
