package org.slipstream.auth.dkim;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.security.KeyPairGenerator;
import java.util.Base64;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SigningKeyTest {
    private static final KeyName NAME = KeyName.of("example.org", "s1").orElseThrow();

    @ParameterizedTest
    @EnumSource(DkimAlgorithm.class)
    void aKeyIsTheSameAfterItsPem(DkimAlgorithm algorithm) throws IOException {
        SigningKey key = SigningKey.create(NAME, algorithm);
        SigningKey read = SigningKey.read(NAME, "a comment\n" + key.pem());
        assertThat(read.record()).isEqualTo(key.record());
        assertThat(read.sign(new byte[100])).isEqualTo(key.sign(new byte[100]));
        assertThat(key).hasToString(algorithm.word() + " s1._domainkey.example.org");
        assertThat(DkimKey.read(key.record())).isInstanceOfSatisfying(DkimKey.KeyReading.Usable.class, usable -> {
            assertThat(usable.key().algorithm()).isEqualTo(algorithm);
            assertThat(usable.key().isWeak()).isFalse();
            assertThat(usable.key().check().verifies(new byte[100], key.sign(new byte[100]))).isTrue();
            assertThat(usable.key().check().verifies(new byte[99], key.sign(new byte[100]))).isFalse();
            assertThat(usable.key().check().verifies(new byte[100], new byte[3])).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "no key", "-----BEGIN PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----"})
    void textThatIsNoKeyIsToldApart(String pem) {
        assertThatThrownBy(() -> SigningKey.read(NAME, pem)).isInstanceOf(IOException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 1016})
    void shortRsaKeysDoNotSign(int bits) throws Exception {
        assertThatThrownBy(() -> SigningKey.read(NAME, pem("RSA", bits)))
                .hasMessage("an RSA key for DKIM has 1024 to 8192 bits (RFC 8301)");
    }

    @Test
    void keysOfOtherKindsDoNotSign() throws Exception {
        assertThatThrownBy(() -> SigningKey.read(NAME, pem("EC", 256)))
                .hasMessageStartingWith("it is neither an RSA nor an Ed25519 key");
    }

    private static String pem(String kind, int bits) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance(kind);
        generator.initialize(bits);
        return "-----BEGIN PRIVATE KEY-----\n"
                + Base64.getEncoder().encodeToString(generator.generateKeyPair().getPrivate().getEncoded())
                + "\n-----END PRIVATE KEY-----\n";
    }
}
