package org.slipstream.guard.zone;

import org.junit.jupiter.api.Test;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// DKIM keys with those of RFC 8463.
class RecordSyntaxTest {
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
