package org.slipstream.server;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceEvent;
import org.slipstream.spool.history.History;
import org.slipstream.spool.history.HistorySearch;
import org.slipstream.testkit.SinkAction;
import org.slipstream.testkit.SinkPhase;
import org.slipstream.testkit.SinkScript;
import org.slipstream.testkit.SmtpSink;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// A whole server tells the story of each message, in the queue and after it.
class StoryOfAMessageTest {
    @TempDir
    Path home;

    private final SmtpSink good = SmtpSink.start(SinkScript.smtp());
    private final SmtpSink bad = SmtpSink
            .start(SinkScript.smtp().on(SinkPhase.RCPT, SinkAction.reply("550 5.1.1 unknown user")));
    private final SmtpSink busy = SmtpSink
            .start(SinkScript.smtp().on(SinkPhase.RCPT, SinkAction.reply("450 4.2.0 greylisted")));
    private SmallServer server;

    @BeforeEach
    void start() throws Exception {
        server = SmallServer.start(home, "local.mailboxes=a", "queue.report-interval=0s",
                "routes.good.example=smtp:127.0.0.1:" + good.port(),
                "routes.bad.example=smtp:127.0.0.1:" + bad.port(),
                "routes.busy.example=smtp:127.0.0.1:" + busy.port());
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        good.close();
        bad.close();
        busy.close();
    }

    private Optional<MessageTrace> files(String id) throws IOException {
        return new HistorySearch(History.folder(home.resolve("spool")), Instant.EPOCH).find(id, 1).messages().stream()
                .findFirst();
    }

    /// Asks the server, which writes the events that wait, and reads the files.
    private MessageTrace left(String id, String reason) {
        return Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> {
            assertThat(server.ask("GET", "trace?of=" + id)).contains(id);
            return files(id);
        }, trace -> trace.isPresent() && trace.get().state().equals("left the queue: " + reason)).orElseThrow();
    }

    @Test
    void aMessageDeliveredAtItsFirstAttempt() throws Exception {
        MessageTrace story = left(server.send("bob@good.example"), "sent");
        assertThat(story.events()).extracting(TraceEvent::event).containsExactly("accepted", "delivered", "removed");
        assertThat(story.events().get(1).host()).contains(":" + good.port());
        assertThat(story.events().get(1).text()).startsWith("250");
        assertThat(story.submitter().client()).isEqualTo("[127.0.0.1]");
        assertThat(story.submitter().service()).isEqualTo("smtp");
        assertThat(story.submitter().messageId()).as("the one that the server added").startsWith("<");
    }

    @Test
    void aBounceIsLinkedWithItsMessage() throws Exception {
        String id = server.send("eve@bad.example");
        MessageTrace story = left(id, "bounced");
        assertThat(story.events()).extracting(TraceEvent::event).contains("accepted", "failed", "report", "removed");
        String report = story.events().stream().filter(each -> each.event().equals("report")).findFirst()
                .orElseThrow().text();
        MessageTrace notice = left(report, "sent");
        assertThat(notice.submitter().about()).isEqualTo(id);
        assertThat(notice.recipients()).containsExactly("a@here.example");
        assertThat(notice.submitter().messageId()).as("of the header")
                .isEqualTo(headerOf(home.resolve("mail/here.example/a/new"), "Message-ID: "));
    }

    private static String headerOf(Path mailbox, String name) throws IOException {
        try (var files = Files.list(mailbox)) {
            return Files.readAllLines(files.findFirst().orElseThrow(), StandardCharsets.ISO_8859_1).stream()
                    .filter(line -> line.startsWith(name)).findFirst().orElseThrow().substring(name.length());
        }
    }

    @Test
    void aMessageInTheQueueIsShownWithItsSubmitterItsContentAndItsEnd() throws Exception {
        String id = server.deferred("tom@busy.example");
        assertThat(server.field(id, "client")).isEqualTo("[127.0.0.1]");
        assertThat(server.field(id, "service")).isEqualTo("smtp");
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        assertThat(server.operator().fetch("queue/" + id + "/content", content).status()).isEqualTo(200);
        assertThat(content.toString(StandardCharsets.US_ASCII)).startsWith("Received: ").contains("Subject: x\r\n")
                .endsWith("\r\n\r\nx\r\n");
        assertThat(server.ask("GET", "trace?of=" + id)).contains("in the queue, retry: 450 4.2.0 greylisted",
                "\"event\":\"deferred\"", "\"event\":\"waits\"");
        server.ask("POST", "queue/" + id + "/hold");
        server.ask("DELETE", "queue/" + id);
        assertThat(left(id, "deleted").events()).extracting(TraceEvent::event).containsExactly("accepted",
                "deferred", "waits", "ordered", "held", "removed");
        assertThat(server.operator().ask("GET", "queue/" + id + "/content").status()).isEqualTo(404);
    }

    @Test
    void aMessageThatLostItsRecordIsNotWaiting() throws Exception {
        String id = server.deferred("tom@busy.example");
        server.close();
        server = SmallServer.start(home, "queue.deliver=false");
        server.send("dave@busy.example");
        server.close();
        Files.delete(home.resolve("spool/log/0000000001.segment"));
        server = SmallServer.start(home, "queue.deliver=false");
        assertThat(server.ask("GET", "trace?of=" + id)).contains("\"state\":\"set aside: its record")
                .doesNotContain("in the queue");
    }

    @Test
    void withoutAHistoryTheQueueIsStillShown() throws Exception {
        String id = server.deferred("tom@busy.example");
        server.close();
        for (Path file : Files.list(History.folder(home.resolve("spool"))).toList()) {
            Files.delete(file);
        }
        server = SmallServer.start(home, "queue.minimal-backoff=1s",
                "routes.busy.example=smtp:127.0.0.1:" + busy.port());
        server.ask("POST", "queue/" + id + "/hold");
        assertThat(server.ask("GET", "trace?of=" + id)).as("the history begins in the middle").contains(
                "\"sender\":\"a@here.example\"", "\"event\":\"held\"", "in the queue, held");
        server.close();
        server = SmallServer.start(home, "history.keep=0s", "routes.busy.example=smtp:127.0.0.1:" + busy.port());
        assertThat(server.ask("GET", "trace?of=" + id)).contains("in the queue, ", "450 4.2.0 greylisted",
                "\"sender\":\"a@here.example\"", "\"since\":\"\"");
        assertThat(server.ask("GET", "trace?of=" + new QueueId(1))).contains("\"messages\":[]");
    }
}
