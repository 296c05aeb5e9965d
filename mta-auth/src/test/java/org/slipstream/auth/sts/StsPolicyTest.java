package org.slipstream.auth.sts;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.auth.sts.StsPolicy.StsMode;

import java.nio.charset.StandardCharsets;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class StsPolicyTest {
    private static final String USUAL = "version: STSv1\nmode: enforce\nmx: mx.example.org\nmax_age: 86400\n";

    private static StsPolicy.PolicyReading read(String text) {
        return StsPolicy.read(text.getBytes(StandardCharsets.UTF_8));
    }

    private static StsPolicy valid(String text) {
        assertThat(read(text)).isInstanceOf(StsPolicy.PolicyReading.Valid.class);
        return ((StsPolicy.PolicyReading.Valid) read(text)).policy();
    }

    @Test
    void aPolicyIsReadWithEitherLineEndInAnyOrder() {
        StsPolicy expected = new StsPolicy(StsMode.ENFORCE, List.of("mx.example.org"), 86_400);
        assertThat(valid(USUAL)).isEqualTo(expected);
        assertThat(valid(USUAL.replace("\n", "\r\n").strip())).isEqualTo(expected);
        assertThat(valid("max_age:86400\nmx:  MX.example.org  \nversion:STSv1\nmode:enforce")).isEqualTo(expected);
    }

    @Test
    void theLinesOfAPolicyGiveTheSamePolicy() {
        StsPolicy policy = valid(USUAL + "mx: *.example.net\n");
        assertThat(valid(String.join("\n", policy.lines()))).isEqualTo(policy);
    }

    @Test
    void ofAKeyThatStandsTwiceTheFirstCountsAndAnUnknownOneIsIgnored() {
        assertThat(valid(USUAL + "mode: none\nmax_age: 5\nfuture: x\n"))
                .isEqualTo(new StsPolicy(StsMode.ENFORCE, List.of("mx.example.org"), 86_400));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "31557600, 31557600", "31557601, 31557600", "9999999999, 31557600"})
    void anAgeIsCutToAYear(String written, long seconds) {
        assertThat(valid(USUAL.replace("86400", written)).maxAgeSeconds()).isEqualTo(seconds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775808", "18446744073709551616", "-1", "-9223372036854775808", "", "1e3",
            "+5", "0x10", "12345678901"})
    void anAgeThatIsNoNumberOfTenDigitsMakesThePolicyInvalid(String written) {
        assertThat(read(USUAL.replace("86400", written))).isInstanceOf(StsPolicy.PolicyReading.Invalid.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "*.", "*.*.example.org", "mx.*.example.org", "m*.example.org", "mx..example.org",
            ".example.org", "a b", "mx.example.org;", ""})
    void anMxThatIsNoPatternMakesThePolicyInvalid(String written) {
        assertThat(read(USUAL.replace("mx.example.org", written))).isInstanceOf(StsPolicy.PolicyReading.Invalid.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "version: STSv2\nmode: enforce\nmx: a.example\nmax_age: 1",
            "version: STSv1\nmode: strict\nmx: a.example\nmax_age: 1", "version: STSv1\nmode: enforce\nmax_age: 1",
            "version: STSv1\rmode: enforce\rmx: a.example\rmax_age: 1", "version: STSv1\n<html>",
            "version: STSv1\nmode: enforce\nmx: a.example\nmax_age: 1\nx: \0"})
    void aFileWithAMistakeIsNoPolicy(String text) {
        assertThat(read(text)).isInstanceOf(StsPolicy.PolicyReading.Invalid.class);
    }

    @Test
    void aFileOfTheLargestSizeIsReadAndALargerOneIsNot() {
        String room = "x: " + "y".repeat(StsPolicy.MOST_OCTETS - USUAL.length() - 3);
        assertThat(read(USUAL + room)).isInstanceOf(StsPolicy.PolicyReading.Valid.class);
        assertThat(read(USUAL + room + "y")).isInstanceOf(StsPolicy.PolicyReading.Invalid.class);
    }

    @Test
    void aPolicyOfTheMostHostsIsReadAndOneOfMoreIsNot() {
        String more = "mx: *.example.net\n".repeat(StsPolicy.MOST_MX - 1);
        assertThat(valid(USUAL + more).mx()).hasSize(StsPolicy.MOST_MX);
        assertThat(read(USUAL + more + "mx: x.example\n")).isInstanceOf(StsPolicy.PolicyReading.Invalid.class);
    }

    @ParameterizedTest
    @CsvSource({"mx.example.org, true", "MX.Example.ORG., true", "a.example.net, true", "a.b.example.net, false",
            "example.net, false", "mx.example.org.evil.example, false", "xmx.example.org, false"})
    void aStarStandsForOneLabel(String host, boolean permitted) {
        assertThat(valid(USUAL + "mx: *.example.net\n").permits(host)).isEqualTo(permitted);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"v=STSv1; id=20260101T000000;|20260101T000000", "v=STSv1;id=a|a",
            "v=STSv1 ; x=y; id=a1 |a1"})
    void theRecordHasAnId(String text, String id) {
        assertThat(StsRecord.id(List.of("unrelated", text))).contains(id);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=STSv1", "v=STSv1; id=", "v=STSv1; id=a-b", "v=STSv10; id=a", "v=STSv1; xid=a",
            "V=STSV1; id=a", "v=STSv1; id=123456789012345678901234567890123"})
    void aRecordWithoutAGoodIdIsNone(String text) {
        assertThat(StsRecord.id(List.of(text))).isEmpty();
    }

    @Test
    void twoRecordsAreNone() {
        assertThat(StsRecord.id(List.of("v=STSv1; id=a", "v=STSv1; id=b"))).isEmpty();
    }
}
