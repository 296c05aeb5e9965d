package org.slipstream.auth.aggregate;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.auth.TextZone;
import org.slipstream.auth.aggregate.AggregateReader.ReportReading;
import org.slipstream.auth.aggregate.AggregateReport.PublishedPolicy;
import org.slipstream.auth.aggregate.AggregateReport.ReportRow;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSignature;
import org.slipstream.auth.aggregate.ReportedMessage.ReportedSpf;
import org.slipstream.auth.dmarc.AuthenticatedName;
import org.slipstream.auth.dmarc.DmarcEvaluation;
import org.slipstream.auth.dmarc.DmarcPolicy;
import org.slipstream.auth.dmarc.DmarcRecord;
import org.slipstream.auth.dmarc.DmarcVerdict;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.auth.spf.SpfIdentity;
import org.slipstream.auth.spf.SpfResult;
import org.slipstream.auth.spf.SpfVerdict;
import org.slipstream.core.Address;
import org.xml.sax.SAXException;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.SchemaFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

@Timeout(120)
class AggregateReportTest {
    private static final DmarcRecord RECORD = DmarcRecord
            .parse("v=DMARC1; p=reject; np=quarantine; rua=mailto:a@example.com");

    private static ReportedMessage message(String source, String text) {
        return new ReportedMessage(source, "reject", false, false, Optional.of("local_policy"), text,
                Optional.of(text), List.of(new ReportedSignature(text, text, "fail")),
                Optional.of(new ReportedSpf(text, "softfail")));
    }

    private static AggregateReport report(String domain, ReportRow... rows) {
        return new AggregateReport(
                new ReportSource("mx.example.org", "postmaster@example.org", "1.example.com@mx.example.org",
                        Instant.ofEpochSecond(1_764_115_200), Instant.ofEpochSecond(1_764_201_600), Optional.empty()),
                PublishedPolicy.of(domain, RECORD), List.of(rows));
    }

    private static AggregateReport report() {
        return report("example.com", new ReportRow(message("192.0.2.1", "example.com"), 3),
                new ReportRow(new ReportedMessage("2001:db8::1", "pass", true, false, Optional.empty(),
                        "news.example.com", Optional.empty(), List.of(), Optional.empty()), 7));
    }

