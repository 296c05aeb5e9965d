package org.slipstream.auth.tlsreport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slipstream.auth.TextZone;
import org.slipstream.auth.report.ReportFile;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.auth.tlsreport.ReportedTlsPolicy.PolicyKind;
import org.slipstream.auth.tlsreport.TlsReport.FailureCount;
import org.slipstream.auth.tlsreport.TlsReport.PolicyCounts;
import org.slipstream.auth.tlsreport.TlsReport.ReportedTlsFailure;
import org.slipstream.auth.tlsreport.TlsReportReader.TlsReading;
import org.slipstream.core.Address;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(120)
class TlsReportTest {
    private static final ReportedTlsPolicy STS = new ReportedTlsPolicy(PolicyKind.STS, "Example.COM",
            List.of("version: STSv1", "mode: enforce", "mx: *.example.com", "max_age: 86400"),
            List.of("*.example.com"));
    private static final ReportSource SOURCE = new ReportSource("mx.example.org", "postmaster@example.org",
            "2026-11-26.example.com@mx.example.org", Instant.parse("2026-11-26T00:00:00Z"),
            Instant.parse("2026-11-26T23:59:59Z"), Optional.empty());
    private static final TlsReport EMPTY = new TlsReport(SOURCE, List.of());

    private static TlsOutcome failed(TlsResult result, String host, String reason) {
        return new TlsOutcome(STS, result, Optional.of(host), Optional.of(InetAddress.ofLiteral("192.0.2.1")),
                Optional.of(InetAddress.ofLiteral("2001:db8:0:0::7")), reason);
    }

    private static TlsOutcome good(ReportedTlsPolicy policy) {
        return new TlsOutcome(policy, TlsResult.SUCCESS, Optional.empty(), Optional.empty(), Optional.empty(), "");
    }

    private static TlsReport read(byte[] file) {
        return ((TlsReading.Good) TlsReportReader.read(file)).report();
    }

