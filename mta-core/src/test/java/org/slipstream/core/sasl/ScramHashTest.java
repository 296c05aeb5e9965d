package org.slipstream.core.sasl;

import org.junit.jupiter.api.Test;

import java.util.Base64;
import java.util.HexFormat;

import static org.assertj.core.api.Assertions.assertThat;

/// The arithmetic of both sides, with the exchanges of the RFCs.
class ScramHashTest {
    private static final String SHA_1_MESSAGE = "n=user,r=fyko+d2lbbFgONRv9qkxdawL,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,"
            + "s=QSXCR+Q6sek8bf92,i=4096,c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j";
    private static final String SHA_256_MESSAGE = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
            + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";

    /// RFC 5802 section 5.
    @Test
    void sha1() {
        check(ScramHash.SHA_1, "QSXCR+Q6sek8bf92", SHA_1_MESSAGE, "v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
                "rmF9pqV8S7suAoZWja4dJRkFsKQ=");
    }

    /// RFC 7677 section 3.
    @Test
    void sha256() {
        check(ScramHash.SHA_256, "W22ZaJ0SNY7soEsUEjb6gQ==", SHA_256_MESSAGE,
                "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
    }

    private static void check(ScramHash hash, String salt, String message, String proof, String signature) {
        byte[] salted = hash.saltedPassword("pencil", decode(salt), 4096);
        byte[] clientKey = hash.clientKey(salted);
        assertThat(hash.proof(clientKey, message)).isEqualTo(decode(proof));
        assertThat(hash.isProof(decode(proof), hash.storedKey(clientKey), message)).isTrue();
        assertThat(hash.isProof(decode(proof), hash.storedKey(clientKey), message + "x")).isFalse();
        assertThat(hash.sign(hash.serverKey(salted), message)).isEqualTo(decode(signature));
    }

    @Test
    void keysAcceptTheProofOfTheirPasswordAlone() {
        byte[] salt = decode("W22ZaJ0SNY7soEsUEjb6gQ==");
        ScramKeys keys = ScramKeys.derive("pencil", salt, 4096);
        byte[] proof = decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(keys.isProof(proof, SHA_256_MESSAGE)).isTrue();
        assertThat(ScramKeys.derive("pencils", salt, 4096).isProof(proof, SHA_256_MESSAGE)).isFalse();
        for (int length : new int[]{0, 1, 31, 33}) {
            assertThat(keys.isProof(new byte[length], SHA_256_MESSAGE)).isFalse();
        }
    }

    @Test
    void keysDoNotAppearInTheirText() {
        ScramKeys keys = ScramKeys.derive("pencil", decode("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096);
        assertThat(keys.toString()).isEqualTo("ScramKeys[iterations=4096]")
                .doesNotContain(HexFormat.of().formatHex(keys.storedKey()));
    }

    /// A client that asks for the salt of a user learns nothing from its absence, nor from its
    /// change.
    @Test
    void aUserWhoDoesNotExistHasKeys() {
        byte[] secret = new byte[32];
        ScramKeys keys = ScramKeys.ofNobody(secret, "nobody", 5000);
        assertThat(keys).isEqualTo(ScramKeys.ofNobody(secret, "nobody", 5000));
        assertThat(keys.salt()).hasSize(16).isNotEqualTo(ScramKeys.ofNobody(secret, "anybody", 5000).salt())
                .isNotEqualTo(ScramKeys.ofNobody(new byte[]{1}, "nobody", 5000).salt());
        assertThat(keys.iterations()).isEqualTo(5000);
    }

    @Test
    void aNameWithACommaDoesNotEndEarly() {
        assertThat(SaslName.encode("a,b=c")).isEqualTo("a=2Cb=3Dc");
        assertThat(SaslName.decode("a=2Cb=3Dc")).contains("a,b=c");
        assertThat(SaslName.decode("a=2cb")).isEmpty();
        assertThat(SaslName.decode("us=er")).isEmpty();
    }

    private static byte[] decode(String base64) {
        return Base64.getDecoder().decode(base64);
    }
}
