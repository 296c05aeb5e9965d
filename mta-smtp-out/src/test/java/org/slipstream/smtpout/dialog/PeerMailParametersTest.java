package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.SenderTls;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/// The parameters of MAIL and RCPT, sent only to peers that announced them.
class PeerMailParametersTest {
    private static final Address SENDER = Address.of("me@here.example");

    @Test
    void theRequestedReportsArePassedOn() {
        Recipient recipient = to("you@there.example", Optional.of("rfc822;List+Owner@old.example"),
                Set.of(DsnNotify.DELAY, DsnNotify.FAILURE));
        assertThat(mail(envelope(BodyType.SEVEN_BIT, Optional.of("id +=é"), DsnReturn.HEADERS, recipient), "DSN"))
                .isEqualTo("MAIL FROM:<me@here.example> RET=HDRS ENVID=id+20+2B+3D+C3+A9");
        assertThat(rcpt(recipient, "DSN")).isEqualTo(
                "RCPT TO:<you@there.example> NOTIFY=FAILURE,DELAY ORCPT=rfc822;List+2BOwner@old.example");
        assertThat(rcpt(to("you@there.example", Optional.empty(), Set.of(DsnNotify.NEVER)), "DSN"))
                .isEqualTo("RCPT TO:<you@there.example> NOTIFY=NEVER");
    }

    @Test
    void aPeerWithoutDsnGetsNoDsnParameters() {
        Recipient recipient = to("you@there.example", Optional.of("rfc822;a@b.example"), Set.of(DsnNotify.SUCCESS));
        assertThat(mail(envelope(BodyType.SEVEN_BIT, Optional.of("id"), DsnReturn.FULL, recipient)))
                .isEqualTo("MAIL FROM:<me@here.example>");
        assertThat(rcpt(recipient)).isEqualTo("RCPT TO:<you@there.example>");
    }

    @Test
    void nothingIsMadeUpForASenderWhoSaidNothing() {
        Recipient recipient = new Recipient(1, Address.of("you@there.example"));
        assertThat(mail(envelope(BodyType.EIGHT_BIT_MIME, Optional.empty(), DsnReturn.UNSPECIFIED, recipient), "DSN",
                "8BITMIME", "SIZE")).isEqualTo("MAIL FROM:<me@here.example> SIZE=100 BODY=8BITMIME");
        assertThat(rcpt(recipient, "DSN")).isEqualTo("RCPT TO:<you@there.example>");
    }

    @Test
    void anOriginalRecipientInOtherMessagesIsWrittenSoThatAnyPeerCanAcceptIt() {
        assertThat(OriginalRecipient.value("rfc822;jürgen@b.example")).contains("utf-8;j\\x{FC}rgen@b.example");
        assertThat(OriginalRecipient.value("UTF-8;j\\x{FC}r+gen\\@b.example"))
                .contains("utf-8;j\\x{FC}r\\x{2B}gen\\x{5C}@b.example");
        assertThat(OriginalRecipient.value("utf-8;\uD83D\uDCEE@b.example")).contains("utf-8;\\x{1F4EE}@b.example");
        assertThat(OriginalRecipient.value("no type")).isEmpty();
        assertThat(OriginalRecipient.value(";x")).isEmpty();
        assertThat(OriginalRecipient.value("rfc822;")).isEmpty();
    }

    @Test
    void theRestOfTheTimeIsPassedOnWithItsModeAndThePriority() {
        Recipient recipient = new Recipient(1, Address.of("you@there.example"));
        Envelope plain = envelope(BodyType.SEVEN_BIT, Optional.empty(), DsnReturn.UNSPECIFIED, recipient);
        Envelope withOptions = plain.withOptions(new DeliveryOptions(OptionalLong.empty(),
                Optional.of(new DeliveryOptions.DeliverBy(120_999, true, true)), -3, SenderTls.REQUIRED));
        String[] all = {"DELIVERBY 30", "MT-PRIORITY MIXER", "REQUIRETLS"};
        assertThat(mail(withOptions, all))
                .isEqualTo("MAIL FROM:<me@here.example> BY=120;RT MT-PRIORITY=-3 REQUIRETLS");
        assertThat(mail(withOptions)).as("to a peer without them").isEqualTo("MAIL FROM:<me@here.example>");
        assertThat(mail(plain, all)).as("nothing was asked").isEqualTo("MAIL FROM:<me@here.example>");
        Envelope late = plain.withOptions(new DeliveryOptions(OptionalLong.empty(),
                Optional.of(new DeliveryOptions.DeliverBy(-1, false, false)), 0, SenderTls.USUAL));
        assertThat(mail(late, all)).isEqualTo("MAIL FROM:<me@here.example> BY=-1;N");
    }

    @Test
    void lateMailIsNotOffered() {
        Recipient recipient = new Recipient(1, Address.of("you@there.example"));
        Envelope late = envelope(BodyType.SEVEN_BIT, Optional.empty(), DsnReturn.UNSPECIFIED, recipient).withOptions(
                new DeliveryOptions(OptionalLong.empty(), Optional.of(new DeliveryOptions.DeliverBy(999, true, false)),
                        0, SenderTls.USUAL));
        assertThat(new PeerMailParameters(peer("DELIVERBY")).refusal(SendingTransactionTest.transfer(late, 100), 0))
                .hasValueSatisfying(reply -> assertThat(reply).hasToString("554 5.4.7 delivery time expired"));
    }

    private static Recipient to(String address, Optional<String> original, Set<DsnNotify> notifyOn) {
        return new Recipient(1, Address.of(address), original, notifyOn);
    }

    private static Envelope envelope(BodyType body, Optional<String> id, DsnReturn returns, Recipient recipient) {
        return new Envelope(Optional.of(SENDER), body, false, id, returns, List.of(recipient));
    }

    private static String mail(Envelope envelope, String... offers) {
        return new PeerMailParameters(peer(offers)).mail(SendingTransactionTest.transfer(envelope, 100), 0);
    }

    private static String rcpt(Recipient recipient, String... offers) {
        return new PeerMailParameters(peer(offers)).recipient(recipient);
    }

    static PeerExtensions peer(String... offers) {
        List<String> lines = new ArrayList<>(List.of("peer"));
        lines.addAll(List.of(offers));
        return PeerExtensions.of(new Reply(250, Optional.empty(), lines));
    }
}