    private static TlsReport read(String text) {
        return read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String wrong(byte[] file) {
        return ((TlsReading.Wrong) TlsReportReader.read(file)).what();
    }

    private static String wrong(String text) {
        return wrong(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] sample() throws IOException {
        try (var in = TlsReportTest.class.getResourceAsStream("/tlsrpt/rfc8460-sample.json")) {
            return Objects.requireNonNull(in).readAllBytes();
        }
    }

    @Test
    void theSampleOfTheRfc() throws IOException {
        var read = read(sample());
        assertThat(read.domain()).isEqualTo("company-y.example");
        assertThat(read.succeeded()).isEqualTo(5326);
        assertThat(read.failed()).isEqualTo(303);
        assertThat(read.policies().getFirst().policy().hosts()).containsExactly("*.mail.company-y.example");
        assertThat(TlsReportSummary.lines(read)).containsExactly(
                "Company-X reports about company-y.example, from 2016-04-01 00:00 to 2016-04-01 23:59 UTC",
                "under the policy of MTA-STS (mode: testing): 5629 sessions, 5326 good, 303 failed",
                "  200  mx2.mail.company-y.example: the host does not offer STARTTLS (https://reports.company-x.example/"
                        + "          report_info ? id = 5065427 c - 23 d3# StarttlsNotSupported )",
                "  100  mx1.mail.company-y.example: the certificate has expired",
                "  3  mx-backup.mail.company-y.example: TLS failed for another reason"
                        + " (X509_V_ERR_PROXY_PATH_LENGTH_EXCEEDED)",
                "correct what the lines name; the certificate and the records are yours, the sender can only tell");
    }

    @Test
    void aReportIsReadAsItWasWritten() {
        var report = EMPTY.with(Map.of(good(STS), 7L, failed(TlsResult.CERTIFICATE_EXPIRED, "mx1.example.com", "x"),
                2L, good(ReportedTlsPolicy.none("example.com")), 1L));
        assertThat(read(TlsReportWriter.gzip(report))).isEqualTo(report);
        assertThat(TlsReportWriter.json(report)).contains("\"policy-domain\":\"example.com\"",
                "\"start-datetime\":\"2026-11-26T00:00:00Z\"", "\"policy-type\":\"no-policy-found\"",
                "\"mx-host\":[\"*.example.com\"]", "\"receiving-ip\":\"2001:db8::7\"",
                "\"failure-reason-code\":\"x\"");
    }

    @Test
    void theWordsOfTheRfc() {
        assertThat(Arrays.stream(TlsResult.values()).map(TlsResult::word)).containsExactly("success",
                "starttls-not-supported", "certificate-host-mismatch", "certificate-expired",
                "certificate-not-trusted", "validation-failure", "tlsa-invalid", "dnssec-invalid", "dane-required",
                "sts-policy-fetch-error", "sts-policy-invalid", "sts-webpki-invalid");
    }

    @Test
    void sessionsOfADayAreAdded() {
        var once = Map.of(failed(TlsResult.TLSA_INVALID, "mx", ""), 2L, good(STS), 1L);
        var twice = EMPTY.with(once).with(once);
        assertThat(twice.policies()).hasSize(1);
        assertThat(twice.succeeded()).isEqualTo(2);
        assertThat(twice.policies().getFirst().failures()).containsExactly(
                new FailureCount(new ReportedTlsFailure("tlsa-invalid", "mx", "192.0.2.1", "2001:db8::7", ""), 4));
    }

    @Test
    void policiesAndFailuresOfADayAreBoundedAndNoSessionIsLost() {
        Map<TlsOutcome, Long> many = new LinkedHashMap<>();
        IntStream.range(0, 10_000).forEach(i -> many.put(
                good(new ReportedTlsPolicy(PolicyKind.TLSA, "example.com", List.of("3 1 1 " + i), List.of())), 1L));
        IntStream.range(0, 5_000)
                .forEach(i -> many.put(failed(TlsResult.VALIDATION_FAILURE, "mx" + i, ""), 1L));
        var report = EMPTY.with(many);
        assertThat(report.policies()).hasSize(10);
        assertThat(report.succeeded()).isEqualTo(10_000);
        assertThat(report.failed()).isEqualTo(5_000);
        assertThat(report.policies().stream().mapToInt(each -> each.failures().size()).max()).hasValue(2_000);
    }

    @Test
    void textOfStrangersIsOneBoundedLine() {
        for (String hostile : List.of("a\r\nBcc: x@y", "a\u0000b", "\ud800", "\u202e", ";", "\"}]}",
                "x".repeat(100_000),
                "\u0085", "🙂")) {
            var policy = new ReportedTlsPolicy(PolicyKind.STS, hostile, List.of(hostile), List.of(hostile));
            var report = EMPTY.with(Map.of(new TlsOutcome(policy, TlsResult.STS_POLICY_INVALID, Optional.of(hostile),
                    Optional.empty(), Optional.empty(), hostile), 1L));
            assertThat(TlsReportWriter.json(report)).hasSizeLessThan(3_000).doesNotContain("\r", "\n", "\u0000");
            var again = read(TlsReportWriter.gzip(report));
            assertThat(again.failed()).isEqualTo(1);
            assertThat(TlsReportSummary.lines(again)).allSatisfy(line -> assertThat(line).doesNotContain("\n", "\r",
                    "\u0000", "\u202e"));
        }
        assertThat(new ReportedTlsPolicy(PolicyKind.STS, "d", java.util.Collections.nCopies(10_000, "mx: a"),
                List.of()).strings()).hasSize(50);
    }

    private static String policies(int count, String failures) {
        return "{\"organization-name\":\"x\",\"policies\":["
                + String.join(",", java.util.Collections.nCopies(count, "{\"policy\":{\"policy-type\":\"sts\","
                        + "\"policy-string\":\"a\"},\"failure-details\":[" + failures + "]}"))
                + "]}";
    }

    @Test
    void tenThousandPolicies() {
        assertThat(wrong(policies(10_000, ""))).contains("more than 1000 policies");
        assertThat(wrong(policies(1_001, ""))).contains("more than 1000 policies");
        var most = read(policies(1_000, ""));
        assertThat(most.policies()).hasSize(1_000);
        assertThat(TlsReportSummary.lines(most)).hasSize(13).contains("and 990 more policies");
    }

    @Test
    void failuresAreCountedInAll() {
        var failures = String.join(",", java.util.Collections.nCopies(100, "{\"failed-session-count\":1}"));
        assertThat(read(policies(500, failures)).policies()).hasSize(500);
        assertThat(wrong(policies(501, failures))).contains("more than 50000 failures");
        assertThat(TlsReportSummary.lines(read(policies(1, failures)))).contains("  and 80 more failures");
    }

    @Test
    void depthAndLengthAreBounded() throws IOException {
        assertThat(wrong("{\"a\":" + "[".repeat(100_000))).contains("no report");
        assertThat(wrong("[".repeat(3_000_000))).contains("no report");
        assertThat(wrong("{\"organization-name\":\"" + "x".repeat(2 << 20))).contains("no report");
        assertThat(wrong("{\"" + "x".repeat(2 << 20) + "\":1}")).contains("no report");
        assertThat(wrong("{\"x\":" + "9".repeat(100_000) + "}")).contains("no report");
        var many = new StringBuilder("{\"organization-name\":\"x\",\"policies\":[{\"policy\":{\"policy-type\":\"sts\"");
        IntStream.range(0, 500_000).forEach(_ -> many.append(",\"mx-host\":\"mx\""));
        assertThat(read(many.append("}}]}").toString()).policies().getFirst().policy().hosts()).hasSize(50);
        assertThatThrownBy(() -> ReportFile.read(new ByteArrayInputStream(new byte[(32 << 20) + 1])))
                .hasMessageContaining("more than 32 MiB");
        assertThat(ReportFile.read(new ByteArrayInputStream(new byte[32 << 20]))).hasSize(32 << 20);
    }

    @Test
    void aBombOfGzipEnds() throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write("{\"x\":[".getBytes(StandardCharsets.UTF_8));
            var zeros = new byte[1 << 20];
            Arrays.fill(zeros, (byte) ' ');
            for (int i = 0; i < 200; i++) {
                gzip.write(zeros);
            }
        }
        assertThat(out.size()).isLessThan(1 << 20);
        assertThat(wrong(out.toByteArray())).contains("longer than 32 MiB");
    }

