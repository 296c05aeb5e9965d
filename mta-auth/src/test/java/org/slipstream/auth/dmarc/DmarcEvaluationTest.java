package org.slipstream.auth.dmarc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.auth.TextZone;
import org.slipstream.auth.dmarc.AuthenticatedName.AuthenticatedBy;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.dns.TextAnswer;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(60)
class DmarcEvaluationTest {
    private static final String ZONE = """
            _dmarc.example.com TXT v=DMARC1; p=reject; sp=quarantine; np=reject
            example.com A 192.0.2.1
            news.example.com A 192.0.2.1
            alias.example.com CNAME gone.test
            _dmarc.strict.test TXT v=DMARC1; p=reject; adkim=s; aspf=s
            _dmarc.tested.test TXT v=DMARC1; p=reject; sp=quarantine; t=y
            _dmarc.broken.test TXT v=DMARC1; p=refuse
            _dmarc.silent.test TXT !
            _dmarc.monitored.test TXT v=DMARC1; p=none; rua=mailto:a@monitored.test
            _dmarc.xn--bcher-kva.test TXT v=DMARC1; p=reject
            _dmarc.half.test TXT v=DMARC1; p=reject
            _dmarc.test TXT v=DMARC1; p=none; psd=y
            """;

    private static AuthenticatedName spf(String domain) {
        return new AuthenticatedName(AuthenticatedBy.SPF, domain, true);
    }

    private static AuthenticatedName dkim(String domain) {
        return new AuthenticatedName(AuthenticatedBy.DKIM, domain, true);
    }

    private static DmarcVerdict check(String from, AuthenticatedName... names) {
        return check(TextZone.of(ZONE), List.of(from), names);
    }

    private static DmarcVerdict check(DnsLookup dns, List<String> from, AuthenticatedName... names) {
        return DmarcEvaluation.check(dns, from, List.of(names));
    }

    @ParameterizedTest
    @CsvSource({"a@example.com, example.com, PASS", "a@Example.COM, EXAMPLE.com, PASS",
            "a@example.com, bounce.example.com, PASS", "a@news.example.com, example.com, PASS",
            "a@example.com, example.net, FAIL", "a@example.com, badexample.com, FAIL", "a@example.com, com, FAIL",
            "a@strict.test, strict.test, PASS", "a@strict.test, a.strict.test, FAIL",
            "a@a.strict.test, strict.test, FAIL", "a@tested.test, other.test, FAIL", "a@none.example, x.example, NONE",
            "a@silent.test, silent.test, TEMPERROR", "a@broken.test, broken.test, PERMERROR",
            "a@bücher.test, xn--bcher-kva.test, PASS"})
    void results(String from, String signed, DmarcResult expected) {
        var octets = new String(from.getBytes(java.nio.charset.StandardCharsets.UTF_8),
                java.nio.charset.StandardCharsets.ISO_8859_1);
        assertThat(check(octets, dkim(signed)).result()).isEqualTo(expected);
        assertThat(check(octets, spf(signed)).result()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"example.com, REJECT, REJECT", "news.example.com, QUARANTINE, QUARANTINE",
            "missing.example.com, REJECT, REJECT", "alias.example.com, QUARANTINE, QUARANTINE",
            "tested.test, REJECT, QUARANTINE",
            "a.tested.test, QUARANTINE, NONE", "monitored.test, NONE, NONE"})
    void dispositions(String author, DmarcPolicy requested, DmarcPolicy disposition) {
        var verdict = check("a@" + author);
        assertThat(verdict.result()).isEqualTo(DmarcResult.FAIL);
        assertThat(verdict.requested()).isEqualTo(requested);
        assertThat(verdict.disposition()).isEqualTo(disposition);
        assertThat(check("a@" + author, dkim(author)).disposition()).isEqualTo(DmarcPolicy.NONE);
    }

    @Test
    void eachMechanismSaysWhetherItIsAligned() {
        var verdict = check("a@example.com", spf("list.test"), dkim("mail.example.com"));
        assertThat(verdict.spfAligned()).isFalse();
        assertThat(verdict.dkimAligned()).isTrue();
        assertThat(verdict.reason()).isEqualTo("example.com is authenticated by DKIM of mail.example.com");
    }

    @Test
    void aCheckThatDidNotEndIsNoFail() {
        var unknown = new AuthenticatedName(AuthenticatedBy.DKIM, "example.com", false);
        assertThat(check("a@example.com", unknown).result()).isEqualTo(DmarcResult.TEMPERROR);
        assertThat(check("a@example.com", unknown).disposition()).isEqualTo(DmarcPolicy.NONE);
        assertThat(check("a@example.com", unknown, spf("example.com")).result()).isEqualTo(DmarcResult.PASS);
        var foreign = new AuthenticatedName(AuthenticatedBy.DKIM, "other.test", false);
        assertThat(check("a@example.com", foreign).result()).as("could not have aligned").isEqualTo(DmarcResult.FAIL);
    }

    /// A registry whose servers do not answer must not hold up mail that needs no answer of it.
    @Test
    void aSilentRegistry() {
        var zone = TextZone.of(ZONE + "_dmarc.com TXT !");
        assertThat(check(zone, List.of("a@example.com"), dkim("example.com")).result()).isEqualTo(DmarcResult.PASS);
        assertThat(check(zone, List.of("a@example.com"), dkim("a.example.com")).result())
                .isEqualTo(DmarcResult.TEMPERROR);
        assertThat(check(zone, List.of("a@example.com"), dkim("other.test")).result()).isEqualTo(DmarcResult.FAIL);
        assertThat(check(zone, List.of("a@news.example.com"), dkim("a.example.com")).result())
                .isEqualTo(DmarcResult.TEMPERROR);
    }

