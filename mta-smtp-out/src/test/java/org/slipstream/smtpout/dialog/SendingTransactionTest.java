package org.slipstream.smtpout.dialog;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Content;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SendingTransactionTest {
    @Test
    void stepByStepWithAServerWithoutExtensions() {
        assertThat(plain(transfer("a@x.example", "b@x.example"), "250 ok", "250 ok", "251 will forward", "354 go",
                "250 2.0.0 id=1"))
                .isEqualTo("""
                        MAIL FROM:<me@here.example>
                        RCPT TO:<a@x.example>
                        RCPT TO:<b@x.example>
                        DATA
                        (content)
                        1 Delivered 250 2.0.0 id=1
                        2 Delivered 250 2.0.0 id=1""");
    }

    @Test
    void allCommandsInOneWriteWithPipelining() {
        assertThat(piped(transfer("a@x.example", "b@x.example"), "250 ok", "250 ok", "250 ok", "354 go", "250 done"))
                .isEqualTo("""
                        MAIL FROM:<me@here.example> | RCPT TO:<a@x.example> | RCPT TO:<b@x.example> | DATA
                        (content)
                        1 Delivered 250 done
                        2 Delivered 250 done""");
    }

    @Test
    void parametersAreSentWhenTheyWereOffered() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP, "SIZE 1000", "8BITMIME", "SMTPUTF8");
        assertThat(peer.deliver(transfer("a@x.example")).text())
                .isEqualTo("MAIL FROM:<me@here.example> SIZE=100 BODY=8BITMIME");
    }

    @Test
    void aSevenBitMessageIsNotDeclaredAsMore() {
        Envelope envelope = new Envelope(Optional.empty(), BodyType.SEVEN_BIT, true, Optional.empty(),
                DsnReturn.UNSPECIFIED, recipients("a@x.example"));
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP, "8BITMIME", "SMTPUTF8");
        assertThat(peer.deliver(transfer(envelope, 5)).text())
                .isEqualTo("MAIL FROM:<> SMTPUTF8");
    }

    @Test
    void anAddressThatNeedsQuotesGetsThem() {
        assertThat(plain(transfer(new Address("john doe", "x.example")), "250 ok"))
                .endsWith("RCPT TO:<\"john doe\"@x.example>");
    }

    @Test
    void anAddressWithALineEndInsideNeverBecomesACommand() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP);
        Transfer transfer = transfer(new Address("a", "x.example>\r\nRCPT TO:<evil@x.example"));
        assertThatThrownBy(() -> peer.deliver(transfer)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theSenderIsRefused() {
        assertThat(plain(transfer("a@x.example", "b@x.example"), "550 5.7.1 not you")).isEqualTo("""
                MAIL FROM:<me@here.example>
                1 Failed 550 5.7.1 not you
                2 Failed 550 5.7.1 not you
                RSET""");
        assertThat(piped(transfer("a@x.example"), "451 4.7.1 greylisted", "503 5.5.1 what mail?", "503 5.5.1 no"))
                .isEqualTo("""
                        MAIL FROM:<me@here.example> | RCPT TO:<a@x.example> | DATA
                        1 Deferred 451 4.7.1 greylisted
                        RSET""");
    }

    @Test
    void theSenderIsRefusedButDataIsTaken() {
        assertThat(piped(transfer("a@x.example"), "550 5.7.1 no", "250 ok", "354 go", "554 no valid recipients"))
                .isEqualTo("""
                MAIL FROM:<me@here.example> | RCPT TO:<a@x.example> | DATA
                .
                1 Failed 550 5.7.1 no""");
    }

    @Test
    void someRecipientsAreRefused() {
        String[] replies = {"250 ok", "550 5.1.1 unknown", "250 ok", "450 4.2.2 full", "354 go", "250 2.0.0 taken"};
        String outcomes = """
                1 Failed 550 5.1.1 unknown
                2 Delivered 250 2.0.0 taken
                3 Deferred 450 4.2.2 full""";
        Transfer transfer = transfer("a@x.example", "b@x.example", "c@x.example");
        assertThat(plain(transfer, replies)).endsWith("DATA\n(content)\n" + outcomes);
        assertThat(piped(transfer, replies)).endsWith("| DATA\n(content)\n" + outcomes);
    }

    @Test
    void allRecipientsAreRefused() {
        Transfer transfer = transfer("a@x.example", "b@x.example");
        String outcomes = """
                1 Failed 550 5.1.1 unknown
                2 Deferred 450 4.2.2 full
                """;
        assertThat(plain(transfer, "250 ok", "550 5.1.1 unknown", "450 4.2.2 full")).doesNotContain("DATA")
                .endsWith(outcomes + "RSET");
        assertThat(piped(transfer, "250 ok", "550 5.1.1 unknown", "450 4.2.2 full", "554 5.5.1 no valid recipients"))
                .endsWith("| DATA\n" + outcomes + "RSET");
        assertThat(piped(transfer, "250 ok", "550 5.1.1 unknown", "450 4.2.2 full", "354 go", "250 2.0.0 whatever"))
                .endsWith("| DATA\n.\n" + outcomes.strip());
    }

    @Test
    void dataIsRefused() {
        String[] replies = {"250 ok", "250 ok", "550 5.1.1 unknown", "451 4.3.0 disk"};
        String end = "DATA\n1 Deferred 451 4.3.0 disk\n2 Failed 550 5.1.1 unknown\nRSET";
        assertThat(plain(transfer("a@x.example", "b@x.example"), replies)).endsWith(end);
        assertThat(piped(transfer("a@x.example", "b@x.example"), replies)).endsWith(end);
    }

    @Test
    void theContentIsRefused() {
        assertThat(piped(transfer("a@x.example", "b@x.example"), "250 ok", "250 ok", "550 5.1.1 unknown", "354 go",
                "554 5.6.0 spam")).endsWith("""
                        1 Failed 554 5.6.0 spam
                        2 Failed 550 5.1.1 unknown""");
    }

    @Test
    void goodbyeAtAnyPointDefersWhoIsUndecided() {
        Transfer transfer = transfer("a@x.example", "b@x.example");
        assertThat(piped(transfer, "421 4.3.2 down")).endsWith("""
                1 Deferred 421 4.3.2 down
                2 Deferred 421 4.3.2 down
                CLOSE 421 4.3.2 down""");
        assertThat(piped(transfer, "250 ok", "550 5.1.1 unknown", "421 4.3.2 down")).endsWith("""
                1 Failed 550 5.1.1 unknown
                2 Deferred 421 4.3.2 down
                CLOSE 421 4.3.2 down""");
        assertThat(piped(transfer, "250 ok", "250 ok", "250 ok", "421 4.3.2 down")).endsWith("""
                1 Deferred 421 4.3.2 down
                2 Deferred 421 4.3.2 down
                CLOSE 421 4.3.2 down""");
        assertThat(piped(transfer, "250 ok", "250 ok", "250 ok", "354 go", "421 4.3.2 down")).endsWith("""
                1 Deferred 421 4.3.2 down
                2 Deferred 421 4.3.2 down
                CLOSE 421 4.3.2 down""");
        assertThat(piped(transfer, "550 5.7.1 no", "421 4.7.0 and out")).endsWith("""
                1 Failed 550 5.7.1 no
                2 Failed 550 5.7.1 no
                CLOSE 421 4.7.0 and out""");
    }

    @Test
    void repliesThatDoNotBelongWhereTheyComeAreNotBelieved() {
        assertThat(plain(transfer("a@x.example"), "354 go")).endsWith("""
                1 Deferred 451 4.5.0 protocol error in the reply to MAIL: 354 go
                CLOSE 451 4.5.0 protocol error in the reply to MAIL: 354 go""");
        assertThat(plain(transfer("a@x.example"), "250 ok", "354 go")).contains("1 Deferred 451 4.5.0", "CLOSE");
        assertThat(plain(transfer("a@x.example"), "250 ok", "250 ok", "250 ok")).contains("1 Deferred 451 4.5.0",
                "CLOSE");
        assertThat(plain(transfer("a@x.example"), "250 ok", "250 ok", "354 go", "354 more"))
                .contains("1 Deferred 451 4.5.0", "CLOSE");
    }

    @Test
    void tooManyRecipientsInTheOldSpellingIsForNow() {
        assertThat(plain(transfer("a@x.example"), "250 ok", "552 5.5.3 too many recipients"))
                .contains("1 Deferred 452 4.5.3 too many recipients");
    }

    @Test
    void aMessageBeyondThePeersLimitIsNotOffered() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP, "SIZE 99");
        assertThat(peer.deliver(transfer("a@x.example")).text()).isEqualTo("""
                1 Failed 552 5.3.4 message size 100 exceeds size limit 99 of the next hop""");
        assertThat(Rehearsal.with(ClientProtocol.SMTP, "SIZE 100").deliver(transfer("a@x.example")).text())
                .startsWith("MAIL FROM:");
    }

    @Test
    void addressesThatNeedSmtpUtf8FailWhereItIsMissing() {
        assertThat(plain(transfer("grüße@x.example", "b@x.example"), "250 ok", "250 ok", "354 go", "250 ok")).isEqualTo("""
                MAIL FROM:<me@here.example>
                RCPT TO:<b@x.example>
                DATA
                (content)
                1 Failed 553 5.6.7 SMTPUTF8 is required for the address, but was not offered by the next hop
                2 Delivered 250 ok""");
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP, "SMTPUTF8");
        assertThat(peer.deliver(transfer("grüße@x.example")).hear("250 ok")).isEqualTo("""
                MAIL FROM:<me@here.example> SMTPUTF8
                RCPT TO:<grüße@x.example>""");
        Envelope envelope = Envelope.of(Optional.of(Address.of("ich@müller.example")),
                List.of(Address.of("b@x.example")));
        assertThat(plain(transfer(envelope, 1))).startsWith("1 Failed 553 5.6.7");
    }

    @Test
    void aLostConnectionDefersWhoIsUndecided() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP, "PIPELINING");
        peer.deliver(transfer("a@x.example", "b@x.example")).hear("250 ok", "550 5.1.1 unknown");
        assertThat(peer.breakOff()).endsWith("""
                1 Failed 550 5.1.1 unknown
                2 Deferred 450 4.4.2 gone
                CLOSE 450 4.4.2 gone""");
    }

    @Test
    void lmtpAnswersForEachAcceptedRecipient() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.LMTP, "PIPELINING");
        assertThat(peer.deliver(transfer("a@x.example", "b@x.example", "c@x.example", "d@x.example")).hear(
                "250 ok", "250 ok", "550 5.1.1 unknown", "250 ok", "250 ok", "354 go", "250 2.0.0 a",
                "452 4.2.2 c full",
                "250 2.0.0 d")).endsWith("""
                        (content)
                        1 Delivered 250 2.0.0 a
                        2 Failed 550 5.1.1 unknown
                        3 Deferred 452 4.2.2 c full
                        4 Delivered 250 2.0.0 d""");
    }

    @Test
    void lmtpIsLostBetweenTwoFinalReplies() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.LMTP);
        peer.deliver(transfer("a@x.example", "b@x.example")).hear("250 ok", "250 ok", "250 ok", "354 go",
                "250 2.0.0 a");
        assertThat(peer.breakOff()).endsWith("""
                1 Delivered 250 2.0.0 a
                2 Deferred 450 4.4.2 gone
                CLOSE 450 4.4.2 gone""");
    }

    @Test
    void anLmtpServerThatAcceptsDataWithoutRecipientsIsLeft() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.LMTP, "PIPELINING");
        assertThat(peer.deliver(transfer("a@x.example")).hear("250 ok", "550 5.1.1 no", "354 go"))
                .endsWith("1 Failed 550 5.1.1 no\nCLOSE 451 4.5.0 protocol error in the reply to DATA: 354 go");
    }

    @Test
    void aVeryLongRecipientListGoesInGroupsThatFitIntoBuffers() {
        String[] many = new String[1000];
        Arrays.setAll(many, i -> "recipient-with-a-name-" + i + "@destination.example");
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP, "PIPELINING");
        List<String> replies = new ArrayList<>();
        for (int i = 0; i < 1001; i++) {
            replies.add("250 ok");
        }
        replies.add("354 go");
        replies.add("250 done");
        String transcript = peer.deliver(transfer(many)).hear(replies.toArray(String[]::new));
        List<String> writes = transcript.lines().filter(l -> l.contains("RCPT TO")).toList();
        assertThat(writes).hasSizeBetween(3, 10).allSatisfy(w -> assertThat(w).hasSizeLessThan(20_000));
        assertThat(writes.getLast()).endsWith("| DATA");
        assertThat(transcript).contains("\n1 Delivered 250 done\n").endsWith("\n1000 Delivered 250 done");
    }

    @Test
    void afterResetTheNextTransactionMayBegin() {
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP);
        assertThat(peer.deliver(transfer("a@x.example")).hear("550 5.7.1 no")).endsWith("RSET");
        assertThat(peer.pipeline().isIdle()).isFalse();
        peer.hear("250 flushed");
        assertThat(peer.pipeline().isIdle()).isTrue();
        assertThat(peer.deliver(2, transfer("b@x.example")).text()).endsWith("RSET\nMAIL FROM:<me@here.example>");
    }

    private static String plain(Transfer transfer, String... replies) {
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP);
        return peer.deliver(transfer).hear(replies);
    }

    private static String piped(Transfer transfer, String... replies) {
        Rehearsal peer = Rehearsal.with(ClientProtocol.SMTP, "PIPELINING");
        return peer.deliver(transfer).hear(replies);
    }

    static Transfer transfer(String... recipients) {
        return transfer(recipients(recipients).stream().map(Recipient::address).toArray(Address[]::new));
    }

    private static Transfer transfer(Address... recipients) {
        Envelope envelope = Envelope.of(Optional.of(Address.of("me@here.example")), List.of(recipients));
        return transfer(envelope, 100);
    }

    static Transfer transfer(Envelope envelope, long sizeBytes) {
        Route route = new Route.Smtp("x.example", List.of(new Route.Host("mx.x.example", 25, 0)));
        return new Transfer(new Delivery(1, new QueueId(1), route, envelope.recipients()), envelope, new Content() {
            @Override
            public long sizeBytes() {
                return sizeBytes;
            }

            @Override
            public InputStream open() {
                throw new AssertionError("the dialogue reads no content");
            }
        });
    }

    private static List<Recipient> recipients(String... addresses) {
        List<Recipient> recipients = new ArrayList<>();
        for (String address : addresses) {
            recipients.add(new Recipient(recipients.size() + 1, Address.of(address)));
        }
        return recipients;
    }
}
