package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.Reply;
import org.slipstream.smtpin.ProgramSubmission.ContentWriter;
import org.slipstream.smtpin.ProgramSubmission.ProgramMail;
import org.slipstream.smtpin.ProgramSubmission.ProgramResult;
import org.slipstream.smtpin.ProgramSubmission.RefusedRecipient;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.Ruling;
import org.slipstream.smtpin.policy.SenderBelongs;
import org.slipstream.smtpin.protocol.Limits;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// A program that hands in mail by HTTP has the checks of a submission port.
class ProgramSubmissionTest {
    private static final Address ANN = Address.of("ann@here.example");
    private static final Client CLIENT = new Client(1, InetAddress.ofLiteral("192.0.2.7"), Optional.of("web"), true,
            Optional.empty(), Optional.of("ann"), "http");
    private static final ContentWriter HELLO = text("From: ann@here.example\nSubject: x\n\nhello\n");

    private final CollectedMessages handler = new CollectedMessages();

    private static ContentWriter text(String text) {
        return out -> out.write(text.getBytes(StandardCharsets.UTF_8));
    }

    private ProgramResult take(ContentWriter content, Check check, Address sender, String... recipients)
            throws IOException {
        handler.rules = new MessageHandler.ContentRules(true, true);
        ProgramSubmission submission = new ProgramSubmission(Limits.standard(), "mx.test",
                ListenerServices.of(handler).withPolicy(new Policy(List.of(check))),
                Clock.fixed(Instant.parse("2026-11-21T12:00:00Z"), ZoneOffset.UTC));
        return submission.take(CLIENT, new ProgramMail(sender, List.of(recipients).stream().map(Address::of).toList(),
                false, Optional.of("e1"), "{\"n\":1}"), () -> handler.draft(CLIENT), content);
    }

    private ProgramResult take(ContentWriter content, String... recipients) throws IOException {
        return take(content, new SenderBelongs((user, address) -> user.equals(address.localPart())), ANN, recipients);
    }

    @Test
    void aMessageIsCompletedAndKeepsWhoHandedItIn() throws Exception {
        ProgramResult result = take(HELLO, "bob@far.example");
        assertThat(result).isInstanceOf(ProgramResult.Committed.class);
        CollectedMessages.Accepted kept = handler.accepted.remove();
        assertThat(kept.content()).startsWith("Received: from [192.0.2.7]\r\n\tby mx.test (Slipstream) with HTTP id ")
                .contains("\r\n\tfor <bob@far.example>;", "Subject: x\r\nDate: ", "\r\n\r\nhello\r\n");
        assertThat(kept.envelope().origin().data()).isEqualTo("{\"n\":1}");
        assertThat(kept.envelope().origin().user()).isEqualTo("ann");
        assertThat(kept.envelope().origin().messageId())
                .isEqualTo(((ProgramResult.Committed) result).messageId().orElseThrow());
        assertThat(kept.envelope().envelopeId()).contains("e1");
        assertThat(handler.openDrafts).hasValue(0);
    }

    @Test
    void aSenderOfAnotherUserIsRefusedBeforeAnythingIsStored() throws Exception {
        ProgramResult result = take(HELLO, new SenderBelongs((_, _) -> false), ANN, "bob@far.example");
        assertThat(result).isInstanceOfSatisfying(ProgramResult.NotTaken.class,
                refused -> assertThat(refused.reply().code()).isEqualTo(553));
        assertThat(handler.drafts).hasValue(0);
    }

    @Test
    void recipientsThatAreRefusedAreNamedAndTheOthersGetTheMessage() throws Exception {
        ProgramResult result = take(HELLO, "nobody@here.example", "bob@far.example", "later@here.example");
        assertThat(result.refused()).extracting(each -> each.recipient() + " " + each.reply().code())
                .containsExactly("nobody@here.example 550", "later@here.example 450");
        assertThat(handler.accepted.remove().envelope().recipients()).hasSize(1);
        assertThat(take(HELLO, "nobody@here.example")).isInstanceOfSatisfying(ProgramResult.NotTaken.class,
                refused -> assertThat(refused.reply().code()).isEqualTo(550));
    }

    @Test
    void aMessageHasAsManyRecipientsAsInASession() throws Exception {
        String[] all = IntStream.rangeClosed(1, Limits.standard().recipients() + 1)
                .mapToObj(i -> "r" + i + "@far.example").toArray(String[]::new);
        ProgramResult result = take(HELLO, all);
        assertThat(result.refused()).extracting(RefusedRecipient::recipient)
                .containsExactly(Address.of(all[all.length - 1]));
        assertThat(handler.accepted.remove().envelope().recipients()).hasSize(Limits.standard().recipients());
    }

    @Test
    void theChecksSeeTheEndOfTheMessage() throws Exception {
        Check check = new Check() {
            @Override
            public String name() {
                return "content";
            }

            @Override
            public boolean readsHeader() {
                return true;
            }

            @Override
            public Ruling end(Client client, CheckedMessage message) {
                return message.header().fields().toString().contains("Subject")
                        ? Ruling.reject(550, "5.7.1", "spam")
                        : Ruling.pass();
            }
        };
        assertThat(take(HELLO, check, ANN, "bob@far.example")).isInstanceOfSatisfying(ProgramResult.NotTaken.class,
                refused -> assertThat(refused.reply()).isEqualTo(Reply.of(550, "5.7.1", "spam")));
        assertThat(handler.accepted).isEmpty();
        assertThat(handler.openDrafts).hasValue(0);
    }

    @Test
    void aMessageOfTheLargestSizeIsTakenAndOneOctetMoreIsNot() throws Exception {
        String head = "From: ann@here.example\r\n\r\n";
        int most = (int) Limits.standard().messageSize().bytes();
        ContentWriter largest = out -> {
            out.write(head.getBytes(StandardCharsets.US_ASCII));
            byte[] line = ("x".repeat(62) + "\r\n").getBytes(StandardCharsets.US_ASCII);
            int left = most - head.length();
            for (; left > 2 * line.length; left -= line.length) {
                out.write(line);
            }
            out.write(("x".repeat(left - 2) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        };
        assertThat(take(largest, "bob@far.example")).isInstanceOf(ProgramResult.Committed.class);
        ContentWriter more = out -> {
            largest.writeTo(out);
            out.write('x');
        };
        assertThat(take(more, "bob@far.example")).isInstanceOfSatisfying(ProgramResult.NotTaken.class,
                refused -> assertThat(refused.reply().code()).isEqualTo(552));
        assertThat(handler.openDrafts).hasValue(0);
    }

    @Test
    void aFullDiskIsNoFaultOfTheProgram() throws Exception {
        for (String disk : List.of("draft", "write", "commit")) {
            handler.disk = disk;
            assertThat(take(HELLO, "bob@far.example")).as(disk).isInstanceOf(ProgramResult.LocalFailure.class);
        }
        assertThat(handler.openDrafts).hasValue(0);
    }

    @Test
    void contentThatFailsLeavesNoDraft() {
        assertThatThrownBy(() -> take(_ -> {
            throw new IOException("planted");
        }, "bob@far.example")).hasMessage("planted");
        assertThat(handler.openDrafts).hasValue(0);
        assertThat(handler.accepted).isEmpty();
    }
}
