package org.slipstream.server.daily;

import jakarta.mail.Session;
import jakarta.mail.internet.MimeBodyPart;
import jakarta.mail.internet.MimeMessage;
import jakarta.mail.internet.MimeMultipart;
import jakarta.mail.internet.MimeUtility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.auth.aggregate.AggregateReader;
import org.slipstream.auth.aggregate.AggregateReport;
import org.slipstream.auth.aggregate.AggregateReport.PublishedPolicy;
import org.slipstream.auth.aggregate.JudgedMessage;
import org.slipstream.auth.aggregate.ReportedMessage;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSignature;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSpf;
import org.slipstream.auth.dmarc.DmarcRecord;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy.PolicyKind;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.auth.tlsreport.TlsReport;
import org.slipstream.auth.tlsreport.TlsReportReader;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.config.DailyReportSettings;
import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.SenderTls;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.RecordType;
import org.slipstream.core.dns.TextAnswer;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.server.report.Contact;
import org.slipstream.testkit.SimulatedClock;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

@Timeout(120)
class DailyReportsTest {
    private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");
    private static final PublishedPolicy POLICY = PublishedPolicy.of("sender.example",
            DmarcRecord.parse("v=DMARC1; p=reject; rua=mailto:dmarc@sender.example"));
    private static final ReportedTlsPolicy STS = new ReportedTlsPolicy(PolicyKind.STS, "far.example",
            List.of("version: STSv1", "mode: enforce"), List.of("mx.far.example"));

    private final Path home;
    private final SimulatedClock clock = new SimulatedClock(NOON);
    private final Map<String, TextAnswer> zone = new HashMap<>(Map.of(
            "_dmarc.sender.example", text("v=DMARC1; p=reject; rua=mailto:dmarc@sender.example"),
            "_smtp._tls.far.example", text("v=TLSRPTv1; rua=mailto:tls@far.example,https://far.example/x")));
    private Duration dnsTakes = Duration.ZERO;
    private final DnsLookup dns = (name, type) -> {
        clock.advance(dnsTakes);
        return type == RecordType.TXT
                ? zone.getOrDefault(name, new TextAnswer.None(false))
                : new TextAnswer.None(false);
    };
    private DailyReportSettings settings = new DailyReportSettings(true, true);
    private boolean full;
    private final List<Sent> sent = new ArrayList<>();
    private DailyReports reports;

    DailyReportsTest(@TempDir Path home) {
        this.home = home;
        this.reports = reports();
    }

    private record Sent(Envelope envelope, byte[] content) {
        MimeMessage message() throws Exception {
            return new MimeMessage(Session.getInstance(new Properties()), new ByteArrayInputStream(content));
        }

        String header(String name) throws Exception {
            return MimeUtility.unfold(message().getHeader(name, null));
        }

        MimeBodyPart part(int number) throws Exception {
            MimeMultipart parts = (MimeMultipart) message().getContent();
            assertThat(parts.isComplete()).isTrue();
            assertThat(parts.getCount()).isEqualTo(2);
            return (MimeBodyPart) parts.getBodyPart(number);
        }

        byte[] file() throws Exception {
            return part(1).getInputStream().readAllBytes();
        }

        AggregateReport dmarc() throws Exception {
            return ((AggregateReader.ReportReading.Good) AggregateReader.read(file())).report();
        }

        TlsReport tls() throws Exception {
            return ((TlsReportReader.TlsReading.Good) TlsReportReader.read(file())).report();
        }
    }

    private static TextAnswer text(String text) {
        return new TextAnswer.Found(List.of(text));
    }

    private DailyReports reports() {
        return new DailyReports(home.resolve("reports"),
                () -> new DailyReports.DailyParts("mx.here.example", settings,
                        new Contact(Address.of("postmaster@here.example"), List.of("here.example"), "mx.here.example"),
                        dns,
                        this::submit, new ReportPost()),
                clock);
    }

    private MessageSummary submit(Envelope envelope, byte[] content) throws IOException {
        if (full) {
            throw new IOException("No space left on device");
        }
        sent.add(new Sent(envelope, content));
        return new MessageSummary(new QueueId(sent.size()), envelope.sender(), 0, content.length, 1, 1, 0, 0, false, 0,
                DeliveryOptions.NONE);
    }

    private static JudgedMessage judged(String source, String text) {
        return new JudgedMessage(POLICY, new ReportedMessage(source, "reject", false, false, Optional.empty(), text,
                Optional.of(text), List.of(new ReportedSignature(text, text, "fail")),
                Optional.of(new ReportedSpf(text, "fail"))));
    }

