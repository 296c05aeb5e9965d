package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// `mta send`: composes a message, or takes one as it is.
class SendCommandIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static PackagedServer server;
    private static SmtpSink far;

    @BeforeAll
    static void start() {
        far = BENCH.smtpSink();
        server = BENCH
                .server(Settings.quick().set("local.mailboxes", "alice,bob,carol,dave").route("far.example", far));
    }

    @Test
    void composesAMessage() {
        send("--from", "me@here.example", "--to", "alice@here.example", "--subject", "Grüße", "--text", "Guten Tag")
                .mustSucceed();
        eventually().until(() -> server.mail().count("alice@here.example") == 1);
        var mail = new String(server.mail().newMail("alice@here.example").getFirst(), StandardCharsets.UTF_8);
        assertThat(mail).contains("Return-Path: <me@here.example>", "To: ", "Subject: ", "Date: ", "Message-ID: ",
                "Guten Tag");
    }

    @Test
    void sendsAFileUnchangedToSeveralRecipients() throws IOException {
        var outgoing = OutgoingMessage.of("file@x", "someone@client.example", "bob@here.example");
        var file = Files.write(BENCH.folder().resolve("message.eml"), outgoing.content());
        send("--from", outgoing.sender(), "--to", "bob@here.example", "--to", "friend@far.example", "--eml",
                file.toString()).mustSucceed();
        MailAssert.arrives(outgoing, server.mail(), "bob@here.example");
        eventually().untilAsserted(() -> assertThat(far.messages())
                .filteredOn(mail -> mail.id().equals("file@x")).singleElement().satisfies(mail -> {
                    assertThat(mail.recipients()).containsExactly("friend@far.example");
                    MailAssert.unchangedOnTheWire(outgoing.content(), mail.content());
                }));
    }

    /// As sendmail does: lines of the local system in, CRLF on the wire.
    @Test
    void sendsWhatComesOnStandardInput() {
        var outgoing = OutgoingMessage.of("stdin@x", "someone@client.example", List.of("carol@here.example"),
                Bytes.ascii("First line\r\n.\r\n..second after a dot\r\n"));
        Program.runWithInput(Bytes.unixLines(outgoing.content()), server.home(), "send", "--from", outgoing.sender(),
                "--to", "carol@here.example", "--server", "127.0.0.1:" + server.smtp().getPort()).mustSucceed();
        MailAssert.arrives(outgoing, server.mail(), "carol@here.example");
    }

    @Test
    void aRefusedRecipientIsExitCode1AndTheReplyIsShown() {
        var ran = send("--from", "me@here.example", "--to", "stranger@here.example", "--text", "Hello?");
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("550", "stranger@here.example").doesNotContain("\tat ");
    }

    @Test
    void withoutAServerTheExitCodeIs4() {
        var away = BENCH.smtpSink();
        away.stop();
        var ran = Program.run(server.home(), "send", "--from", "me@here.example", "--to", "alice@here.example",
                "--text", "Hello?", "--server", "127.0.0.1:" + away.port());
        assertThat(ran.exit()).as(ran.err()).isEqualTo(4);
        assertThat(ran.err()).doesNotContain("\tat ");
    }

    private static ProgramRun send(String... arguments) {
        var all = new ArrayList<>(List.of("send", "--server", "127.0.0.1:" + server.smtp().getPort()));
        all.addAll(List.of(arguments));
        return Program.run(server.home(), all.toArray(String[]::new));
    }
}