    private static void validate(byte[] xml) throws SAXException, IOException {
        var schema = SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI)
                .newSchema(AggregateReportTest.class.getResource("/dmarc/rfc9990.xsd"));
        schema.newValidator().validate(new StreamSource(new ByteArrayInputStream(xml)));
    }

    private static AggregateReport read(byte[] file) {
        return ((ReportReading.Good) AggregateReader.read(file)).report();
    }

    private static String wrong(String text) {
        return wrong(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String wrong(byte[] file) {
        return ((ReportReading.Wrong) AggregateReader.read(file)).what();
    }

    private static byte[] sample() throws IOException {
        try (var in = AggregateReportTest.class.getResourceAsStream("/dmarc/rfc9990-sample.xml")) {
            return Objects.requireNonNull(in).readAllBytes();
        }
    }

    @Test
    void aReportFitsTheSchemaAndIsReadAgain() throws Exception {
        validate(AggregateWriter.xml(report()));
        var read = read(AggregateWriter.gzip(report()));
        assertThat(read.rows()).containsExactlyInAnyOrderElementsOf(report().rows());
        assertThat(read.source()).isEqualTo(report().source());
        assertThat(read.policy()).isEqualTo(report().policy());
    }

    @Test
    void theSampleOfTheRfc() throws IOException {
        var read = read(sample());
        assertThat(read.source().organization()).isEqualTo("Sample Reporter");
        assertThat(read.messages()).isEqualTo(123);
        assertThat(read.rows().getFirst().message().signatures())
                .containsExactly(new ReportedSignature("example.com", "abc123", "pass"));
        assertThat(ReportSummary.lines(read)).contains("123 messages: 123 pass, 0 fail");
    }

    @Test
    void aMarkBeforeTheTextAndOctetsThatAreNoText() throws IOException {
        var text = "\ufeff" + new String(sample(), StandardCharsets.UTF_8).replace("Sample", "\ufffd\u00e9");
        assertThat(read(text.getBytes(StandardCharsets.UTF_8)).messages()).isEqualTo(123);
        assertThat(read(text.substring(1).getBytes(StandardCharsets.ISO_8859_1)).messages()).isEqualTo(123);
    }

    @Test
    void reportsInAZip() throws IOException {
        var out = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("../../etc/passwd"));
            zip.write(sample());
        }
        assertThat(read(out.toByteArray()).messages()).isEqualTo(123);
    }

    @Test
    void namesOfTheFileAndTheSubject() {
        assertThat(report().source().fileName("example.com", "mx.example.org", "xml.gz"))
                .isEqualTo("mx.example.org!example.com!1764115200!1764201600.xml.gz");
        assertThat(report().source().subject("example.com", "mx.example.org")).isEqualTo("Report Domain: example.com"
                + " Submitter: mx.example.org Report-ID: <1.example.com@mx.example.org>");
        var hostile = "../a\r\nBcc: x@y\u0000!\"<é";
        assertThat(report().source().fileName(hostile, "mx", "xml.gz")).matches("[A-Za-z0-9._!-]+");
        assertThat(report().source().subject(hostile, "mx\r\nX: y")).matches("[ -~]+");
    }

    @Test
    void textOfStrangersStaysText() throws Exception {
        for (String hostile : List.of("</domain><p>none</p>", "]]>", "&x;", "a\r\nb", "a\u0000b", "\ud800", "\ufffe",
                "\u202e", "x".repeat(100_000), "<!--", "🙂")) {
            var report = report(hostile, new ReportRow(message(hostile, hostile), 1));
            validate(AggregateWriter.xml(report));
            assertThat(read(AggregateWriter.gzip(report)).rows()).hasSize(1);
            assertThat(ReportSummary.lines(report)).allSatisfy(line -> assertThat(line).doesNotContain("\n", "\r",
                    "\u0000", "\u202e"));
        }
    }

    @Test
    void tenThousandRowsAreWrittenAndTheRestIsCounted() throws Exception {
        var rows = IntStream.range(0, 10_500).mapToObj(i -> new ReportRow(message("192.0.2." + i, "example.com"), i))
                .toArray(ReportRow[]::new);
        var xml = AggregateWriter.xml(report("example.com", rows));
        validate(xml);
        assertThat(xml.length).isLessThan(16 << 20);
        var read = read(xml);
        assertThat(read.rows()).hasSize(10_000).first().extracting(ReportRow::count).isEqualTo(10_499L);
        assertThat(read.source().error()).contains("500 rows are left out");
    }

    @Test
    void documentTypesAndEntitiesAreRefused() {
        var bomb = "<!DOCTYPE lolz [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><feedback><report_metadata>"
                + "<org_name>&b;</org_name></report_metadata></feedback>";
        assertThat(wrong(bomb)).contains("no report");
        assertThat(wrong("<!DOCTYPE f SYSTEM \"file:///etc/passwd\"><feedback/>")).contains("no report");
        assertThat(wrong("<!DOCTYPE f [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><feedback>&x;</feedback>"))
                .contains("no report");
        assertThat(wrong("<!DOCTYPE f [<!ENTITY % x SYSTEM \"http://192.0.2.1/x\"> %x;]><feedback/>"))
                .contains("no report");
        assertThat(wrong("<feedback>&x;</feedback>")).contains("no report");
    }

    @Test
    void aBombOfGzipEnds() throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write("<feedback><version>".getBytes(StandardCharsets.UTF_8));
            var zeros = new byte[1 << 20];
            Arrays.fill(zeros, (byte) 'x');
            for (int i = 0; i < 200; i++) {
                gzip.write(zeros);
            }
        }
        assertThat(out.size()).isLessThan(1 << 20);
        assertThat(wrong(out.toByteArray())).contains("longer than 32 MiB");
    }

    @Test
    void depthRowsAndValuesAreBounded() throws IOException {
        assertThat(wrong("<a>".repeat(100_000))).contains("elements inside each other");
        var head = "<feedback><report_metadata><org_name>x</org_name></report_metadata><policy_published><domain>d"
                + "</domain></policy_published>";
        assertThat(wrong(head + "<record></record>".repeat(50_001) + "</feedback>")).contains("50000 rows");
        assertThat(read((head + "<record></record>".repeat(50_000) + "</feedback>").getBytes(StandardCharsets.UTF_8))
                .rows()).hasSize(50_000);
        var wide = new StringBuilder(head).append("<record>");
        IntStream.range(0, 500_000).forEach(i -> wide.append("<v").append(i).append("/>"));
        assertThat(read(wide.append("</record></feedback>").toString().getBytes(StandardCharsets.UTF_8)).rows())
                .hasSize(1);
        var signed = head + "<record><auth_results>" + "<dkim><domain>d</domain></dkim>".repeat(10_000)
                + "</auth_results></record></feedback>";
        assertThat(read(signed.getBytes(StandardCharsets.UTF_8)).rows().getFirst().message().signatures()).hasSize(20);
    }

    @Test
    void numbersOfStrangers() {
        var text = new String(AggregateWriter.xml(report()), StandardCharsets.UTF_8);
        for (String number : List.of("-1", "9223372036854775808", "1e9", "", "99999999999999", "999999999999")) {
            var changed = text.replace("1764115200", number).replace("<count>3<", "<count>" + number + "<");
            assertThat(ReportSummary.lines(read(changed.getBytes(StandardCharsets.UTF_8)))).isNotEmpty();
        }
    }

    @Test
    void filesThatAreNoReports() {
        for (String text : List.of("", "x", "PK", "PK\u0003\u0004", "<feedback/>", "<html/>", "\u001f", "<",
                "<?xml version='1.0' encoding='x'?><a/>")) {
            assertThat(wrong(text)).as(text).contains("no report");
        }
        assertThat(wrong(new byte[]{0x1f, (byte) 0x8b, 8})).contains("no report");
    }

    @Test
    void filesWithDamageMakeNoException() throws IOException {
        var random = new Random(32);
        List<byte[]> seeds = new ArrayList<>(List.of(sample(), AggregateWriter.gzip(report())));
        var out = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("é.xml"));
            zip.write(sample());
        }
        seeds.add(out.toByteArray());
        for (int i = 0; i < 6_000; i++) {
            var file = seeds.get(i % seeds.size()).clone();
            for (int j = random.nextInt(1, 6); j > 0; j--) {
                file[random.nextInt(file.length)] = (byte) random.nextInt(256);
            }
            assertThatNoException().as("seed 32, round " + i).isThrownBy(() -> AggregateReader.read(file));
        }
    }

    @Test
    void messagesOfVerdicts() {
        var zone = TextZone.of("""
                _dmarc.example.com TXT v=DMARC1; p=reject; t=y
                """);
        var spf = new SpfVerdict(SpfResult.SOFTFAIL, SpfIdentity.MAILFROM, "list.example", "x", 0, Optional.empty());
        var client = InetAddress.ofLiteral("2001:db8:0:0::1");
        var signatures = List.of(new ReportedSignature("a.example", "s", "fail"),
                new ReportedSignature("b.example", "s", "pass"), new ReportedSignature("example.com", "s", "pass"));
        DmarcVerdict failed = DmarcEvaluation.check(zone, List.of("a@example.com"), List.of());
        var tested = ReportedMessage.of(client, failed, DmarcPolicy.QUARANTINE, spf, Optional.of("list.example"),
                signatures);
        assertThat(tested.override()).contains("policy_test_mode");
        assertThat(tested.source()).isEqualTo("2001:db8::1");
        assertThat(tested.signatures()).extracting(ReportedSignature::domain).containsExactly("example.com",
                "b.example", "a.example");
        assertThat(ReportedMessage.of(client, failed, DmarcPolicy.NONE, spf, Optional.empty(), List.of()).override())
                .contains("local_policy");
        assertThat(ReportedMessage.of(client, failed, DmarcPolicy.REJECT, spf, Optional.empty(), List.of())
                .override()).isEmpty();
        DmarcVerdict passed = DmarcEvaluation.check(zone, List.of("a@example.com"),
                List.of(new AuthenticatedName(AuthenticatedName.AuthenticatedBy.DKIM, "example.com", true)));
        var good = ReportedMessage.of(client, passed, DmarcPolicy.NONE, spf, Optional.empty(),
                Collections.nCopies(10_000, signatures.getFirst()));
        assertThat(good.disposition()).isEqualTo("pass");
        assertThat(good.signatures()).hasSize(20);
    }

    @Test
    void aSummaryInWords() {
        assertThat(ReportSummary.lines(report())).containsExactly(
                "mx.example.org reports about example.com, from 2025-11-26 00:00 to 2025-11-27 00:00 UTC",
                "the policy is p=reject", "10 messages: 7 pass, 3 fail",
                "  3  192.0.2.1 as example.com: the signature of example.com is fail; SPF of example.com is softfail;"
                        + " refused (local policy)",
                "find out for each source whether it sends for you: if so, let it sign with d=example.com or put it"
                        + " into the SPF record; if not, the policy is what stops it");
        var many = IntStream.range(0, 1_000).mapToObj(i -> new ReportRow(message("192.0.2." + i, "example.com"), 1))
                .toArray(ReportRow[]::new);
        assertThat(ReportSummary.lines(report("example.com", many))).hasSize(25)
                .contains("  and 980 more sources");
    }

    @Test
    void destinationsOutsideTheOrganization() {
        var zone = TextZone.of("""
                _dmarc.example.com TXT v=DMARC1; p=none
                example.com._report._dmarc.agrees.test TXT v=DMARC1
                example.com._report._dmarc.moves.test TXT v=DMARC1; rua=mailto:other@moves.test
                example.com._report._dmarc.abuses.test TXT v=DMARC1; rua=mailto:victim@bank.test
                example.com._report._dmarc.wrong.test TXT v=spf1 -all
                example.com._report._dmarc.silent.test TXT !
                """);
        var record = DmarcRecord.parse("v=DMARC1; p=none; rua=mailto:a@example.com,mailto:a@sub.example.com,"
                + "mailto:a@agrees.test,mailto:a@moves.test,mailto:a@abuses.test,mailto:a@wrong.test,"
                + "mailto:a@silent.test,mailto:a@victim.test,mailto:a@" + "x.".repeat(120) + "test");
        assertThat(ReportDestinations.allowed(zone, "example.com", record)).containsExactly(
                Address.of("a@example.com"), Address.of("a@sub.example.com"), Address.of("a@agrees.test"),
                Address.of("other@moves.test"));
        assertThat(zone.asked.size()).isLessThan(80);
    }
}
