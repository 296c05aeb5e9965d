package org.slipstream.smtpin;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/// Plays each file of `dialogues/` against a listener of its own. A file is one dialogue:
///
/// ```
/// set: recipients=2        the scene, see Stage; first of all lines
/// c: text                  the client sends a line
/// p: text                  the same, but held back until the next c: or r: (pipelining)
/// r: text\r\n              the client sends exactly this; \r \n \t \0 \xNN \\, and (text)*1000
/// b: text                  the client sends this line in base64, where `|` is NUL; text before `:` goes before it as it is
/// ehlo: name               the client says EHLO and is welcome, whatever the extensions
/// t:                       the client performs the TLS handshake
/// s: text                  the server answers this line; … stands for anything
/// x:                       the server closes
/// mail: from to,to text    the handler has accepted this message, and it is the next; `-` is the null sender
///                          an id of ours in it is `ID`
/// mail: none               the handler has accepted nothing more
/// env: text                what else the envelope of that message says
/// ```
class DialogueTest {
    static Stream<Script> situations() {
        return Script.all("dialogues").stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("situations")
    void dialogue(Script script) throws Exception {
        Stage stage = new Stage(script.settings());
        CollectedMessages messages = stage.messages;
        try (SmtpListener listener = Ports.started(stage.config(), stage.services(), stage.dataCredit());
                SmtpTalker client = Ports.client(listener)) {
            for (String line : script.lines()) {
                try {
                    play(line, client, messages);
                } catch (IOException | AssertionError e) {
                    fail(script.name() + ", at \"" + line + "\": " + e.getMessage(), e);
                }
            }
        }
        assertThat(messages.openDrafts).as("drafts left open").hasValue(0);
    }

    private final StringBuilder heldBack = new StringBuilder();
    private CollectedMessages.Accepted last;

    private void play(String line, SmtpTalker client, CollectedMessages messages) throws Exception {
        String text = Script.text(line);
        switch (line.substring(0, line.indexOf(':'))) {
            case "set" -> {
            }
            case "p" -> heldBack.append(Script.unescape(text)).append("\r\n");
            case "b" -> send(client, Script.base64(text) + "\r\n");
            case "ehlo" -> assertThat(client.ask("EHLO " + text)).startsWith("250");
            case "t" -> shakeHands(client);
            case "env" -> assertThat(describe(Objects.requireNonNull(last))).isEqualTo(text);
            case "c" -> send(client, Script.unescape(text) + "\r\n");
            case "r" -> send(client, Script.unescape(text));
            case "s" -> assertThat(client.line()).matches(
                    Stream.of(text.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
            case "x" -> assertThat(client.isClosedInOrder()).as("the server has closed").isTrue();
            case "mail" -> mail(text, messages);
            default -> throw new IllegalArgumentException(line);
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
        if (extras.requireTls()) {
            text.add("requiretls");
        }
        extras.originator().ifPresent(who -> text.add("auth=" + who));
        extras.user().ifPresent(user -> text.add("user=" + user));
        extras.tags().forEach(tag -> text.add("tag=" + tag));
        return text.toString();
    }

    private void mail(String text, CollectedMessages messages) throws InterruptedException {
        if (text.equals("none")) {
            assertThat(messages.accepted).isEmpty();
            return;
        }
        CollectedMessages.Accepted mail = Objects.requireNonNull(messages.accepted.poll(90, TimeUnit.SECONDS),
                "no mail came");
        last = mail;
        String seen = mail.envelope().sender().map(Object::toString).orElse("-") + " "
                + mail.envelope().recipients().stream().map(Recipient::address).map(Object::toString)
                        .collect(Collectors.joining(","));
        assertThat(seen + " " + mail.asSent()).isEqualTo(Script.unescape(text));
    }
}
