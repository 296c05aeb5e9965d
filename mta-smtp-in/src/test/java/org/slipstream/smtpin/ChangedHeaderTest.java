package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Header;
import org.slipstream.smtpin.policy.HeaderChange;
import org.slipstream.smtpin.policy.HeaderChange.FieldRemoval;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.Ruling;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Checks that change the header at the end of a message: what is stored, and what the facts about it
/// say ([CollectedMessages] compares them with the content).
class ChangedHeaderTest {
    private static final String MESSAGE = "Subject: a\r\n b\r\nX-Spam: Yes\r\nTo: x\r\nx-spam: no\r\n\r\nX-Spam: body\r\n";
    private final CollectedMessages messages = new CollectedMessages();
    private final List<String> seen = new ArrayList<>();

    /// Changes every header, and keeps the content that it was shown.
    private final class Marks implements Check {
        private final HeaderChange change;

        private Marks(HeaderChange change) {
            this.change = change;
        }

        @Override
        public String name() {
            return "marks";
        }

        @Override
        public Ruling end(Client client, CheckedMessage message) {
            try (var content = message.content().open()) {
                seen.add(new String(content.readAllBytes(), StandardCharsets.ISO_8859_1));
            } catch (IOException impossible) {
                throw new AssertionError(impossible);
            }
            return new Ruling.Pass(Optional.of("marked"), change);
        }
    }

    private static HeaderChange change(List<FieldRemoval> removals, String... additions) {
        var fields = new ArrayList<Header.Field>();
        for (String each : additions) {
            fields.add(new Header.Field(each.substring(0, each.indexOf(':')), each.substring(each.indexOf(':') + 2)));
        }
        return new HeaderChange(removals, fields);
    }

    private CollectedMessages.Accepted sent(String content, boolean chunked, HeaderChange... changes)
            throws IOException {
        Policy policy = new Policy(List.of(changes).stream().<Check>map(Marks::new).toList());
        ListenerConfig config = Ports.config().withService(Stage.full());
        try (SmtpListener listener = Ports.started(config, ListenerServices.of(messages).withPolicy(policy));
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            if (chunked) {
                client.ask("MAIL FROM:<a@x.example>");
                client.ask("RCPT TO:<b@y.example>");
                client.send("BDAT " + content.length() + " LAST\r\n" + content);
                assertThat(client.reply()).startsWith("250");
            } else {
                assertThat(ListenerTest.send(client, content)).startsWith("250");
            }
            return messages.accepted.remove();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void newFieldsComeFirstAndTheFactsStayKnown(boolean chunked) throws IOException {
        var stored = sent(MESSAGE, chunked, change(List.of(), "X-A: 1\r\n\ttwo", "X-B: 2"));
        assertThat(stored.content()).startsWith("X-A: 1\r\n\ttwo\r\nX-B: 2\r\nReceived: ").endsWith(MESSAGE);
        assertThat(stored.facts()).isPresent();
        assertThat(stored.extras().tags()).hasToString("[marks=marked]");
    }

    @Test
    void removedFieldsGoWhateverTheirCaseAndTheBodyStays() throws IOException {
        var stored = sent(MESSAGE, false, change(List.of(new FieldRemoval("X-SPAM", 0)), "X-Spam: Maybe"));
        assertThat(stored.content()).startsWith("X-Spam: Maybe\r\nReceived: ")
                .endsWith("Subject: a\r\n b\r\nTo: x\r\n\r\nX-Spam: body\r\n");
        assertThat(stored.facts()).isEmpty();
    }

    @Test
    void aFieldIsRemovedByItsPlaceFromEitherEnd() throws IOException {
        assertThat(sent(MESSAGE, false, change(List.of(new FieldRemoval("X-Spam", 1)))).asSent())
                .isEqualTo(MESSAGE.replace("X-Spam: Yes\r\n", ""));
        assertThat(sent(MESSAGE, false, change(List.of(new FieldRemoval("X-Spam", -1)))).asSent())
                .isEqualTo(MESSAGE.replace("x-spam: no\r\n", ""));
    }

    @Test
    void aRemovalWithoutSuchAFieldChangesNothing() throws IOException {
        var stored = sent(MESSAGE, false,
                change(List.of(new FieldRemoval("X-Other", 0), new FieldRemoval("X-Spam", 3))));
        assertThat(stored.asSent()).isEqualTo(MESSAGE);
        assertThat(stored.facts()).isPresent();
    }

    @Test
    void theNextCheckIsAskedAndItsFieldsComeBeforeThoseOfTheFirst() throws IOException {
        var stored = sent(MESSAGE, false, change(List.of(), "X-A: 1"), change(List.of(), "X-B: 2"));
        assertThat(stored.content()).startsWith("X-B: 2\r\nX-A: 1\r\nReceived: ");
    }

    @Test
    void checksSeeTheContentAsItIsStoredWithFieldsThatWereMissing() throws IOException {
        messages.rules = new MessageHandler.ContentRules(true, true);
        sent("Subject: x\n\r\n..dots\r\n", false, change(List.of(), "X-A: 1"));
        assertThat(seen.getFirst()).startsWith("Received: ").contains("\r\nDate: ", "\r\nMessage-ID: ")
                .endsWith("\r\n\r\n.dots\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no header at all\r\n", "", "\r\nbody\r\n", "X-Spam: only\r\n"})
    void oddMessagesKeepTheirContent(String odd) throws IOException {
        var stored = sent(odd, false, change(List.of(new FieldRemoval("X-Spam", 0)), "X-A: 1"));
        assertThat(stored.content()).startsWith("X-A: 1\r\nReceived: ");
        assertThat(stored.content()).endsWith(odd.startsWith("X-Spam") ? "+0000\r\n" : odd);
    }

    @Test
    void aDiskThatFailsDuringTheChangeIsNoFaultOfTheClient() throws IOException {
        Check full = new Check() {
            @Override
            public String name() {
                return "full";
            }

            @Override
            public Ruling end(Client client, CheckedMessage message) {
                messages.disk = "write";
                return new Ruling.Pass(Optional.empty(), change(List.of(), "X-A: 1"));
            }
        };
        try (SmtpListener listener = Ports.started(Ports.config(),
                ListenerServices.of(messages).withPolicy(new Policy(List.of(full))));
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO client.example");
            assertThat(ListenerTest.send(client, MESSAGE)).startsWith("452 4.3.1");
            assertThat(messages.accepted).isEmpty();
        }
    }
}
