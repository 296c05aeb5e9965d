package org.slipstream.auth.spf;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.auth.TextZone;
import org.slipstream.core.Address;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.TextAnswer;

import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Records that were written against their reader.
@Timeout(60)
class SpfHostileTest {
    private static SpfVerdict check(DnsLookup dns, String client) {
        return SpfEvaluation.check(dns, SpfQuestion.ofSender(InetAddress.ofLiteral(client),
                Address.parse("user@example.com"), "mx.example.com", "mx.example.org", Instant.EPOCH));
    }

    private static SpfVerdict check(String record) {
        return check(TextZone.of("example.com TXT " + record), "192.0.2.1");
    }

    @ParameterizedTest
    @CsvSource({"ip4:192.0.2.1/0, PASS", "ip4:0.0.0.0/0, PASS", "ip4:192.0.2.1/33, PERMERROR",
            "ip4:192.0.2.1/32, PASS", "ip4:192.0.2.1/, PERMERROR", "ip4:192.0.2.1/-1, PERMERROR",
            "ip4:192.0.2.1/99999999999, PERMERROR", "ip6:2001:db8::/129, PERMERROR", "ip6:2001:db8::/128, FAIL",
            "ip6:::/0, FAIL", "ip6:fe80::1%1, PERMERROR", "ip6:::ffff:192.0.2.1, FAIL",
            "ip6:::ffff:192.0.2.1/96, FAIL", "ip4:::ffff:192.0.2.1, PERMERROR"})
    void prefixesAtTheirLimits(String term, SpfResult expected) {
        assertThat(check("v=spf1 " + term + " -all").result()).isEqualTo(expected);
    }

    @Test
    void anIncludeOfItselfEndsAtTheEleventhLookup() {
        var zone = TextZone.of("example.com TXT v=spf1 include:example.com -all");
        var verdict = check(zone, "192.0.2.1");
        assertThat(verdict.result()).isEqualTo(SpfResult.PERMERROR);
        assertThat(verdict.reason()).isEqualTo("the record takes more than 10 lookups in DNS");
        assertThat(zone.asked).hasSize(11);
    }

    @Test
    void aLoopOfTwoAndOfRedirectsEnds() {
        assertThat(check(TextZone.of("""
                example.com TXT v=spf1 include:b.example.com -all
                b.example.com TXT v=spf1 redirect=example.com
                """), "192.0.2.1").result()).isEqualTo(SpfResult.PERMERROR);
    }

    @Test
    void theThirdLookupThatFindsNothingIsAnError() {
        assertThat(check("v=spf1 a:a.example a:b.example -all").result()).isEqualTo(SpfResult.FAIL);
        assertThat(check("v=spf1 a:a.example a:b.example exists:c.example -all").result())
                .isEqualTo(SpfResult.PERMERROR);
    }

    /// Ten terms with ten hosts each, whose includes and explanation ask for the name of the client.
    @Test
    void aRecordAsksAtMostAHundredAndThirtyTwoQuestions() {
        var zone = new StringBuilder("example.com TXT v=spf1 ");
        IntStream.range(0, 10).forEach(i -> {
            zone.append("mx:m").append(i).append(".example ");
        });
        zone.append("-all exp=%{p}.e.example\n");
        IntStream.range(0, 100).forEach(i -> zone.append("m").append(i / 10).append(".example MX 10 h").append(i)
                .append(".example\nh").append(i).append(".example A 198.51.100.1\n"));
        IntStream.range(0, 1000).forEach(i -> zone.append("1.2.0.192.in-addr.arpa PTR h").append(i)
                .append(".example\n"));
        var dns = TextZone.of(zone.toString());
        assertThat(check(dns, "192.0.2.1").result()).isEqualTo(SpfResult.FAIL);
        assertThat(dns.asked).hasSizeLessThanOrEqualTo(132);
    }

    @Test
    void aRecordOf64KilobytesIsAnErrorAndIsNotParsed() {
        var verdict = check("v=spf1 " + "a ".repeat(32_000) + "-all");
        assertThat(verdict.result()).isEqualTo(SpfResult.PERMERROR);
        assertThat(verdict.reason()).endsWith("the text is longer than 16384 characters");
    }