    @Test
    void numbersAndTimesOfStrangers() throws IOException {
        var text = new String(sample(), StandardCharsets.UTF_8);
        for (String number : List.of("-1", "9223372036854775808", "1e9", "\"7\"", "null", "[]", "{}", "1.5",
                "999999999999")) {
            var changed = read(text.replace("5326", number).replace("200,", number + ","));
            assertThat(changed.succeeded()).isBetween(0L, 999_999_999_999L);
            assertThat(TlsReportSummary.lines(changed)).isNotEmpty();
        }
        for (String time : List.of("", "x", "+999999999-01-01T00:00:00Z", "-1-01-01T00:00:00Z", "2016-04-01")) {
            assertThat(read(text.replace("2016-04-01T00:00:00Z", time)).source().begin()).isEqualTo(Instant.EPOCH);
        }
    }

    @Test
    void filesThatAreNoReports() {
        for (String text : List.of("", "x", "PK", "{}", "[]", "null", "{", "{\"policies\":[{}]}",
                "{\"organization-name\":\"x\",\"policies\":[{}]}",
                "{\"organization-name\":\"x\",\"policies\":[{\"policy\":{\"policy-type\":\"new\\r\\n\"}}]}")) {
            assertThat(wrong(text)).as(text).contains("no report").doesNotContain("\r");
        }
        assertThat(wrong(new byte[]{0x1f, (byte) 0x8b, 8})).contains("no report");
    }

