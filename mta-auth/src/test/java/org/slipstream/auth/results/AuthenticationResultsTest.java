package org.slipstream.auth.results;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.auth.TextZone;
import org.slipstream.auth.arc.ArcResult;
import org.slipstream.auth.arc.ArcVerdict;
import org.slipstream.auth.dkim.DkimResult;
import org.slipstream.auth.dkim.DkimVerdict;
import org.slipstream.auth.dmarc.DmarcEvaluation;
import org.slipstream.auth.iprev.IprevEvaluation;
import org.slipstream.auth.results.MethodResult.Property;
import org.slipstream.auth.spf.SpfEvaluation;
import org.slipstream.auth.spf.SpfQuestion;
import org.slipstream.core.Address;

import java.net.InetAddress;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Timeout(60)
class AuthenticationResultsTest {
    private static final String OWN = "mx.example.org";

    private static MethodResult spf(String domain) {
        return MethodResult.of("spf", "pass", new Property("smtp.mailfrom", domain));
    }

    @Test
    void aFieldWithResults() {
        assertThat(AuthenticationResults.value(OWN, List.of(spf("example.com"),
                MethodResult.of("dkim", "fail", new Property("header.d", "example.com"),
                        new Property("header.s", "2026-11"), new Property("header.b", "abc/def+="))
                        .because("bad signature"),
                MethodResult.of("iprev", "pass", new Property("policy.iprev", "2001:db8::1")))))
                .isEqualTo("mx.example.org;\r\n\tspf=pass smtp.mailfrom=example.com;\r\n\tdkim=fail"
                        + " reason=\"bad signature\" header.d=example.com header.s=2026-11\r\n\t\theader.b=\"abc/def+=\";"
                        + "\r\n\tiprev=pass policy.iprev=\"2001:db8::1\"");
        assertThat(AuthenticationResults.value(OWN, List.of())).isEqualTo("mx.example.org; none");
    }

    @Test
    void aSignatureIsNamedByItsTags() {
        var good = new DkimResult(DkimVerdict.PASS, "", "example.com", "s1", "ed25519-sha256", "@example.com",
                "abc/def+",
                256, false);
        var bad = new DkimResult(DkimVerdict.PERMERROR, "the field is not a list of tags", "", "", "", "", "", 0,
                false);
        assertThat(AuthenticationResults.value(OWN, List.of(VerdictResults.of(good), VerdictResults.of(bad)))
                .replaceAll("\\s+", " "))
                .isEqualTo("mx.example.org; dkim=pass header.d=example.com header.i=\"@example.com\" header.s=s1"
                        + " header.a=ed25519-sha256 header.b=\"abc/def+\";"
                        + " dkim=permerror reason=\"the field is not a list of tags\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nX-Injected: yes", "a\rb", "a\nb", "a\u0000b", "a;dkim=pass", "a\";dkim=pass", "a\\",
            "a\\\";dkim=pass header.d=bank.example", "a (comment", "a)b", "bücher.example", "a\u2028b", "\u202ea", "",
            "a b", "user@exa mple;spf=pass", "\ud800", "a@b@c;", "\t", "=?utf-8?q?=0d=0a?="})
    void noValueEndsItsString(String hostile) {
        var text = AuthenticationResults.value(OWN, List.of(spf(hostile), spf(OWN).because(hostile)));
        assertThat(text).matches("[ -~\\r\\n\\t]*").doesNotContainPattern("\\r(?!\\n)")
                .doesNotContainPattern("(?<!\\r)\\n")
                .doesNotContainPattern("\\n[^\\t]");
        // Without the strings, two results are left.
        var bare = text.replaceAll("\"(?:[^\"\\\\]|\\\\.)*+\"", "S");
        assertThat(bare.replaceAll("\\s+", " ")).matches(
                "mx\\.example\\.org; spf=pass smtp\\.mailfrom=[^ ;\"()]+; spf=pass reason=S smtp\\.mailfrom=mx\\.example\\.org");
        assertThat(ForeignResults.claimsToBe(OWN, text)).isTrue();
    }

    @Test
    void verdictsInTheWordsOfTheRegistry() {
        var client = InetAddress.ofLiteral("192.0.2.1");
        var zone = TextZone.of("""
                example.com TXT v=spf1 -all
                _dmarc.example.com TXT v=DMARC1; p=reject
                """);
        var spf = SpfEvaluation.check(zone, SpfQuestion.ofSender(client, Address.parse("\"a;b\"@example.com"),
                "mx.example.com", OWN, Instant.EPOCH));
        assertThat(AuthenticationResults.value(OWN, List.of(VerdictResults.of(spf),
                VerdictResults.of(SpfEvaluation.check(zone,
                        SpfQuestion.ofHelo(client, "mx\";.example.com", OWN, Instant.EPOCH))),
                VerdictResults.of(DmarcEvaluation.check(zone, List.of("a@example.com"), List.of())),
                VerdictResults.of(DmarcEvaluation.check(zone, List.of(), List.of())),
                VerdictResults.of(IprevEvaluation.check(zone, client))))).isEqualToNormalizingWhitespace("""
                        mx.example.org;
                        spf=fail reason="\\"-all\\" of example.com" smtp.mailfrom=example.com;
                        spf=none reason="mx\\";.example.com has no SPF record" smtp.helo="mx\\";.example.com";
                        dmarc=fail reason="neither SPF nor DKIM authenticates example.com"
                        header.from=example.com policy.dmarc=reject;
                        dmarc=permerror reason="no From field";
                        iprev=permerror reason="the address has no name" policy.iprev=192.0.2.1
                        """);
    }

