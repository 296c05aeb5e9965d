package org.slipstream.auth.dkim;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;

import static org.assertj.core.api.Assertions.assertThat;

class DkimKeyTest {
    private static DkimKey key(String record) {
        assertThat(DkimKey.read(record)).isInstanceOf(DkimKey.KeyReading.Usable.class);
        return ((DkimKey.KeyReading.Usable) DkimKey.read(record)).key();
    }

    @Test
    void keysForOperators() throws GeneralSecurityException {
        // RFC 8463 appendix A.2.
        assertThat(key("v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=").text())
                .isEqualTo("Ed25519");
        assertThat(key("v=DKIM1; k=rsa; t=s; p=" + rsa(2048)).text()).isEqualTo("RSA, 2048 bits");
        DkimKey weak = key("p=" + rsa(1024).replaceFirst("(.{64})", "$1 "));
        assertThat(weak.text()).isEqualTo("RSA, 1024 bits");
        assertThat(weak.isWeak()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"v=DKIM1; p=", "v=DKIM1; k=rsa", "v=DKIM2; p=AAAA", "p=AAAA; v=DKIM1", "v=DKIM1; p=!",
            "v=DKIM1; p=AAAA", "v=DKIM1; p=MAA=", "v=DKIM1; p=MII=", "v=DKIM1; p=MP8=", "v=DKIM1; p=MAECAQ==",
            "v=DKIM1; k=ed25519; p=AAAA", "v=DKIM1; k=dsa; p=AAAA", "no tags", "",
            "v=DKIM1; k=ed25519; p=//////////////////////////////////////////8="})
    void recordsThatAreNoKeys(String record) {
        assertThat(DkimKey.read(record)).isInstanceOf(DkimKey.KeyReading.Unusable.class);
    }

    private static String rsa(int bits) throws GeneralSecurityException {
        var maker = KeyPairGenerator.getInstance("RSA");
        maker.initialize(bits);
        return Base64.getEncoder().encodeToString(maker.generateKeyPair().getPublic().getEncoded());
    }
}