    @ParameterizedTest
    @CsvSource({"a:%{s}", "exists:%{l1r-}.%{d}", "ip4:192.0.2.2", "x=%{i}", "+", "%", "a/", "a:a.b-", "include:."})
    void termsThatFillARecordTakeLinearTime(String term) {
        var text = "v=spf1 " + term.repeat(16_000 / term.length());
        assertThat(check(text).result()).isIn(SpfResult.PERMERROR, SpfResult.NEUTRAL);
        var words = "v=spf1 " + (term + " ").repeat(16_000 / (term.length() + 1));
        assertThat(check(words).result()).isIn(SpfResult.PERMERROR, SpfResult.NEUTRAL);
    }

    @Test
    void aNameOfAMillionLabelsIsCutFromTheLeft() {
        assertThat(check("v=spf1 exists:" + "%{dr-}.%{ir}.".repeat(1_200) + "example -all").result())
                .isEqualTo(SpfResult.FAIL);
    }

    @Test
    void anAnswerOfTenThousandRecordsIsCut() {
        var records = new TextAnswer.Found(Collections.nCopies(10_000, "v=spf1 -all"));
        assertThat(records.texts()).hasSize(TextAnswer.MOST_RECORDS);
        assertThat(check((_, _) -> records, "192.0.2.1").result()).isEqualTo(SpfResult.PERMERROR);
    }

    /// A resolver that answers each question with one and the same text.
    @Test
    void dnsThatLiesMakesNoException() {
        for (String lie : List.of("", ".", "x", "10", "10 ", " 10", "\u0000", "é", "v=spf1 a mx ptr exists:%{p}.x.y",
                "999.999.999.999", "::1%9", "a".repeat(70_000), "-1 -1", "10 " + "a.".repeat(500))) {
            assertThat(check((_, _) -> new TextAnswer.Found(List.of(lie)), "192.0.2.1")).isNotNull();
            assertThat(check((_, type) -> new TextAnswer.Found(List.of(switch (type) {
                case TXT -> "v=spf1 a mx ptr exists:%{p}.%{d} -all exp=%{p}.e.example";
                default -> lie;
            })), "2001:db8::1")).isNotNull();
        }
    }

    @Test
    void dnsThatIsTooSlowIsATemporaryError() {
        var late = new TextAnswer.Trouble("Timeout exceeded");
        assertThat(check((_, _) -> late, "192.0.2.1").result()).isEqualTo(SpfResult.TEMPERROR);
        List<String> asked = new ArrayList<>();
        DnsLookup dns = (name, type) -> {
            asked.add(name);
            return asked.size() > 3 ? late : TextZone.of("example.com TXT v=spf1 a a a a a a -all").ask(name, type);
        };
        assertThat(check(dns, "192.0.2.1").result()).isIn(SpfResult.TEMPERROR, SpfResult.PERMERROR);
        assertThat(asked).hasSizeLessThan(6);
    }

    @Test
    void anExplanationIsVisibleAsciiAndShort() {
        var helo = "x\r\nInjected: yes\u0000\u202e";
        var zone = TextZone.of("""
                example.com TXT v=spf1 -all exp=e.example.com
                e.example.com TXT %{h} says %{s}
                """);
        var verdict = SpfEvaluation.check(zone, SpfQuestion.ofSender(InetAddress.ofLiteral("192.0.2.1"),
                Address.parse("user@example.com"), helo, "mx.example.org", Instant.EPOCH));
        assertThat(verdict.explanation()).contains("x??Injected: yes?? says user@example.com");
        var more = TextZone.of("example.com TXT v=spf1 -all exp=e.example.com\ne.example.com TXT "
                + IntStream.range(0, 2_000).mapToObj(_ -> "%{s}").collect(Collectors.joining()));
        assertThat(check(more, "192.0.2.1").explanation().orElseThrow()).hasSize(500);
        var foreign = TextZone.of("example.com TXT v=spf1 -all exp=e.example.com").add("e.example.com", "TXT",
                "a\r\nb");
        assertThat(check(foreign, "192.0.2.1").result()).isEqualTo(SpfResult.FAIL);
        assertThat(check(foreign, "192.0.2.1").explanation()).isEmpty();
    }

    /// RFC 8616 section 4: the local part of an international address matches no name of DNS.
    @Test
    void internationalSenders() {
        var zone = TextZone.of("""
                xn--bcher-kva.example TXT v=spf1 exists:%{l}.example.com a:%{o} -all
                xn--bcher-kva.example A 192.0.2.1
                """);
        var question = SpfQuestion.ofSender(InetAddress.ofLiteral("192.0.2.1"),
                Address.parse("jürgen@Bücher.example"), "mx.example.com", "mx.example.org", Instant.EPOCH);
        assertThat(SpfEvaluation.check(zone, question).result()).isEqualTo(SpfResult.PASS);
    }
}
