package org.slipstream.server;

import jakarta.mail.BodyPart;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.auth.dkim.BodyHashes;
import org.slipstream.auth.dkim.DkimAlgorithm;
import org.slipstream.auth.dkim.DkimResult;
import org.slipstream.auth.dkim.DkimVerdict;
import org.slipstream.auth.dkim.DkimVerifier;
import org.slipstream.auth.dkim.RawHeader;
import org.slipstream.auth.dkim.StreamedMessage;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.guard.dkim.KeyFolder;
import org.slipstream.guard.dkim.KeyState;
import org.slipstream.server.daily.DailyReports;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.StubDns;
import org.slipstream.testkit.UnusedPort;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail that leaves a whole server, as its receivers verify it.
class SignedMailTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String OWN_CLIENT = "127.0.0.1";
    private static final String STRANGER = "127.0.0.2";
    private static final String HEADER = "From: Ann <ann@here.example>\r\nTo: bob@far.example\r\nSubject: x\r\n"
            + "Date: Fri, 27 Nov 2026 03:00:00 +0000\r\nMessage-ID: <1@here.example>\r\n";
    /// The verdict about each signature of the message on standard input, newest first.
    private static final String DKIMPY = """
            import dkim, sys
            zone = dict(line.rstrip("\\n").split("\\t") for line in open(sys.argv[1]))
            def ask(name, timeout=5):
                return zone.get(name.decode().rstrip("."), "").encode() or None
            d = dkim.DKIM(open(sys.argv[2], "rb").read())
            count = len([h for h in d.headers if h[0].lower() == b"dkim-signature"])
            print(" ".join(str(d.verify(idx=i, dnsfunc=ask)) for i in range(count)))
            """;

    @TempDir
    Path home;

    private final SmtpSink far = SmtpSink.start(SinkScript.smtp());
    private final SmtpSink old = SmtpSink.start(SinkScript.smtp().withoutExtension("8BITMIME"));
    private final Map<String, String> zone = new TreeMap<>();
    private KeyFolder keys;
    private SmallServer server;

    @BeforeEach
    void start() throws Exception {
        keys = KeyFolder.in(home);
        for (DkimAlgorithm algorithm : DkimAlgorithm.values()) {
            create("here.example", algorithm);
        }
        create("mta.example", DkimAlgorithm.RSA);
        keys.rotate("here.example", Instant.now());
        keys.rotate("mta.example", Instant.now());
        server = SmallServer.start(home, "routes.far.example=smtp:127.0.0.1:" + far.port(),
                "routes.old.example=smtp:127.0.0.1:" + old.port(), "relay.networks=" + OWN_CLIENT + "/32",
                "aliases.forward=carl@far.example", "feedback.address=feedback@here.example",
                "local.mailboxes=user,feedback", "feedback.unsubscribe-url=https://lists.example/leave",
                "feedback.unsubscribe-domains=here.example");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        far.close();
        old.close();
    }

    private void create(String domain, DkimAlgorithm algorithm) throws IOException {
        KeyFolder.StoredKey made = keys.create(domain, algorithm, Instant.now());
        zone.put(made.key().name().dns(), made.key().record());
    }

    private void send(String client, String content, String... recipients) throws Exception {
        try (SmtpTalker talker = SmtpTalker.to(server.server().smtp().orElseThrow(), InetAddress.ofLiteral(client))) {
            talker.reply();
            talker.must(250, "EHLO client.example");
            assertThat(talker.send(new OutgoingMessage("ann@here.example", List.of(recipients),
                    content.getBytes(StandardCharsets.UTF_8))).toString()).startsWith("250");
        }
    }

    private static ReceivedMessage received(SmtpSink sink, int number) {
        Awaitility.await().atMost(PATIENCE).until(() -> sink.messages().size() >= number);
        return sink.messages().get(number - 1);
    }

    private List<String> verdicts(ReceivedMessage message) throws Exception {
        assertThat(foreignVerdicts(message)).doesNotContain("False");
        return results(message).stream()
                .map(result -> result.domain() + " " + result.verdict()).toList();
    }

    private List<DkimResult> results(ReceivedMessage message) throws IOException {
        StreamedMessage streamed = new StreamedMessage(new ByteArrayInputStream(message.content()));
        RawHeader header = streamed.header().orElseThrow();
        BodyHashes bodies = new BodyHashes();
        DkimVerifier verifier = new DkimVerifier(header, Instant.now(), bodies);
        streamed.body(bodies::update);
        return verifier.results((name, _) -> zone.containsKey(name)
                ? new TextAnswer.Found(List.of(zone.get(name)))
                : new TextAnswer.None(false));
    }

    /// Of dkimpy, where it is installed.
    private String foreignVerdicts(ReceivedMessage message) throws Exception {
        Path python = Path.of("/usr/bin/python3");
        if (!Files.isExecutable(python) || new ProcessBuilder(python.toString(), "-c", "import dkim, nacl")
                .redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() != 0) {
            Assumptions.assumeFalse("true".equals(System.getenv("IT_REQUIRE_CLIENTS")));
            return "";
        }
        Path lines = home.resolve("zone.txt");
        Files.writeString(lines, String.join("",
                zone.entrySet().stream().map(each -> each.getKey() + "\t" + each.getValue() + "\n").toList()));
        Path file = Files.write(home.resolve("message.eml"), message.content());
        Process judge = new ProcessBuilder(python.toString(), "-c", DKIMPY, lines.toString(), file.toString())
                .redirectErrorStream(true).start();
        String said = new String(judge.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(judge.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(judge.exitValue()).as(said).isZero();
        return said;
    }

    private static List<String> signatures(ReceivedMessage message) {
        return message.text().lines().filter(line -> line.startsWith("DKIM-Signature:")).toList();
    }

    @Test
    void mailOfARelayNetworkIsSignedByEachKeyOfItsAuthorsDomain() throws Exception {
        send(OWN_CLIENT, HEADER + "\r\nHello.\r\n..two dots\r\n", "bob@far.example");
        assertThat(verdicts(received(far, 1))).containsExactly("here.example PASS", "here.example PASS");
        assertThat(received(far, 1).text()).startsWith("DKIM-Signature: v=1; a=rsa-sha256;");
    }

    /// RFC 8058 wants both List fields signed. Each copy has its own, and a trace of its own.
    @Test
    void theTraceAndTheLinkToUnsubscribeAreSigned() throws Exception {
        send(OWN_CLIENT, HEADER + "\r\nHello.\r\n", "bob@far.example");
        send(OWN_CLIENT, HEADER + "\r\nHello.\r\n", "cid@far.example");
        send(STRANGER, HEADER + "\r\nHello.\r\n", "forward@here.example");
        received(far, 3);
        ReceivedMessage bob = receivedFor("bob@far.example");
        ReceivedMessage cid = receivedFor("cid@far.example");
        assertThat(verdicts(bob)).containsExactly("here.example PASS", "here.example PASS");
        assertThat(verdicts(cid)).containsExactly("here.example PASS", "here.example PASS");
        assertThat(field(bob, "Slipstream-Trace")).isNotEqualTo(field(cid, "Slipstream-Trace"));
        String unfolded = bob.text().replaceAll("\r\n[ \t]+", "");
        assertThat(unfolded.substring(0, unfolded.indexOf("b=")).toLowerCase(Locale.ROOT))
                .contains(":list-unsubscribe:list-unsubscribe-post:", ":slipstream-trace");
        assertThat(field(bob, "List-Unsubscribe")).startsWith(" <https://lists.example/leave/");
        assertThat(field(bob, "List-Unsubscribe-Post")).isEqualTo(" List-Unsubscribe=One-Click");
        String changed = bob.text().replaceFirst("(Slipstream-Trace: 1\r\n ).", "$1~");
        assertThat(results(new ReceivedMessage(bob.sender(), bob.recipients(), bob.mailArguments(),
                changed.getBytes(StandardCharsets.UTF_8), 1, bob.reply(), bob.atNanos())).stream()
                .map(DkimResult::verdict))
                .doesNotContain(DkimVerdict.PASS);
        ReceivedMessage forwarded = far.messages().stream().filter(each -> each != bob && each != cid).findFirst()
                .orElseThrow();
        assertThat(forwarded.text()).as("of a stranger").doesNotContain("Slipstream-Trace")
                .doesNotContain("List-Unsubscribe");
    }

    /// Deliveries overtake each other.
    private ReceivedMessage receivedFor(String recipient) {
        return far.messages().stream().filter(each -> each.recipients().toString().contains(recipient)).findFirst()
                .orElseThrow();
    }

    private static String field(ReceivedMessage message, String name) throws IOException {
        return new StreamedMessage(new ByteArrayInputStream(message.content())).header().orElseThrow()
                .values(name.toLowerCase(Locale.ROOT)).getFirst();
    }

    @Test
    void eightBitsInTheHeaderAreSignedAsTheyAre() throws Exception {
        send(OWN_CLIENT, HEADER + "X-City: Köln\r\nComments:  a\r\n\tb \r\n\r\nKöln.  \r\n\r\n\r\n", "bob@far.example");
        assertThat(verdicts(received(far, 1))).containsExactly("here.example PASS", "here.example PASS");
    }

    /// Each host gets the message in the form that it takes, with a signature of this form.
    @Test
    void aMessageThatIsConvertedIsSignedBehindTheConversion() throws Exception {
        send(OWN_CLIENT, HEADER + "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
                + "Content-Transfer-Encoding: 8bit\r\n\r\nKöln\r\n" + "long ".repeat(300) + "\r\n", "a@old.example",
                "b@far.example");
        ReceivedMessage converted = received(old, 1);
        assertThat(converted.text()).contains("Content-Transfer-Encoding: quoted-printable");
        assertThat(verdicts(converted)).containsExactly("here.example PASS", "here.example PASS");
        assertThat(verdicts(received(far, 1))).containsExactly("here.example PASS", "here.example PASS");
    }

    /// Each stranger can write our domain into From. A signature would make it true.
    @Test
    void mailOfAStrangerThatIsForwardedIsNotSigned() throws Exception {
        send(STRANGER, HEADER + "\r\nHello.\r\n", "forward@here.example");
        assertThat(received(far, 1).recipients()).containsExactly("carl@far.example");
        assertThat(signatures(received(far, 1))).isEmpty();
        send(OWN_CLIENT, HEADER + "\r\nHello.\r\n", "forward@here.example");
        assertThat(verdicts(received(far, 2))).containsExactly("here.example PASS", "here.example PASS");
    }

    @Test
    void mailFromAnotherDomainOrFromSeveralFieldsIsNotSigned() throws Exception {
        send(OWN_CLIENT, HEADER.replace("here.example>\r\nTo", "other.example>\r\nTo") + "\r\nHello.\r\n",
                "bob@far.example");
        assertThat(signatures(received(far, 1))).isEmpty();
        send(OWN_CLIENT, "From: ceo@bank.example\r\n" + HEADER + "\r\nHello.\r\n", "bob@far.example");
        assertThat(signatures(received(far, 2))).isEmpty();
    }

    @Test
    void aReportOfThisServerIsSigned() throws Exception {
        try (SmtpSink refusing = SmtpSink.start(SinkScript.smtp().on(SinkPhase.RCPT,
                SinkAction.reply("550 5.1.1 User unknown")))) {
            server.close();
            server = SmallServer.start(home, "routes.far.example=smtp:127.0.0.1:" + far.port(),
                    "routes.gone.example=smtp:127.0.0.1:" + refusing.port());
            try (SmtpTalker talker = SmtpTalker.introducedTo(server.server().smtp().orElseThrow())) {
                talker.send(new OutgoingMessage("bob@far.example", List.of("x@gone.example"),
                        (HEADER + "\r\nHello.\r\n").getBytes(StandardCharsets.US_ASCII)));
            }
            ReceivedMessage report = received(far, 1);
            assertThat(report.sender()).isEmpty();
            assertThat(verdicts(report)).isNotEmpty().allMatch(each -> each.endsWith(" PASS"));
        }
    }

    /// `mta check --to`: the verdict before the message is sent is that of its receiver.
    @Test
    void aTestMessageIsJudgedAndArrivesAsItWasJudged() throws Exception {
        server.close();
        int port = UnusedPort.now();
        try (StubDns dns = StubDns.of("""
                here.example. IN TXT "v=spf1 ip4:192.0.2.25 -all"
                _dmarc.here.example. IN TXT "v=DMARC1; p=reject"
                25.2.0.192.in-addr.arpa. IN PTR mta.example.
                mta.example. IN A 192.0.2.25
                """)) {
            zone.forEach(dns::txt);
            Files.writeString(home.resolve("mta.toml"), """
                    hostname = "mta.example"
                    [listen]
                    smtp = "127.0.0.1:%d"
                    submission = "off"
                    [local]
                    domains = ["here.example"]
                    [smtp-client]
                    dns-servers = ["%s"]
                    [routes]
                    "far.example" = "smtp:127.0.0.1:%d"
                    """.formatted(port, dns.address(), far.port()));
            server = SmallServer.start(home, "listen.smtp=127.0.0.1:" + port);
            Shell.Ran ran = new Shell(home).run("check", "--to", "bob@far.example", "--from", "ann@here.example",
                    "--address", "192.0.2.25");
            assertThat(ran.out()).contains("SPF is aligned, DKIM is aligned", "follow it with mta explain ID");
            ReceivedMessage message = received(far, 1);
            assertThat(message.recipients()).containsExactly("bob@far.example");
            assertThat(message.text()).contains("Subject: A test of mail from here.example");
            assertThat(verdicts(message)).hasSize(2).allMatch(each -> each.equals("here.example PASS"));
        }
    }

    /// A day with a judged message and a session with TLS, and the night after it on another clock: the owner gets both
    /// reports through the queue, signed, and our own commands read them.
    @Test
    void theReportsOfADayAreSignedAndCanBeRead() throws Exception {
        try (StubDns dns = StubDns.of("""
                far.example. IN TXT "v=spf1 -all"
                _dmarc.far.example. IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@far.example"
                _smtp._tls.far.example. IN TXT "v=TLSRPTv1; rua=mailto:tls@far.example"
                """)) {
            server.close();
            server = SmallServer.start(home, "routes.far.example=smtp:127.0.0.1:" + far.port(), "relay.networks=",
                    "local.mailboxes=*", "trust.xclient=127.0.0.1", "smtp-client.dns-servers=" + dns.address(),
                    "policy.sender-authentication=note", "reports.dmarc=true", "reports.tls=true");
            try (SmtpTalker talker = SmtpTalker.introducedTo(server.server().smtp().orElseThrow())) {
                talker.must(220, "XCLIENT ADDR=203.0.113.9");
                talker.must(250, "EHLO forger.example");
                assertThat(talker.send(new OutgoingMessage("eve@far.example", List.of("bob@here.example"),
                        "From: <eve@far.example>\r\nSubject: x\r\n\r\nx\r\n".getBytes(StandardCharsets.UTF_8))).code())
                        .isEqualTo(250);
            }
            DailyReports today = server.server().live().dailyReports();
            today.ended(new TlsOutcome(ReportedTlsPolicy.none("far.example"), TlsResult.STARTTLS_NOT_SUPPORTED,
                    Optional.of("mx.far.example"), Optional.empty(), Optional.empty(), ""));
            today.period();
            assertThat(far.messages()).isEmpty();
            Instant night = Instant.now().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.DAYS)
                    .plus(Duration.ofHours(6));
            new DailyReports(home.resolve("reports"), server.server().live()::reportParts, () -> night).period();
            received(far, 2);
            Map<String, String> told = new TreeMap<>();
            for (ReceivedMessage report : far.messages()) {
                assertThat(report.sender()).isEmpty();
                assertThat(verdicts(report)).isNotEmpty().allMatch(each -> each.endsWith(" PASS"));
                told.put(report.recipients().getFirst(), told(report));
            }
            assertThat(told.get("dmarc@far.example")).contains("203.0.113.9", "far.example");
            assertThat(told.get("tls@far.example")).contains("1 session, 0 good, 1 failed", "does not offer STARTTLS");
            try (Stream<Path> left = Files.walk(home.resolve("reports"))) {
                assertThat(left.filter(Files::isRegularFile)).isEmpty();
            }
        }
    }

    /// A report in the words of the command for its kind.
    private String told(ReceivedMessage report) throws Exception {
        MimeMessage message = new MimeMessage(Session.getInstance(new Properties()),
                new ByteArrayInputStream(report.content()));
        BodyPart file = ((MimeMultipart) message.getContent()).getBodyPart(1);
        Path stored = Files.write(home.resolve("attached"), file.getInputStream().readAllBytes());
        Shell.Ran ran = new Shell(home).run(file.getFileName().endsWith(".xml.gz") ? "dmarc" : "tlsrpt", "report",
                stored.toString());
        assertThat(ran.exit()).as(ran.err()).isZero();
        return ran.out();
    }

    /// Rspamd may have signed it.
    @Test
    void aSignatureThatIsThereIsNotMadeAgain() throws Exception {
        send(OWN_CLIENT, HEADER + "\r\nHello.\r\n", "bob@far.example");
        String signed = received(far, 1).text();
        send(OWN_CLIENT, signed, "bob@far.example");
        assertThat(signatures(received(far, 2))).hasSize(2);
        assertThat(verdicts(received(far, 2))).containsExactly("here.example PASS", "here.example PASS");
    }

    @Test
    void changesOfKeysTakeEffectWithoutARestart() throws Exception {
        create("here.example", DkimAlgorithm.RSA);
        keys.rotate("here.example", Instant.now());
        String selector = keys.keys("here.example").stream()
                .filter(stored -> stored.state() == KeyState.ACTIVE && stored.key().algorithm() == DkimAlgorithm.RSA)
                .findFirst().orElseThrow().key().name().selector();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            int before = far.messages().size();
            send(OWN_CLIENT, HEADER + "\r\nHello.\r\n", "bob@far.example");
            return received(far, before + 1).text().contains("s=" + selector + ";");
        });
        assertThat(verdicts(far.messages().getLast())).containsExactly("here.example PASS", "here.example PASS");
    }
}