    @Test
    void filesWithDamageMakeNoException() throws IOException {
        var random = new Random(32);
        var seeds = List.of(sample(), ReportFile.gzip(sample()));
        for (int i = 0; i < 6_000; i++) {
            var file = seeds.get(i % seeds.size()).clone();
            for (int j = random.nextInt(1, 6); j > 0; j--) {
                file[random.nextInt(file.length)] = (byte) random.nextInt(256);
            }
            assertThatNoException().as("seed 32, round " + i).isThrownBy(() -> TlsReportReader.read(file));
        }
    }

    @Test
    void totalsCountFailuresThatAreNotNamed() {
        var report = new TlsReport(SOURCE, List.of(new PolicyCounts(STS, 1, 5, List.of())));
        assertThat(report.with(Map.of(good(STS), 1L)).failed()).isEqualTo(5);
    }

    private static Optional<TlsReportRecord> record(String... texts) {
        return TlsReportRecord.parse(List.of(texts));
    }

    @Test
    void recordsOfDomains() {
        assertThat(record("v=TLSRPTv1;rua=mailto:reports@example.com")).get().extracting(TlsReportRecord::mailboxes)
                .isEqualTo(List.of(Address.of("reports@example.com")));
        var both = record("other",
                "v=TLSRPTv1; x-y=1; rua=mailto:a@example.com , https://r.example/v1,mailto:a@example.com;")
                .orElseThrow();
        assertThat(both.mailboxes()).containsExactly(Address.of("a@example.com"));
        assertThat(both.pages()).containsExactly(URI.create("https://r.example/v1"));
        assertThat(record()).isEmpty();
        assertThat(record("v=TLSRPTv1")).isEmpty();
        assertThat(record("v=TLSRPTv1; rua=")).isEmpty();
        assertThat(record("v=TLSRPTv10; rua=mailto:a@example.com")).isEmpty();
        assertThat(record("rua=mailto:a@example.com; v=TLSRPTv1")).isEmpty();
        assertThat(record("v=TLSRPTv1; rua=mailto:a@x.example", "v=TLSRPTv1; rua=mailto:b@x.example")).isEmpty();
    }

    @Test
    void recordsOfStrangers() {
        assertThat(record("v=TLSRPTv1; rua=mailto:a@example.com%0d%0aRCPT").map(TlsReportRecord::mailboxes)
                .orElse(List.of())).isEmpty();
        assertThat(record("v=TLSRPTv1; rua=mailto:a%0d%0a@example.com,mailto:b@[192.0.2.1],mailto:%zz")
                .map(TlsReportRecord::mailboxes).orElse(List.of())).isEmpty();
        assertThat(record("v=TLSRPTv1; rua=mailto:a\u0000@example.com")).isEmpty();
        assertThat(record("v=TLSRPTv1; rua=" + "mailto:a@example.com,".repeat(3_200))).isEmpty();
        var many = new StringBuilder("v=TLSRPTv1; rua=");
        IntStream.range(0, 500).forEach(i -> many.append("mailto:a").append(i).append("@example.com,"));
        assertThat(record(many.toString()).orElseThrow().mailboxes()).hasSize(10);
    }

    @Test
    void recordsInDns() {
        var zone = TextZone.of("""
                _smtp._tls.example.com TXT v=TLSRPTv1; rua=mailto:a@example.com
                """);
        assertThat(TlsReportRecord.of(zone, "example.com")).isInstanceOf(TlsReportRecord.TlsReportSearch.Found.class);
        assertThat(TlsReportRecord.of(zone, "example.net")).isInstanceOf(TlsReportRecord.TlsReportSearch.Nothing.class);
        assertThat(TlsReportRecord.of(zone, "x".repeat(250)))
                .isInstanceOf(TlsReportRecord.TlsReportSearch.Nothing.class);
    }
}