    /// A reader that looks for `dmarc=pass` must not find the claim of another server.
    @Test
    void aChainTellsItsSealersAndTheirClaimsInWords() {
        var client = InetAddress.ofLiteral("192.0.2.1");
        var none = new ArcResult(ArcVerdict.NONE, "there is no chain", 0, List.of(), List.of());
        var fail = new ArcResult(ArcVerdict.FAIL, "set 1 is not complete", 0, List.of(), List.of());
        var pass = new ArcResult(ArcVerdict.PASS, "", 2, List.of("lists.example.org", "example.com"),
                List.of("spf=fail", "dmarc=pass"));
        assertThat(AuthenticationResults.value(OWN, List.of(VerdictResults.of(none, client),
                VerdictResults.of(fail, client), VerdictResults.of(pass, client)))).isEqualToNormalizingWhitespace("""
                        mx.example.org;
                        arc=none;
                        arc=fail reason="set 1 is not complete";
                        arc=pass reason="lists.example.org found spf fail, dmarc pass"
                        smtp.remote-ip=192.0.2.1 header.oldest-pass=2 arc.chain="lists.example.org:example.com"
                        """);
    }

    @Test
    void aNameOfOurOwnIsQuotedWhenNeeded() {
        assertThat(AuthenticationResults.value("mx;spf=pass", List.of())).isEqualTo("\"mx;spf=pass\"; none");
    }

    @Test
    void namesOfMethodsAreOurOwn() {
        assertThatThrownBy(() -> MethodResult.of("spf=pass;dkim", "pass")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> MethodResult.of("spf", "p\r\n")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Property("a b", "x"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aFieldIsBounded() {
        var many = AuthenticationResults.value(OWN, Collections.nCopies(10_000, spf("\"".repeat(100_000))));
        assertThat(many.length()).isLessThan(40 * 1_000);
        assertThat(Arrays.stream(many.split("\r\n")).mapToInt(String::length).max().orElseThrow()).isLessThan(998);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mx.example.org; none", "MX.Example.ORG; spf=pass", "mx.example.org", " mx.example.org ;",
            "\"mx.example.org\"; none", "\"mx.exam\\ple.org\"; none", "mx.example.org 1; none",
            "mx.example.org/1; none",
            "(a)mx.example.org(b)1;", "(a(b(c)))\r\n\tmx.example.org; none", "mx.example.org.; none",
            "mx . example . org; none", "mx(x).example.org;", "mx.example.org (open", "(open mx.example.org; none",
            "\"mx.example.org; none", "m\u0000x.example.org;", "\"\"mx.example.org;", "mx.example.org spf=pass",
            "mx.example.org / 1;", "", "(only)", "mx.example.org/x;", "(\\))mx.example.org"})
    void fieldsThatClaimToBeOurs(String value) {
        assertThat(ForeignResults.claimsToBe(OWN, value)).as(value).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mx.example.com; none", "other.example 1; spf=pass reason=\"mx.example.org;\"",
            "a.mx.example.org; none", "example.org;", "mx.example.orgx;", "(mx.example.org)other.example;",
            "other.example (mx.example.org); none", "mx.example.org.evil.example; none"})
    void fieldsOfOthers(String value) {
        assertThat(ForeignResults.claimsToBe(OWN, value)).as(value).isFalse();
    }

    @Test
    void commentsNestedTenThousandDeep() {
        var open = "(".repeat(10_000);
        assertThat(ForeignResults.claimsToBe(OWN, open + ")".repeat(10_000) + "mx.example.org;")).isTrue();
        assertThat(ForeignResults.claimsToBe(OWN, open + ")".repeat(10_000) + "other.example;")).isFalse();
        assertThat(ForeignResults.claimsToBe(OWN, open + "other.example;")).isTrue();
        assertThat(ForeignResults.claimsToBe(OWN, "a ".repeat(1_000_000) + ";")).isFalse();
    }

    @Test
    void internationalNamesCompareInAscii() {
        assertThat(ForeignResults.claimsToBe("mx.xn--bcher-kva.example", "mx.Bücher.example; none")).isTrue();
        assertThat(ForeignResults.claimsToBe("mx.bücher.example", "mx.xn--bcher-kva.example; none")).isTrue();
    }
}
