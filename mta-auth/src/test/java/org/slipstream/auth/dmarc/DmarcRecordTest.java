package org.slipstream.auth.dmarc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Address;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// The examples of RFC 9989 appendix B and of RFC 7489, and records that break the grammar.
@Timeout(60)
class DmarcRecordTest {
    @ParameterizedTest
    @ValueSource(strings = {"v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com",
            "v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com; ruf=mailto:auth-reports@example.com",
            "v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com;ruf=mailto:auth-reports@thirdparty.example.net!10m",
            "v=DMARC1; p=quarantine; rua=mailto:dmarc-feedback@example.com,mailto:tld-test@thirdparty.example.net!10m;"
                    + " pct=25",
            "v=DMARC1;p=reject;sp=none;adkim=s;aspf=r;fo=1:d:s;rf=afrf;ri=86400;unknown=x;", "v=DMARC1 ; p = reject"})
    void dmarcOfTheRfc(String text) {
        assertThat(DmarcRecord.isDmarc(text)).isTrue();
        assertThat(DmarcRecord.parse(text).faults()).isEmpty();
    }

    @Test
    void addressesOfReportsAreRead() {
        assertThat(DmarcRecord.parse("v=DMARC1; p=reject; rua=mailto:a@example.com!10m, mailto:b@other.example;"
                + " ruf=mailto:c@third.example").reports()).containsExactly(Address.of("a@example.com"),
                        Address.of("b@other.example"));
        assertThat(DmarcRecord.parse("v=DMARC1; p=none; rua=MAILTO:a%2Bb+c@example.com?subject=x,https://a.example,"
                + "mailto:d%zz@example.com, mailto:e@[192.0.2.1]").reports()).containsExactly(
                        Address.of("a+b+c@example.com"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=DMARC1", "v=DMARC1; p=", "v=DMARC1; p=all", "v=DMARC1; p=none; p=reject",
            "v=DMARC1; p=none; rua=postmaster@example.com", "v=DMARC1; p=none, rua=x",
            "v=DMARC1; p=none; adkim=relaxed", "v=DMARC1; p=none; fo=2", "v=DMARC1; p=none;; sp=none",
            "v=DMARC1; none"})
    void dmarcMistakes(String text) {
        assertThat(DmarcRecord.isDmarc(text)).isTrue();
        assertThat(DmarcRecord.parse(text).faults()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"v=DMARC2; p=none", "v=dmarc1; p=none", "p=none; v=DMARC1", "v=spf1 -all", "v=DMARC12; p=none"})
    void otherTextsAreNotDmarc(String text) {
        assertThat(DmarcRecord.isDmarc(text)).isFalse();
    }

    /// RFC 9989 removes the percentage, and "t" has its place.
    @Test
    void tagsThatAreGoneAreIgnored() {
        var record = DmarcRecord.parse("v=DMARC1; pct=0; t=Y; rf=x; ri=never; p=Reject; np=quarantine; psd=n; unknown");
        assertThat(record.policy()).contains(DmarcPolicy.REJECT);
        assertThat(record.testing()).isTrue();
        assertThat(record.suffix()).isEqualTo(DmarcRecord.SuffixFlag.ORGANIZATION);
        assertThat(record.faults()).singleElement().asString().startsWith("\"unknown\" is not a tag");
    }

    @ParameterizedTest
    @CsvSource({"p=reject; sp=none; np=quarantine, REJECT, NONE, QUARANTINE", "p=reject, REJECT, REJECT, REJECT",
            "p=quarantine; sp=reject, QUARANTINE, REJECT, REJECT", "p=none; np=reject, NONE, NONE, REJECT",
            "p=drop; rua=https://a.example, NONE, NONE, NONE", "sp=reject; rua=mailto:a@example.com, NONE, NONE, NONE",
            "p=reject; sp=drop; rua=mailto:a@example.com, NONE, NONE, NONE"})
    void policies(String tags, DmarcPolicy own, DmarcPolicy below, DmarcPolicy missing) {
        var record = DmarcRecord.parse("v=DMARC1; " + tags);
        assertThat(List.of(record.policyFor(false, true), record.policyFor(true, true), record.policyFor(true, false)))
                .containsExactly(own, below, missing);
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=DMARC1", "v=DMARC1; p=drop", "v=DMARC1; p=reject; np=x",
            "v=DMARC1; p=reject; sp=; rua=a@example.com"})
    void aRecordWithoutAPolicyAndWithoutReportsIsNotApplied(String text) {
        assertThat(DmarcRecord.parse(text).policy()).isEmpty();
    }

    @Test
    void aRecordOf64KilobytesIsNotRead() {
        var record = DmarcRecord.parse("v=DMARC1; p=reject; " + "x".repeat(64_000));
        assertThat(record.policy()).isEmpty();
        assertThat(record.faults().toString()).hasSizeLessThan(500);
        assertThat(DmarcRecord.isDmarc(" ".repeat(64_000) + "v=DMARC1")).isFalse();
        assertThat(DmarcRecord.isDmarc("v=DMARC1;" + "a=b;".repeat(16_000))).isTrue();
    }

    @Test
    void tenReportsAndTenFaultsAreKept() {
        var record = DmarcRecord.parse("v=DMARC1; p=none; rua=" + "mailto:a@example.com,".repeat(500) + "x"
                + ";y".repeat(1_000));
        assertThat(record.reports()).hasSize(10);
        assertThat(record.faults()).hasSizeLessThan(20).allSatisfy(fault -> assertThat(fault).hasSizeLessThan(200));
    }
}
