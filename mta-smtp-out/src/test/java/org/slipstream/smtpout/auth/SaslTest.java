package org.slipstream.smtpout.auth;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Logins, with the worked examples of the standards, and with servers that cheat.
class SaslTest {
    private static final Credentials PENCIL = new Credentials("user", "pencil");
    private static final String SERVER_FIRST = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
            + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    /// RFC 7677 section 3.
    @Test
    void scramWithSha256() {
        ScramClient scram = ScramClient.sha256(PENCIL, "rOprNGfwEbeRWgbNEkqO");
        assertThat(text(scram.first().orElseThrow())).isEqualTo("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
        assertThat(said(scram, SERVER_FIRST)).isEqualTo("c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        assertThat(scram.doubt()).contains("the server has not proved that it has the password");
        assertThat(said(scram, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")).isEmpty();
        assertThat(scram.doubt()).isEmpty();
    }

    /// RFC 5802 section 5.
    @Test
    void scramWithSha1() {
        ScramClient scram = ScramClient.sha1(PENCIL, "fyko+d2lbbFgONRv9qkxdawL");
        assertThat(text(scram.first().orElseThrow())).isEqualTo("n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL");
        assertThat(said(scram, "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096"))
                .isEqualTo("c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=");
        assertThat(said(scram, "v=rmF9pqV8S7suAoZWja4dJRkFsKQ=")).isEmpty();
        assertThat(scram.doubt()).isEmpty();
    }

    @Test
    void aServerThatOnlyClaimsToKnowThePasswordIsLeft() {
        ScramClient scram = ScramClient.sha256(PENCIL, "rOprNGfwEbeRWgbNEkqO");
        said(scram, SERVER_FIRST);
        assertThat(said(scram, "v=AAriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="))
                .isEqualTo("(the signature of the server is wrong)");
        assertThat(scram.doubt()).isPresent();
    }

    @Test
    void aServerThatChangesTheRulesIsLeft() {
        assertThat(afterFirst("r=somebody,s=QSXCR+Q6sek8bf92,i=4096")).contains("does not begin with ours");
        assertThat(afterFirst("r=abc,s=QSXCR+Q6sek8bf92,i=4096")).contains("does not begin with ours");
        assertThat(afterFirst("r=abcX,s=QSXCR+Q6sek8bf92,i=1")).contains("asks for 1 iterations");
        assertThat(afterFirst("r=abcX,s=QSXCR+Q6sek8bf92,i=999999999")).contains("asks for 999999999 iterations");
        assertThat(afterFirst("m=ext,r=abcX,s=QSXCR+Q6sek8bf92,i=4096"))
                .contains("first message of the server is malformed");
        assertThat(afterFirst("r=abcX,s=====,i=4096")).contains("salt of the server is malformed");
        assertThat(afterFirst("\u0000")).contains("first message of the server is malformed");
        ScramClient scram = ScramClient.sha256(PENCIL, "rOprNGfwEbeRWgbNEkqO");
        said(scram, SERVER_FIRST);
        assertThat(said(scram, "e=invalid-proof")).isEqualTo("(the server reports invalid-proof)");
    }

    @Test
    void aNameWithACommaDoesNotEndEarly() {
        assertThat(text(ScramClient.sha256(new Credentials("a,b=c", "x"), "n").first().orElseThrow()))
                .isEqualTo("n,,n=a=2Cb=3Dc,r=n");
    }

    @Test
    void plainSaysEverythingAtOnceAndLoginWhenAsked() {
        Sasl plain = Sasl.choose(Set.of("PLAIN", "LOGIN"), true, PENCIL, "n").orElseThrow();
        assertThat(text(plain.first().orElseThrow())).isEqualTo("\0user\0pencil");
        assertThat(said(plain, "")).startsWith("(");
        Sasl login = Sasl.choose(Set.of("LOGIN", "XOAUTH2"), true, PENCIL, "n").orElseThrow();
        assertThat(login.first()).isEmpty();
        assertThat(said(login, "Username:")).isEqualTo("user");
        assertThat(said(login, "whatever")).isEqualTo("pencil");
        assertThat(said(login, "And your mother's name:")).startsWith("(");
    }

    @Test
    void theBestMechanismIsTakenAndThePasswordShownOnlyWhereItMay() {
        assertThat(chosen(true, "PLAIN", "LOGIN", "SCRAM-SHA-1", "SCRAM-SHA-256")).isEqualTo("SCRAM-SHA-256");
        assertThat(chosen(true, "PLAIN", "SCRAM-SHA-1")).isEqualTo("SCRAM-SHA-1");
        assertThat(chosen(false, "PLAIN", "LOGIN")).isEqualTo("none");
        assertThat(chosen(false, "PLAIN", "SCRAM-SHA-256")).isEqualTo("SCRAM-SHA-256");
        assertThat(chosen(true, "GSSAPI")).isEqualTo("none");
    }

    @Test
    void passwordsAreNotForLogs() {
        assertThat(PENCIL.toString()).isEqualTo("Credentials[user]");
        assertThatThrownBy(() -> new Credentials("user\0", "x")).hasMessageNotContaining("x of");
    }

    private static String chosen(boolean openly, String... offered) {
        return Sasl.choose(Set.of(offered), openly, PENCIL, "n").map(Sasl::mechanism).orElse("none");
    }

    private static String afterFirst(String serverFirst) {
        return said(ScramClient.sha256(PENCIL, "abc"), serverFirst);
    }

    private static String said(Sasl sasl, String challenge) {
        return switch (sasl.challenged(challenge.getBytes(StandardCharsets.UTF_8))) {
            case Sasl.SaslMove.Respond(byte[] words) -> text(words);
            case Sasl.SaslMove.GiveUp(String reason) -> "(" + reason + ")";
        };
    }

    private static String text(byte[] words) {
        return new String(words, StandardCharsets.UTF_8);
    }
}