    private static JudgedMessage judged(String source) {
        return judged(source, "sender.example");
    }

    private static TlsOutcome session(TlsResult result, String host) {
        return new TlsOutcome(STS, result, Optional.of(host), Optional.empty(), Optional.empty(), "");
    }

    private void nextDay() {
        reports.period();
        clock.advance(Duration.ofDays(1));
        reports.period();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(home)) {
            return all.filter(Files::isRegularFile).map(each -> home.relativize(each).toString()).sorted()
                    .collect(Collectors.toList());
        }
    }

    private Path file() {
        return home.resolve("reports/2026-11-26.dmarc/sender.example.xml.gz");
    }

    @Test
    void aDayOfJudgedMailIsOneReport() throws Exception {
        reports.judged(judged("192.0.2.1"));
        reports.judged(judged("192.0.2.1"));
        reports.period();
        assertThat(files()).containsExactly("reports/2026-11-26.dmarc/sender.example.xml.gz");
        reports.judged(judged("192.0.2.1"));
        reports.judged(judged("192.0.2.2"));
        nextDay();
        assertThat(sent).hasSize(1);
        var mail = sent.getFirst();
        assertThat(mail.dmarc().rows()).extracting(row -> row.message().source() + " " + row.count())
                .containsExactly("192.0.2.1 3", "192.0.2.2 1");
        assertThat(mail.dmarc().source().begin()).isEqualTo("2026-11-26T00:00:00Z");
        assertThat(mail.dmarc().source().end()).isEqualTo("2026-11-26T23:59:59Z");
        assertThat(mail.dmarc().source().contact()).isEqualTo("postmaster@here.example");
        assertThat(mail.envelope().sender()).isEmpty();
        assertThat(mail.envelope().recipients()).singleElement().satisfies(each -> {
            assertThat(each.address()).isEqualTo(Address.of("dmarc@sender.example"));
            assertThat(each.notifyOn()).containsExactly(DsnNotify.NEVER);
        });
        assertThat(mail.header("Subject")).isEqualTo("Report Domain: sender.example Submitter: here.example"
                + " Report-ID: <2026-11-26.dmarc.sender.example@mx.here.example>");
        assertThat(mail.header("Auto-Submitted")).isEqualTo("auto-generated");
        assertThat(mail.header("From")).isEqualTo("<postmaster@here.example>");
        assertThat(mail.part(1).getFileName())
                .isEqualTo("here.example!sender.example!1795651200!1795737599.xml.gz");
        assertThat(mail.part(1).getContentType()).startsWith("application/gzip");
        assertThat(mail.part(0).getContent().toString()).contains("sender.example", "mx.here.example");
        assertThat(files()).isEmpty();
        nextDay();
        assertThat(sent).hasSize(1);
    }

    @Test
    void aDayOfSessionsIsOneReport() throws Exception {
        reports.ended(session(TlsResult.SUCCESS, "mx1.far.example"));
        reports.ended(session(TlsResult.SUCCESS, "mx2.far.example"));
        reports.ended(session(TlsResult.CERTIFICATE_EXPIRED, "mx2.far.example"));
        nextDay();
        assertThat(sent).hasSize(1);
        var mail = sent.getFirst();
        assertThat(mail.tls().policies()).singleElement().satisfies(each -> {
            assertThat(each.policy()).isEqualTo(STS);
            assertThat(each.succeeded()).isEqualTo(2);
            assertThat(each.failed()).isEqualTo(1);
        });
        assertThat(mail.message().getContentType()).startsWith("multipart/report; report-type=tlsrpt;");
        assertThat(mail.header("TLS-Report-Domain")).isEqualTo("far.example");
        assertThat(mail.header("TLS-Report-Submitter")).isEqualTo("here.example");
        assertThat(mail.header("TLS-Required")).isEqualTo("No");
        assertThat(mail.envelope().options().tls()).isEqualTo(SenderTls.OPTIONAL);
        assertThat(mail.part(1).getContentType()).startsWith("application/tlsrpt+gzip");
        assertThat(mail.part(1).getFileName()).isEqualTo("here.example!far.example!1795651200!1795737599.json.gz");
        assertThat(mail.envelope().recipients()).extracting(each -> each.address().toString())
                .containsExactly("tls@far.example");
    }

    /// Such mail has a next hop whose sessions are not told. Otherwise two servers would report about their
    /// reports indefinitely.
    @Test
    void aTlsReportNeedsNoTls() {
        reports.ended(session(TlsResult.SUCCESS, "mx1.far.example"));
        nextDay();
        assertThat(sent).singleElement()
                .satisfies(report -> assertThat(report.envelope().options().tls()).isEqualTo(SenderTls.OPTIONAL));
    }

    @Test
    void whatIsSwitchedOffIsNeitherCountedNorSent() throws IOException {
        settings = new DailyReportSettings(false, false);
        reports.judged(judged("192.0.2.1"));
        reports.ended(session(TlsResult.SUCCESS, "mx"));
        nextDay();
        assertThat(files()).isEmpty();
        settings = new DailyReportSettings(true, false);
        reports.judged(judged("192.0.2.1"));
        reports.period();
        settings = new DailyReportSettings(false, true);
        clock.advance(Duration.ofDays(1));
        reports.period();
        assertThat(sent).isEmpty();
        assertThat(files()).hasSize(1);
    }

    @Test
    void aRestartLosesNothingThatIsOnDiskAndAnOrderlyStopNothing() throws Exception {
        reports.judged(judged("192.0.2.1"));
        reports.period();
        // Killed.
        reports.judged(judged("192.0.2.9"));
        reports = reports();
        reports.judged(judged("192.0.2.1"));
        reports.close();
        reports = reports();
        nextDay();
        assertThat(sent.getFirst().dmarc().rows()).extracting(row -> row.message().source() + " " + row.count())
                .containsExactly("192.0.2.1 2");
    }

    @Test
    void reportsGoAfterMidnightAtATimeOfEachServer() {
        reports.judged(judged("192.0.2.1"));
        reports.period();
        clock.advance(Duration.ofHours(12));
        reports.period();
        assertThat(sent).isEmpty();
        clock.advance(DailyReports.spread("mx.here.example").minusSeconds(1));
        reports.period();
        assertThat(sent).isEmpty();
        clock.advance(Duration.ofSeconds(1));
        reports.period();
        assertThat(sent).hasSize(1);
        assertThat(IntStream.range(0, 1_000).mapToObj(i -> DailyReports.spread("mx" + i + ".example")).distinct())
                .hasSizeGreaterThan(900).allMatch(each -> each.compareTo(Duration.ofMinutes(10)) >= 0
                        && each.compareTo(Duration.ofMinutes(250)) < 0);
    }

    @Test
    void aRecordThatIsGoneEndsTheReport() throws IOException {
        reports.judged(judged("192.0.2.1"));
        reports.ended(session(TlsResult.SUCCESS, "mx"));
        reports.period();
        zone.clear();
        nextDay();
        assertThat(sent).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void addressesOfOthersMustAgree() {
        zone.put("_dmarc.sender.example",
                text("v=DMARC1; p=reject; rua=mailto:a@victim.example,mailto:b@reader.example"));
        zone.put("sender.example._report._dmarc.reader.example", text("v=DMARC1"));
        reports.judged(judged("192.0.2.1"));
        nextDay();
        assertThat(sent).singleElement().satisfies(mail -> assertThat(mail.envelope().recipients())
                .extracting(each -> each.address().toString()).containsExactly("b@reader.example"));
    }

    @Test
    void fiveAddressesAtMost() {
        zone.put("_dmarc.sender.example", text("v=DMARC1; p=reject; rua=" + IntStream.range(0, 10)
                .mapToObj(i -> "mailto:a" + i + "@sender.example").collect(Collectors.joining(","))));
        reports.judged(judged("192.0.2.1"));
        nextDay();
        assertThat(sent.getFirst().envelope().recipients()).hasSize(5);
    }

    @Test
    void withoutAnAnswerOfDnsAReportWaitsAndIsGivenUpInTheEnd() throws IOException {
        reports.judged(judged("192.0.2.1"));
        reports.period();
        TextAnswer record = zone.put("_dmarc.sender.example", new TextAnswer.Trouble("timeout"));
        nextDay();
        assertThat(sent).isEmpty();
        zone.put("_dmarc.sender.example", record);
        clock.advance(Duration.ofMinutes(59));
        reports.period();
        assertThat(sent).isEmpty();
        clock.advance(Duration.ofMinutes(1));
        reports.period();
        assertThat(sent).hasSize(1);
        reports.judged(judged("192.0.2.1"));
        zone.put("_dmarc.sender.example", new TextAnswer.Trouble("timeout"));
        nextDay();
        nextDay();
        assertThat(files()).hasSize(1);
        nextDay();
        assertThat(files()).isEmpty();
    }

    @Test
    void aPageThatCannotBeReachedIsTriedAgainInAnHourAndTheOperatorIsTold() throws IOException {
        zone.put("_smtp._tls.far.example", text("v=TLSRPTv1; rua=https://reports.far.example/v1"));
        reports.ended(session(TlsResult.SUCCESS, "mx"));
        nextDay();
        assertThat(files()).hasSize(1);
        assertThat(reports.trouble()).get().satisfies(trouble -> {
            assertThat(trouble.meaning()).contains("daily reports to other domains wait: 1;");
            assertThat(trouble.reason()).contains("far.example: reports.far.example: DNS has no public address of it");
        });
        zone.put("_smtp._tls.far.example", text("v=TLSRPTv1; rua=mailto:tls@far.example"));
        reports.period();
        assertThat(sent).isEmpty();
        clock.advance(Duration.ofHours(1));
        reports.period();
        assertThat(sent).hasSize(1);
        assertThat(files()).isEmpty();
        assertThat(reports.trouble()).isEmpty();
    }

    @Test
    void aPageThatIsNotReachedInTwoDaysGetsNoReport() throws IOException {
        zone.put("_smtp._tls.far.example", text("v=TLSRPTv1; rua=https://reports.far.example/v1"));
        reports.ended(session(TlsResult.SUCCESS, "mx"));
        for (int day = 0; day < 3; day++) {
            nextDay();
        }
        reports.period();
        assertThat(files()).isEmpty();
        assertThat(reports.trouble()).isEmpty();
    }

    /// The message that was judged is in the spool long before.
    @Test
    void aReportThatCannotBeWrittenWaits() throws IOException {
        full = true;
        reports.judged(judged("192.0.2.1"));
        nextDay();
        assertThat(sent).isEmpty();
        assertThat(files()).hasSize(1);
        full = false;
        clock.advance(Duration.ofHours(1));
        reports.period();
        assertThat(sent).hasSize(1);
        assertThat(files()).isEmpty();
    }

    @Test
    void aFullDiskKeepsRowsInMemoryAndCountingGoesOn() throws Exception {
        // A file where the folder should be: no row can be written.
        Files.writeString(home.resolve("reports"), "x");
        reports.judged(judged("192.0.2.1"));
        reports.period();
        assertThatNoException().isThrownBy(() -> reports.judged(judged("192.0.2.1")));
        reports.period();
        Files.delete(home.resolve("reports"));
        nextDay();
        assertThat(sent.getFirst().dmarc().messages()).isEqualTo(2);
    }

    @Test
    void aDamagedFileIsSetAsideAndTheDayGoesOn() throws Exception {
        reports.judged(judged("192.0.2.1"));
        reports.period();
        Files.write(file(), new byte[]{1, 2, 3}, StandardOpenOption.TRUNCATE_EXISTING);
        reports.judged(judged("192.0.2.2"));
        reports.period();
        assertThat(files()).containsExactly("reports/2026-11-26.dmarc/sender.example.xml.gz",
                "reports/2026-11-26.dmarc/sender.example.xml.gz.damaged");
        nextDay();
        assertThat(sent.getFirst().dmarc().messages()).isEqualTo(1);
        nextDay();
        assertThat(files()).isEmpty();
    }

    @Test
    void oddFilesInTheFolderHarmNothing() throws IOException {
        Files.createDirectories(home.resolve("reports/2026-99-99.dmarc"));
        Files.createDirectories(home.resolve("reports/x"));
        Files.writeString(home.resolve("reports/2026-11-25.tls"), "a file");
        reports.judged(judged("192.0.2.1"));
        nextDay();
        assertThat(sent).hasSize(1);
    }

    @Test
    void rowsOfADomainAreBoundedAndNoMessageIsForgotten() throws Exception {
        for (int flood = 0; flood < 3; flood++) {
            for (int i = 0; i < 12_000; i++) {
                reports.judged(judged("192.0.2." + flood + "." + i));
            }
            reports.period();
        }
        assertThat(Files.size(file())).isLessThan(4 << 20);
        nextDay();
        var report = sent.getFirst().dmarc();
        assertThat(report.rows()).hasSizeBetween(5_000, 10_000);
        long leftOut = Long.parseLong(report.source().error().orElseThrow().replaceAll("[^0-9]", ""));
        assertThat(report.messages() + leftOut).isEqualTo(36_000);
    }

    @Test
    void domainsOfADayAreBounded() throws IOException {
        for (int i = 0; i < 5_000; i++) {
            reports.ended(new TlsOutcome(ReportedTlsPolicy.none("d" + i + ".example"), TlsResult.SUCCESS,
                    Optional.empty(), Optional.empty(), Optional.empty(), ""));
            if (i == 2_500) {
                reports.period();
            }
        }
        reports.period();
        assertThat(files()).hasSize(2_000);
        for (int i = 0; i < 21; i++) {
            clock.advance(Duration.ofDays(i == 0 ? 1 : 0).plus(Duration.ofMinutes(5)));
            reports.period();
        }
        assertThat(files()).isEmpty();
    }

    @Test
    void namesOfStrangersAreNoPaths() throws IOException {
        for (String hostile : List.of("../../etc/passwd", "a/b", "..", ".", "", "a\r\nb", "a\u0000b", "a;b", "-",
                "x".repeat(300), "é.example", "a..b")) {
            reports.ended(new TlsOutcome(ReportedTlsPolicy.none(hostile), TlsResult.SUCCESS, Optional.empty(),
                    Optional.empty(), Optional.empty(), ""));
        }
        reports.period();
        assertThat(files()).containsExactly("reports/2026-11-26.tls/-.json.gz");
    }

    @Test
    void textOfStrangersCannotBreakTheMail() throws Exception {
        zone.put("_dmarc.sender.example",
                text("v=DMARC1; p=reject; rua=mailto:%22a%0d%0aBcc:x%22@sender.example,mailto:%22a%20b%2C%3Cc%3E%22@sender.example"));
        for (String hostile : List.of("a\r\nBcc: x@y", "a\u0000b", ";", "</record>", "\ud800", "x".repeat(70_000))) {
            reports.judged(judged("192.0.2.1", hostile));
            reports.ended(session(TlsResult.VALIDATION_FAILURE, hostile));
        }
        nextDay();
        assertThat(sent).hasSize(2);
        for (Sent mail : sent) {
            String content = new String(mail.content(), StandardCharsets.UTF_8);
            assertThat(content.lines()).allMatch(line -> line.length() <= 998)
                    .noneMatch(line -> line.startsWith("Bcc"));
            assertThat(content).matches("(?s)[\\r\\n\\t -~]*");
            assertThat(mail.header("To")).isIn("<\"a b,<c>\"@sender.example>", "<tls@far.example>");
        }
        assertThat(sent.getFirst().dmarc().messages()).isEqualTo(6);
    }

    @Test
    void recordsOfSixtyFourKilobytesGiveNoReport() throws IOException {
        zone.put("_dmarc.sender.example", text("v=DMARC1; p=reject; rua=" + "mailto:a@sender.example,".repeat(2_800)));
        zone.put("_smtp._tls.far.example", text("v=TLSRPTv1; rua=" + "mailto:a@far.example,".repeat(3_200)));
        reports.judged(judged("192.0.2.1"));
        reports.ended(session(TlsResult.SUCCESS, "mx"));
        nextDay();
        assertThat(sent).isEmpty();
        assertThat(files()).isEmpty();
    }

    @Test
    void aHundredReportsInOnePeriod() {
        for (int i = 0; i < 150; i++) {
            zone.put("_smtp._tls.d" + i + ".example", text("v=TLSRPTv1; rua=mailto:a@d" + i + ".example"));
            reports.ended(new TlsOutcome(ReportedTlsPolicy.none("d" + i + ".example"), TlsResult.SUCCESS,
                    Optional.empty(), Optional.empty(), Optional.empty(), ""));
        }
        nextDay();
        assertThat(sent).hasSize(100);
        reports.period();
        assertThat(sent).hasSize(150);
    }

    /// Each answer takes two minutes.
    @Test
    void aSlowDnsDoesNotKeepRowsInMemory() {
        for (int i = 0; i < 10; i++) {
            zone.put("_smtp._tls.d" + i + ".example", text("v=TLSRPTv1; rua=mailto:a@d" + i + ".example"));
            reports.ended(new TlsOutcome(ReportedTlsPolicy.none("d" + i + ".example"), TlsResult.SUCCESS,
                    Optional.empty(), Optional.empty(), Optional.empty(), ""));
        }
        reports.period();
        clock.advance(Duration.ofDays(1));
        dnsTakes = Duration.ofMinutes(2);
        reports.period();
        assertThat(sent).hasSize(3);
        reports.period();
        assertThat(sent).hasSize(6);
    }
}