    @Test
    void noFromAndFromWithoutADomain() {
        assertThat(check(TextZone.of(ZONE), List.of()).reason()).isEqualTo("no From field");
        for (String from : List.of("", "undisclosed:;", "user", "<>", "<user>", "\"a@example.com\"", "user@",
                "user@[192.0.2.1]", "user@exa mple..com", "(a@example.com)", "@example.com", "<a@-x.test>",
                "a@example.com\u0000", "=?utf-8?q?a=40example.com?=")) {
            assertThat(check(from, dkim("example.com")).result()).as(from).isEqualTo(DmarcResult.PERMERROR);
            assertThat(check(from).disposition()).isEqualTo(DmarcPolicy.NONE);
        }
    }

    @Test
    void severalFromFieldsAreAllJudged() {
        var zone = TextZone.of(ZONE);
        var verdict = check(zone, List.of("a@good.test", "ceo@example.com"), dkim("good.test"));
        assertThat(verdict.result()).isEqualTo(DmarcResult.FAIL);
        assertThat(verdict.author()).contains("example.com");
        assertThat(verdict.disposition()).isEqualTo(DmarcPolicy.REJECT);
        var same = check(zone, List.of("a@example.com", "b@example.com"), dkim("example.com"));
        assertThat(same.result()).isEqualTo(DmarcResult.PERMERROR);
        assertThat(same.reason()).isEqualTo("2 From fields");
    }

    @Test
    void severalAddressesOfOneFieldAreAllJudged() {
        assertThat(check("a@example.com, b@example.com", dkim("example.com")).result()).isEqualTo(DmarcResult.PASS);
        assertThat(check("a@strict.test, b@example.com", dkim("strict.test")).author()).contains("example.com");
        assertThat(check("a@tested.test, b@news.example.com, c@example.com").disposition())
                .isEqualTo(DmarcPolicy.REJECT);
        var many = check(String.join(",", IntStream.range(0, 1_000).mapToObj(i -> "a@d" + i + ".example").toList()));
        assertThat(many.result()).isEqualTo(DmarcResult.PERMERROR);
        assertThat(many.reason()).isEqualTo("more than 5 domains in From");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"Bob <a@example.com>|example.com", "\"x@y.test\" <a@example.com>|example.com",
            "Team: a@example.com;|example.com", "Team: A <a@example.com>, a@example.com;|example.com",
            "<@relay.test,@b.test:a@example.com>|example.com", "a@example.com (b@other.test)|example.com",
            "\"a b\"@example.com|example.com", "a @ example . com|example.com", "\"a@b\"@example.com|example.com",
            "b@other.test <a@example.com>|example.com", "=?utf-8?q?x=40y?= <a@example.com>|example.com",
            "(c(d)) A (\\)) <a(x)@(y)example.com> (z)|example.com",
            "\"a\\\"<b@other.test>\" <a@example.com>|example.com",
            "<a@example.com> <b@other.test>|example.com other.test",
            "<a@example.com> b@other.test|example.com other.test",
            "a@example.com;b@other.test|example.com other.test"})
    void addressesOfFrom(String from, String domains) {
        assertThat(AuthorDomains.of(List.of(from)).domains()).containsExactly(domains.split(" "));
    }

    @Test
    void openQuotesCommentsAndBracketsAreFaults() {
        for (String from : List.of("a@example.com (x", "\"a@example.com", "<a@example.com", "a@example.com \\",
                "a@example.com b@example.com")) {
            assertThat(AuthorDomains.of(List.of(from)).faults()).as(from).isNotEmpty();
        }
    }

    @Test
    void commentsNestedTenThousandDeep() {
        var from = "(".repeat(10_000) + ")".repeat(10_000) + "a@example.com";
        assertThat(check(from, dkim("example.com")).result()).isEqualTo(DmarcResult.PASS);
        assertThat(check("(".repeat(100_000) + "a@example.com").result()).isEqualTo(DmarcResult.PERMERROR);
    }

    @Test
    void aMessageWithTenThousandSignaturesTakesFewQuestions() {
        var names = new ArrayList<AuthenticatedName>();
        IntStream.range(0, 5_000).forEach(i -> names.add(dkim("s" + i + ".example.net")));
        IntStream.range(0, 5_000).forEach(i -> names.add(dkim("a.b.c.d.e.f.g.s" + i + ".half.test")));
        var zone = TextZone.of(ZONE + IntStream.range(0, 5_000)
                .mapToObj(i -> "_dmarc.s" + i + ".half.test TXT v=DMARC1; p=none; psd=n\n")
                .reduce(new StringBuilder(), StringBuilder::append, StringBuilder::append));
        assertThat(DmarcEvaluation.check(zone, List.of("a@half.test"), names).result()).isEqualTo(DmarcResult.FAIL);
        assertThat(zone.asked).hasSizeLessThanOrEqualTo(74);
    }

    @Test
    void dnsThatLiesMakesNoException() {
        for (String lie : List.of("", ";", "=", "v=DMARC1", "v=DMARC1;;;;", "v=DMARC1; p=reject; psd=y", "é",
                "v=DMARC1; p=" + "x".repeat(70_000), "v=DMARC1; rua=mailto:@,mailto:%,mailto:a@b!9x; p=none")) {
            DnsLookup dns = (_, _) -> new TextAnswer.Found(List.of(lie));
            assertThat(check(dns, List.of("a@b.c.example.com"), dkim("example.com"), spf("..."))).isNotNull();
        }
    }
}
