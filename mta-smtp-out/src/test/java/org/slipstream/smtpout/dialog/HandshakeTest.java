package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HandshakeTest {
    @Test
    void aModernServer() {
        assertThat(smtp(false, "220-mx.example\r\n220 ESMTP", "250-mx\r\n250-PIPELINING\r\n250 8BITMIME")).isEqualTo("""
                EHLO me.example
                ready [PIPELINING, EIGHT_BIT_MIME]""");
    }

    @Test
    void aServerFromBeforeEsmtp() {
        assertThat(smtp(true, "220 hi", "500 what?", "250 hello")).isEqualTo("""
                EHLO me.example
                HELO me.example
                ready []""");
    }

    @Test
    void aServerThatRefusesBothGreetings() {
        assertThat(smtp(true, "220 hi", "550 5.7.1 no", "550 5.7.1 never")).isEqualTo("""
                EHLO me.example
                HELO me.example
                refused at the reply to EHLO: 550 5.7.1 never""");
    }

    @Test
    void aBusyServerIsNotAskedAgainWithHelo() {
        assertThat(smtp(true, "220 hi", "421 4.3.2 later")).isEqualTo("""
                EHLO me.example
                refused at the reply to EHLO: 421 4.3.2 later""");
    }

    @Test
    void aRefusalInPlaceOfAGreeting() {
        assertThat(smtp(true, "554 no")).isEqualTo("refused at the greeting: 554 no");
        assertThat(smtp(true, "421 later")).isEqualTo("refused at the greeting: 421 later");
        assertThat(smtp(true, "354 go ahead"))
                .isEqualTo("refused at the greeting: 451 4.5.0 protocol error in the greeting: 354 go ahead");
    }

    @Test
    void startTlsWhenOfferedAndWhatWasSaidBeforeIsForgotten() {
        assertThat(smtp(true, "220 hi", "250-mx\r\n250-STARTTLS\r\n250 CHUNKING", "220 go", "250-mx\r\n250 PIPELINING"))
                .isEqualTo("""
                        EHLO me.example
                        STARTTLS
                        (TLS)
                        EHLO me.example
                        ready [PIPELINING]""");
    }

    @Test
    void startTlsIsNotAskedForTwice() {
        assertThat(smtp(true, "220 hi", "250-mx\r\n250 STARTTLS", "220 go", "250-mx\r\n250 STARTTLS")).endsWith("""
                (TLS)
                EHLO me.example
                ready [STARTTLS]""");
    }

    @Test
    void startTlsIsNotUsedWhenItIsSwitchedOff() {
        assertThat(smtp(false, "220 hi", "250-mx\r\n250 STARTTLS")).isEqualTo("""
                EHLO me.example
                ready [STARTTLS]""");
    }

    @Test
    void aServerThatOffersTlsAndThenRefusesItGetsTheMailInTheClear() {
        assertThat(smtp(true, "220 hi", "250-mx\r\n250-STARTTLS\r\n250 SIZE 5", "454 4.7.0 no certificate"))
                .isEqualTo("""
                        EHLO me.example
                        STARTTLS
                        ready [SIZE, STARTTLS]""");
        assertThat(smtp(true, "220 hi", "250-mx\r\n250 STARTTLS", "421 4.3.2 closing"))
                .endsWith("refused at the reply to STARTTLS: 421 4.3.2 closing");
    }

    @Test
    void lmtpHasItsOwnVerbAndNoOlderOne() {
        Rehearsal lmtp = new Rehearsal(
                new ClientDialog(ClientProtocol.LMTP, HandshakeSettings.of("me.example", false)));
        assertThat(lmtp.play(lmtp.dialog().begin(), "220 hi", "500 5.5.1 no LMTP here")).isEqualTo("""
                LHLO me.example
                refused at the reply to EHLO: 500 5.5.1 no LMTP here""");
    }

    @Test
    void nothingCanBeDeliveredBeforeThePeerIsReady() {
        ClientDialog dialog = new ClientDialog(ClientProtocol.SMTP, HandshakeSettings.of("me.example", false));
        dialog.begin();
        assertThatThrownBy(() -> dialog.pipeline(false))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(dialog::encrypted).isInstanceOf(IllegalStateException.class);
    }

    private static String smtp(boolean wantsTls, String... replies) {
        Rehearsal rehearsal = new Rehearsal(
                new ClientDialog(ClientProtocol.SMTP, HandshakeSettings.of("me.example", wantsTls)));
        return rehearsal.play(rehearsal.dialog().begin(), replies);
    }
}
