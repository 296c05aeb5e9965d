package org.slipstream.it;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.MailAssert;
import org.slipstream.it.fixture.RequiresPrograms;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.server.PackagedServer;
import org.slipstream.testkit.server.ProgramRun;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// Common mail programs: each sends one message to a mailbox here and to a remote domain, with and
/// without STARTTLS, and it arrives unchanged.
@RequiresPrograms({"python3", "swaks", "curl"})
class RealClientsIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static final String SENDER = "someone@client.example";
    private static PackagedServer server;
    private static SmtpSink far;

    /// The programs, with the options that send a file.
    enum MailProgram {
        PYTHON_SMTPLIB, PYTHON_SMTPLIB_TLS, SWAKS, SWAKS_TLS, CURL, CURL_TLS;

        List<String> command(PackagedServer server, Path file, List<String> recipients) {
            int port = server.smtp().getPort();
            var secure = name().endsWith("_TLS");
            return switch (this) {
                case PYTHON_SMTPLIB, PYTHON_SMTPLIB_TLS -> python(port, secure, file, recipients);
                case SWAKS, SWAKS_TLS -> swaks(port, secure, file, recipients);
                case CURL, CURL_TLS -> curl(port, secure, file, recipients);
            };
        }

        /// swaks ends what it reads with one more line end, so it is given a file without its last.
        byte[] fileContent(OutgoingMessage outgoing) {
            boolean swaks = this == SWAKS || this == SWAKS_TLS;
            var content = outgoing.content();
            return swaks ? Arrays.copyOf(content, content.length - 2) : content;
        }

        private static List<String> python(int port, boolean secure, Path file, List<String> recipients) {
            var script = """
                    import smtplib, sys, ssl
                    port, secure, file, sender, *recipients = sys.argv[1:]
                    with smtplib.SMTP("127.0.0.1", int(port)) as smtp:
                        if secure == "true":
                            context = ssl.create_default_context()
                            context.check_hostname = False
                            context.verify_mode = ssl.CERT_NONE
                            smtp.starttls(context=context)
                        refused = smtp.sendmail(sender, recipients, open(file, "rb").read(), ["BODY=8BITMIME"])
                        assert not refused, refused
                    """;
            var command = new ArrayList<>(List.of("python3", "-c", script, String.valueOf(port),
                    String.valueOf(secure), file.toString(), SENDER));
            command.addAll(recipients);
            return command;
        }

        private static List<String> swaks(int port, boolean secure, Path file, List<String> recipients) {
            var command = new ArrayList<>(List.of("swaks", "--server", "127.0.0.1:" + port, "--from", SENDER, "--to",
                    String.join(",", recipients), "--data", "@" + file, "--suppress-data"));
            if (secure) {
                command.add("--tls");
            }
            return command;
        }

        private static List<String> curl(int port, boolean secure, Path file, List<String> recipients) {
            var command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "smtp://127.0.0.1:" + port,
                    "--mail-from", SENDER, "--upload-file", file.toString()));
            recipients.forEach(recipient -> command.addAll(List.of("--mail-rcpt", recipient)));
            if (secure) {
                command.addAll(List.of("--ssl-reqd", "--insecure"));
            }
            return command;
        }
    }

    @BeforeAll
    static void start() {
        far = BENCH.smtpSink();
        server = BENCH.server(Settings.quick().route("far.example", far));
    }

    @ParameterizedTest
    @EnumSource
    void sendsToAMailboxAndToAnotherDomain(MailProgram program) throws IOException {
        var name = program.name().toLowerCase(Locale.ROOT);
        var mailbox = name + "@here.example";
        var outgoing = OutgoingMessage.of(name + "@client.example", SENDER, List.of(mailbox, "friend@far.example"),
                Bytes.concat("Grüße,\r\n".getBytes(StandardCharsets.UTF_8),
                        Bytes.ascii(".\r\n.. dots\r\n\r\n" + "long ".repeat(150) + "\r\n  the end\r\n")));
        var file = Files.write(BENCH.folder().resolve("message.eml"), program.fileContent(outgoing));

        ProgramRun.of(new byte[0], program.command(server, file, outgoing.recipients())).mustSucceed();

        MailAssert.arrives(outgoing, server.mail(), mailbox);
        eventually()
                .untilAsserted(() -> assertThat(far.messages()).filteredOn(mail -> mail.id().equals(outgoing.id()))
                        .singleElement().satisfies(mail -> {
                            assertThat(mail.sender()).isEqualTo(SENDER);
                            assertThat(mail.recipients()).containsExactly("friend@far.example");
                            MailAssert.unchangedOnTheWire(outgoing.content(), mail.content());
                        }));
        if (name.endsWith("_tls")) {
            assertThat(new String(server.mail().newMail(mailbox).getFirst(), StandardCharsets.UTF_8))
                    .as("the trace says that TLS was used (RFC 3848)").contains("with ESMTPS");
        }
    }

    @Test
    void curlAsksTheApiToo() {
        var socket = server.home().resolve("run/admin.sock").toString();
        var answer = ProgramRun.of("curl", "-sS", "--fail", "--unix-socket", socket, "http://localhost/api/v1/status")
                .mustSucceed().out();
        assertThat(JsonMapper.builder().build().readTree(answer).path("hostname").asString())
                .isEqualTo("mail.here.example");
        assertThat(
                ProgramRun
                        .of("curl", "-sS", "--unix-socket", socket, "-d", "x=y", "http://localhost/api/v1/queue/flush")
                        .mustSucceed().out())
                .contains("\"done\":\"flush\"");
    }

    /// The command that README names, with a file as an editor leaves it: lines end in LF, and
    /// there is neither Date nor Message-ID.
    @Test
    void curlSendsAnOrdinaryTextFile() throws IOException {
        var file = Files.writeString(BENCH.folder().resolve("message.eml"),
                "Subject: plain\nFrom: me@here.example\n\nIt works.\n.\n.hidden\n..\nIndeed.\n");
        ProgramRun.of(new byte[0], List.of("curl", "smtp://127.0.0.1:" + server.smtp().getPort(), "--mail-from",
                "postmaster@here.example", "--mail-rcpt", "plain@here.example", "--mail-rcpt", "plain@far.example",
                "-T",
                file.toString())).mustSucceed();
        eventually().until(() -> server.mail().count("plain@here.example") == 1);
        var arrived = new String(server.mail().newMail("plain@here.example").getFirst(), StandardCharsets.UTF_8);
        assertThat(arrived).contains("\r\nSubject: plain\r\nFrom: me@here.example\r\nDate: ", "\r\nMessage-ID: <",
                "@mail.here.example>\r\n\r\nIt works.\r\n.\r\n.hidden\r\n..\r\nIndeed.\r\n")
                .doesNotContainPattern("(?<!\r)\n|\r(?!\n)");
        eventually().untilAsserted(() -> assertThat(far.messages()).filteredOn(
                mail -> mail.recipients().contains("plain@far.example")).singleElement().satisfies(
                        mail -> assertThat(new String(mail.content(), StandardCharsets.UTF_8))
                                .contains("\r\n\r\nIt works.\r\n.\r\n.hidden\r\n..\r\nIndeed.\r\n")));
        var id = arrived.replaceAll("(?s).*Message-ID: (<[^>]+>).*", "$1");
        eventually().until(() -> server.log().lines().anyMatch(
                line -> line.contains("event=message-accepted") && line.contains(" message-id=\"" + id + "\"")));
    }
}
