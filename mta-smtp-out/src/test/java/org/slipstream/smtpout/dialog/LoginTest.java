package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Test;
import org.slipstream.smtpout.auth.Credentials;

import java.util.Base64;
import java.util.Optional;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/// The extensions that a peer must offer before it gets mail: TLS where that is mandatory, and a
/// login where one is configured.
class LoginTest {
    private static final Credentials PENCIL = new Credentials("user", "pencil");
    private static final String NONCE = "rOprNGfwEbeRWgbNEkqO";
    private static final String SERVER_FIRST = "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
            + "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

    @Test
    void aSmartHostWithPlainUnderTls() {
        assertThat(encrypted("220 hi", "250-mx\r\n250 AUTH LOGIN PLAIN", "235 2.7.0 welcome")).isEqualTo("""
                EHLO me.example
                AUTH PLAIN AHVzZXIAcGVuY2ls
                ready [AUTH]""");
    }

    @Test
    void theOldSpellingOfTheOfferCounts() {
        assertThat(encrypted("220 hi", "250-mx\r\n250 AUTH=PLAIN", "235 ok")).endsWith("ready [AUTH]");
    }

    @Test
    void aSmartHostThatAsksOneByOne() {
        assertThat(encrypted("220 hi", "250-mx\r\n250 AUTH LOGIN", "334 " + base64("Username:"),
                "334 " + base64("Password:"), "235 2.7.0 welcome")).isEqualTo("""
                        EHLO me.example
                        AUTH LOGIN
                        dXNlcg==
                        cGVuY2ls
                        ready [AUTH]""");
    }

    @Test
    void scramKeepsThePasswordEvenWithoutTls() {
        assertThat(play(approach(TlsPolicy.NONE, false, false), "220 hi", "250-mx\r\n250 AUTH PLAIN SCRAM-SHA-256",
                "334 " + base64(SERVER_FIRST), "334 " + base64("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="),
                "235 2.7.0 welcome"))
                .isEqualTo("EHLO me.example\nAUTH SCRAM-SHA-256 " + base64("n,,n=user,r=" + NONCE) + "\n"
                        + base64("c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
                                + "p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
                        + "\n\nready [AUTH]");
    }

    @Test
    void aServerThatSaysYesWithoutProofIsNotBelieved() {
        assertThat(
                encrypted("220 hi", "250-mx\r\n250 AUTH SCRAM-SHA-256", "334 " + base64(SERVER_FIRST), "235 welcome"))
                .endsWith(
                        "refused at the reply to AUTH: 450 4.7.8 SASL authentication with SCRAM-SHA-256 aborted: the server has not"
                                + " proved that it has the password");
        assertThat(encrypted("220 hi", "250-mx\r\n250 AUTH PLAIN", "334 not base 64 at all")).endsWith(
                "450 4.7.8 SASL authentication with PLAIN aborted: invalid base64 in challenge");
    }

    @Test
    void aRefusedPasswordIsTheReplyThatIsReported() {
        assertThat(encrypted("220 hi", "250-mx\r\n250 AUTH PLAIN", "535 5.7.8 wrong"))
                .endsWith("refused at the reply to AUTH: 535 5.7.8 wrong");
    }

    @Test
    void aPasswordIsNotShownInTheClearUnlessThatIsAllowed() {
        String[] peer = {"220 hi", "250-mx\r\n250 AUTH PLAIN LOGIN", "235 ok"};
        assertThat(play(approach(TlsPolicy.MAY, false, false), peer)).contains("refused at the reply to AUTH:"
                + " 450 4.7.4 no supported authentication mechanism among [LOGIN, PLAIN]; the password is not sent without TLS")
                .doesNotContain("AUTH PLAIN AHV");
        assertThat(play(approach(TlsPolicy.MAY, false, true), peer)).endsWith("ready [AUTH]");
    }

    @Test
    void aLoginThatIsConfiguredIsNotLeftOut() {
        assertThat(encrypted("220 hi", "250 mx")).endsWith("450 4.7.4 authentication is required, but was not offered");
        assertThat(encrypted("220 hi", "500 what?", "250 old"))
                .endsWith("450 4.7.4 authentication is required, but was not offered");
    }

    @Test
    void whereTlsIsMandatoryNoMailGoesWithoutIt() {
        for (TlsPolicy policy : new TlsPolicy[]{TlsPolicy.ENCRYPT, TlsPolicy.VERIFY}) {
            HandshakeSettings strict = new HandshakeSettings("me.example", policy, false, Optional.empty(), false, "");
            assertThat(play(strict, "220 hi", "250-mx\r\n250 PIPELINING")).endsWith(
                    "refused at the reply to STARTTLS: 450 4.7.4 TLS is required, but was not offered");
            assertThat(play(strict, "220 hi", "250-mx\r\n250 STARTTLS", "454 4.7.0 no key"))
                    .endsWith("refused at the reply to STARTTLS: 454 4.7.0 no key");
            assertThat(play(strict, "220 hi", "500 what?", "250 old")).contains("TLS is required, but was not offered");
            assertThat(play(strict, "220 hi", "250-mx\r\n250 STARTTLS", "220 go", "250 mx")).endsWith("ready []");
        }
    }

    @Test
    void implicitTlsNeedsNoStartTls() {
        assertThat(play(new HandshakeSettings("me.example", TlsPolicy.ENCRYPT, true, Optional.of(PENCIL), false, "n"),
                "220 hi",
                "250-mx\r\n250-STARTTLS\r\n250 AUTH PLAIN", "235 ok")).isEqualTo("""
                        EHLO me.example
                        AUTH PLAIN AHVzZXIAcGVuY2ls
                        ready [STARTTLS, AUTH]""");
    }

    private static HandshakeSettings approach(TlsPolicy tls, boolean implicitTls, boolean inTheClear) {
        return new HandshakeSettings("me.example", tls, implicitTls, Optional.of(PENCIL), inTheClear, NONCE);
    }

    private static String encrypted(String... replies) {
        return play(approach(TlsPolicy.ENCRYPT, true, false), replies);
    }

    private static String play(HandshakeSettings approach, String... replies) {
        Rehearsal rehearsal = new Rehearsal(new ClientDialog(ClientProtocol.SMTP, approach));
        return rehearsal.play(rehearsal.dialog().begin(), replies);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }
}
