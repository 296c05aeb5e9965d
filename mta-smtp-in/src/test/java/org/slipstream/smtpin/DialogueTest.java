package org.slipstream.smtpin;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.testkit.Dialogue;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/// Plays each file of `dialogues/` against a listener of its own. [Dialogue] explains the lines,
/// [Stage] the settings.
class DialogueTest {
    static Stream<Dialogue> situations() {
        return Dialogue.all("dialogues").stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("situations")
    void dialogue(Dialogue dialogue) throws Exception {
        Stage stage = new Stage(dialogue.settings());
        CollectedMessages messages = stage.messages;
        try (SmtpListener listener = Ports.started(stage.config(), stage.services(), stage.dataCredit());
                SmtpTalker client = Ports.client(listener)) {
            for (Dialogue.Line line : dialogue.lines()) {
                try {
                    play(line, client, messages);
                } catch (IOException | AssertionError e) {
                    fail(dialogue.name() + ", at \"" + line + "\": " + e.getMessage(), e);
                }
            }
        }
        assertThat(messages.openDrafts).as("drafts left open").hasValue(0);
    }

    private final StringBuilder heldBack = new StringBuilder();
    private CollectedMessages.Accepted last;

    private void play(Dialogue.Line line, SmtpTalker client, CollectedMessages messages) throws Exception {
        String text = line.text();
        switch (line.kind()) {
            case "set" -> {
            }
            case "p" -> heldBack.append(line.octets());
            case "c", "b", "r" -> send(client, line.octets());
            case "ehlo" -> assertThat(client.ask("EHLO " + text)).startsWith("250");
            case "t" -> shakeHands(client);
            case "env" -> assertThat(describe(Objects.requireNonNull(last))).isEqualTo(text);
            case "s" -> assertThat(client.line()).matches(Dialogue.pattern(text));
            case "x" -> assertThat(client.isClosedInOrder()).as("the server has closed").isTrue();
            case "mail" -> mail(line, messages);
            default -> throw new IllegalArgumentException(line.toString());
        }
    }

    private void send(SmtpTalker client, String text) throws IOException {
        String all = heldBack + text;
        heldBack.setLength(0);
        client.send(all);
    }

    private static void shakeHands(SmtpTalker client) throws IOException {
        SSLSocket tls = (SSLSocket) Certificates.mx().getSocketFactory().createSocket(client.socket(), "mx.test",
                client.socket().getPort(), true);
        tls.startHandshake();
        client.continueOn(tls);
    }

    /// The relevant parts of an envelope, in one line.
    private static String describe(CollectedMessages.Accepted mail) {
        Envelope envelope = mail.envelope();
        EnvelopeExtras extras = mail.extras();
        StringJoiner text = new StringJoiner(" ");
        text.add(envelope.body().toString());
        if (envelope.smtpUtf8()) {
            text.add("utf8");
        }
        if (envelope.returns() != DsnReturn.UNSPECIFIED) {
            text.add("ret=" + envelope.returns());
        }
        envelope.envelopeId().ifPresent(id -> text.add("envid=" + id));
        for (Recipient recipient : envelope.recipients()) {
            if (!recipient.notifyOn().isEmpty()) {
                text.add("notify=" + new TreeSet<>(recipient.notifyOn()));
            }
            recipient.original().ifPresent(original -> text.add("orcpt=" + original));
        }
        extras.holdUntil().ifPresent(time -> text.add("hold=" + time));
        extras.deliverBy().ifPresent(by -> text.add("by=" + by.deadline() + (by.returned() ? ";R" : ";N")
                + (by.traced() ? "T" : "")));
        extras.priority().ifPresent(priority -> text.add("priority=" + priority));
        switch (extras.tls()) {
            case USUAL -> {
            }
            case REQUIRED -> text.add("requiretls");
            case OPTIONAL -> text.add("tls-optional");
        }
        extras.originator().ifPresent(who -> text.add("auth=" + who));
        extras.user().ifPresent(user -> text.add("user=" + user));
        extras.tags().forEach(tag -> text.add("tag=" + tag));
        return text.toString();
    }

    private void mail(Dialogue.Line line, CollectedMessages messages) throws InterruptedException {
        if (line.text().equals("none")) {
            assertThat(messages.accepted).isEmpty();
            return;
        }
        CollectedMessages.Accepted mail = Objects.requireNonNull(messages.accepted.poll(90, TimeUnit.SECONDS),
                "no mail came");
        last = mail;
        String seen = mail.envelope().sender().map(Object::toString).orElse("-") + " "
                + mail.envelope().recipients().stream().map(Recipient::address).map(Object::toString)
                        .collect(Collectors.joining(","));
        assertThat(seen + " " + mail.asSent()).isEqualTo(line.unescaped());
    }
}
