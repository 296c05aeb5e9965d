package org.slipstream.guard.zone;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// DMARC records with the examples of RFC 7489 appendix B, and DKIM keys with those of RFC 8463.
class RecordSyntaxTest {
    @ParameterizedTest
    @ValueSource(strings = {"v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com",
            "v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com; ruf=mailto:auth-reports@example.com",
            "v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com;ruf=mailto:auth-reports@thirdparty.example.net!10m",
            "v=DMARC1; p=quarantine; rua=mailto:dmarc-feedback@example.com,mailto:tld-test@thirdparty.example.net!10m;"
                    + " pct=25",
            "v=DMARC1;p=reject;sp=none;adkim=s;aspf=r;fo=1:d:s;rf=afrf;ri=86400;unknown=x;", "v=DMARC1 ; p = reject"})
    void dmarcOfTheRfc(String text) {
        assertThat(DmarcRecord.isDmarc(text)).isTrue();
        assertThat(DmarcRecord.parse(text)).isInstanceOf(DmarcRecord.DmarcParse.Good.class);
    }

    @Test
    void addressesOfReportsAreRead() {
        assertThat(DmarcRecord.parse("v=DMARC1; p=reject; rua=mailto:a@example.com!10m, mailto:b@other.example;"
                + " ruf=mailto:c@third.example"))
                .isEqualTo(new DmarcRecord.DmarcParse.Good(
                        new DmarcRecord("reject", List.of("a@example.com", "b@other.example"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=DMARC1", "v=DMARC1; p=", "v=DMARC1; p=all", "v=DMARC1; p=none; p=reject",
            "v=DMARC1; p=none; pct=101", "v=DMARC1; p=none; rua=postmaster@example.com", "v=DMARC1; p=none, rua=x",
            "v=DMARC1; p=none; adkim=relaxed", "v=DMARC1; p=none; fo=2", "v=DMARC1; p=none;; sp=none",
            "v=DMARC1; none"})
    void dmarcMistakes(String text) {
        assertThat(DmarcRecord.isDmarc(text)).isTrue();
        assertThat(DmarcRecord.parse(text)).isInstanceOf(DmarcRecord.DmarcParse.Wrong.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"v=DMARC2; p=none", "v=dmarc1; p=none", "p=none; v=DMARC1", "v=spf1 -all", "v=DMARC12; p=none"})
    void otherTextsAreNotDmarc(String text) {
        assertThat(DmarcRecord.isDmarc(text)).isFalse();
    }

    @Test
    void dkimKeys() throws GeneralSecurityException {
        // RFC 8463 appendix A.2.
        assertThat(DkimKey.read("v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="))
                .isEqualTo(new DkimKey.KeyReading.Usable("Ed25519"));
        assertThat(DkimKey.read("v=DKIM1; k=rsa; t=s; p=" + rsa(2048)))
                .isEqualTo(new DkimKey.KeyReading.Usable("RSA, 2048 bits"));
        assertThat(DkimKey.read("p=" + rsa(1024).replaceFirst("(.{64})", "$1 ")))
                .isEqualTo(new DkimKey.KeyReading.Weak("RSA, 1024 bits"));
        assertThat(List.of("v=DKIM1; p=", "v=DKIM1; k=rsa", "v=DKIM2; p=AAAA", "v=DKIM1; p=!", "v=DKIM1; p=AAAA",
                "v=DKIM1; k=ed25519; p=AAAA", "v=DKIM1; k=dsa; p=AAAA", "no tags", "v=DKIM1; p=" + rsa(512)))
                .allSatisfy(text -> assertThat(DkimKey.read(text)).isInstanceOf(DkimKey.KeyReading.Unusable.class));
    }

    private static String rsa(int bits) throws GeneralSecurityException {
        var maker = KeyPairGenerator.getInstance("RSA");
        maker.initialize(bits);
        return Base64.getEncoder().encodeToString(maker.generateKeyPair().getPublic().getEncoded());
    }
}
