package org.slipstream.smtpin;

import org.junit.jupiter.api.Test;
import org.slipstream.testkit.SmtpTalker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/// The log lines for an operator: one line for each accepted message, one for each refusal, none
/// for the rest.
class LogTest {
    private final CollectedMessages messages = new CollectedMessages();

    @Test
    void oneLinePerFact() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), messages);
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO log-story.example");
            client.ask("NOOP");
            client.ask("NONSENSE");
            client.ask("MAIL FROM:<a@x.example>");
            client.ask("RCPT TO:<nobody@y.example>");
            client.ask("RSET");
            String reply = ListenerTest.send(client, "text\r\n");
            String id = reply.substring(reply.lastIndexOf(' ') + 1);
            client.ask("QUIT");
            await().atMost(Duration.ofSeconds(90)).until(() -> lines("queue=" + id + " ").size() == 1);
            String accepted = lines("queue=" + id + " ").getFirst();
            String session = accepted.replaceAll(".*( session=[0-9]+ ).*", "$1");
            assertThat(accepted).endsWith("event=message-accepted queue=" + id + session
                    + "client=[127.0.0.1] helo=log-story.example sender=<a@x.example> recipients=1 bytes=6");
            assertThat(lines(session)).hasSize(2).first().asString()
                    .endsWith(
                            "event=refused" + session + "client=[127.0.0.1] helo=log-story.example sender=<a@x.example>"
                                    + " recipient=<nobody@y.example> reply=\"550 5.1.1 No such user\"");
        }
    }

    @Test
    void idleSessionsAndQuietLeaversAreNoNews() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), messages)) {
            Ports.greeted(listener).close();
            try (SmtpTalker client = Ports.greeted(listener)) {
                client.ask("EHLO quiet-story.example");
            }
            try (SmtpTalker client = Ports.greeted(listener)) {
                ListenerTest.beginData(client);
                client.send("half");
                client.socket().setSoLinger(true, 0);
            }
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> messages.drafts.get() == 1 && messages.openDrafts.get() == 0);
        }
        assertThat(lines("quiet-story.example")).isEmpty();
        assertThat(lines("INFO org.subethamail")).isEmpty();
        assertThat(lines("WARN org.subethamail")).isEmpty();
    }

    /// The log has failed and successful logins, and no password, not even in base64.
    @Test
    void loginsAreLoggedAndPasswordsAreNot() throws Exception {
        Stage stage = new Stage(List.of("service=clear"));
        String wrong = plain("mallory-\r\nqueue=forged", "guess-in-log");
        String right = plain("alice", "secret");
        try (SmtpListener listener = Ports.started(stage.config(), stage.services());
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO login-story.example");
            assertThat(client.ask("AUTH PLAIN " + wrong)).startsWith("535");
            assertThat(client.ask("AUTH PLAIN " + right)).startsWith("235");
            assertThat(ListenerTest.send(client, "text\r\n")).startsWith("250");
            client.ask("QUIT");
        }
        await().atMost(Duration.ofSeconds(90))
                .until(() -> !lines("helo=login-story.example user=\"alice\" sender=<a@x.example>").isEmpty());
        assertThat(lines("user=\"mallory-")).singleElement().asString()
                .contains("event=login-failed ",
                        "user=\"mallory-??queue=forged\" mechanism=PLAIN reason=\"wrong user or password\"");
        assertThat(lines("user=\"alice\" mechanism=PLAIN").stream().filter(line -> line.contains("event=login ")))
                .isNotEmpty();
        assertThat(lines("guess-in-log")).isEmpty();
        assertThat(lines(wrong)).isEmpty();
        assertThat(lines(right)).isEmpty();
    }

    /// The grammar permits nearly everything in quotes, and a log line must still have the fields
    /// that we wrote.
    @Test
    void aQuotedLocalPartWritesNoFieldsOfItsOwn() throws Exception {
        try (SmtpListener listener = Ports.started(Ports.config(), messages);
                SmtpTalker client = Ports.greeted(listener)) {
            client.ask("EHLO forging-story.example");
            client.ask("MAIL FROM:<\"a> to=<b@c.example> reply=\\\"250 x\"@x.example>");
            client.ask("RCPT TO:<\"nobody> event=message-accepted <\"@y.example> NOTIFY=NEVER");
            client.ask("RCPT TO:<b@y.example>");
            client.ask("DATA");
            assertThat(client.ask(".")).startsWith("250");
            client.ask("QUIT");
        }
        await().atMost(Duration.ofSeconds(90)).until(() -> !lines("helo=forging-story.example").isEmpty());
        String from = " sender=<a\\u003e\\u0020to=\\u003cb@c.example\\u003e\\u0020reply=\\u0022250\\u0020x@x.example>";
        assertThat(lines("helo=forging-story.example")).hasSize(2).satisfiesExactly(
                refused -> assertThat(refused)
                        .contains(
                                from + " recipient=<nobody\\u003e\\u0020event=message-accepted\\u0020\\u003c@y.example>"
                                        + " reply=\"555 5.5.4 Unsupported option: NOTIFY\""),
                accepted -> assertThat(accepted).contains(" event=message-accepted ", from + " recipients=1 "));
    }

    private static String plain(String user, String password) {
        return Base64.getEncoder().encodeToString(("\0" + user + "\0" + password).getBytes(StandardCharsets.UTF_8));
    }

    static List<String> lines(String containing) throws IOException {
        return Files.readAllLines(Path.of("target", "test.log")).stream().filter(line -> line.contains(containing))
                .toList();
    }
}
