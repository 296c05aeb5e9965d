package org.slipstream.it;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Program;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpSink;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// The operator's commands with a queue that is not empty: two messages for a sink that is stopped,
/// with the next attempt an hour away.
class OperatorIT {
    @RegisterExtension
    static final Workbench BENCH = new Workbench();
    private static SmtpSink far;
    private static PackagedServer server;
    private int deliveredBefore;

    @BeforeAll
    static void start() {
        far = BENCH.smtpSink();
        server = BENCH.server(Settings.quick().route("far.example", far).route("other.example", far)
                .set("queue.minimal-backoff", "1h").set("queue.maximal-backoff", "1h"));
    }

    @BeforeEach
    void twoMessagesWait() {
        far.stop();
        send(OutgoingMessage.of("one@x", "alice@here.example", "friend@far.example"));
        send(OutgoingMessage.of("two@x", "bob@here.example", "friend@other.example"));
        eventually().untilAsserted(() -> assertThat(Queue.of(server).messages()).hasSize(2)
                .allSatisfy(
                        message -> assertThat(message.path("phase").path("code").asString()).isEqualTo("retry")));
        deliveredBefore = far.messages().size();
    }

    @AfterEach
    void emptyTheQueue() {
        Queue.of(server).empty();
        eventually().until(() -> Queue.of(server).isEmpty());
    }

    @Test
    void listShowsWhatWaitsAndWhy() {
        var text = server.command("queue", "list").mustSucceed().out();
        assertThat(text).contains(id("alice@here.example"), id("bob@here.example"), "alice@here.example",
                "bob@here.example");
        assertThat(Queue.of(server).messages()).allSatisfy(message -> {
            assertThat(message.path("why").asString()).isNotBlank();
            assertThat(message.path("sizeBytes").asLong()).isPositive();
            assertThat(message.path("recipients").size()).isEqualTo(1);
        });
    }

    @Test
    void listGoesByPages() {
        var first = server.command("queue", "list", "--json", "--limit", "1").mustSucceed().out();
        var page = JsonMapper.builder().build().readTree(first);
        assertThat(page.path("messages").size()).isEqualTo(1);
        assertThat(page.path("total").asInt()).isEqualTo(2);
        var second = server.command("queue", "list", "--json", "--limit", "1", "--after", page.path("next").asString())
                .mustSucceed().out();
        assertThat(second).doesNotContain(page.path("messages").path(0).path("id").asString());
    }

    @Test
    void mailIsFoundCountedAndDeletedBySender() {
        assertThat(server.command("queue", "list", "--sender", "alice@*").mustSucceed().out())
                .contains("alice@here.example").doesNotContain("bob@here.example");
        assertThat(server.command("queue", "count", "--domain", "*.example").mustSucceed().out().strip())
                .isEqualTo("2");
        var wrong = server.command("queue", "delete", "--sender", "alice");
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err()).contains("--sender: \"alice\" is not an address");
        assertThat(server.command("queue", "delete", "--recipient", "*@OTHER.example").mustSucceed().out().strip())
                .isEqualTo("1 message deleted");
        assertThat(senders()).containsExactly("alice@here.example");
    }

    @Test
    void showTellsOfEachRecipient() {
        var id = id("alice@here.example");
        assertThat(server.command("queue", "show", id).mustSucceed().out()).contains(id, "friend@far.example");
        var message = JsonMapper.builder().build()
                .readTree(server.command("queue", "show", id, "--json").mustSucceed().out());
        assertThat(message.path("sender").asString()).isEqualTo("alice@here.example");
        var recipient = message.path("recipients").path(0);
        assertThat(recipient.path("address").asString()).isEqualTo("friend@far.example");
        assertThat(recipient.path("state").asString()).isEqualTo("open");
        assertThat(recipient.path("lastReply").asString()).isNotBlank();
    }

    @Test
    void flushTriesAtOnceAndADomainOnlyItsOwn() {
        far.startAgain();
        server.command("queue", "flush", "--domain", "far.example").mustSucceed();
        eventually().untilAsserted(() -> assertThat(delivered()).containsExactly("one@x"));
        eventually().untilAsserted(() -> assertThat(senders()).containsExactly("bob@here.example"));
        server.command("queue", "flush").mustSucceed();
        eventually().untilAsserted(() -> assertThat(delivered()).containsExactly("one@x", "two@x"));
    }

    @Test
    void aHeldMessageStaysUntilItIsReleased() {
        var id = id("alice@here.example");
        server.command("queue", "hold", id).mustSucceed();
        assertThat(Queue.of(server).show(id).path("state").asString()).isEqualTo("held");
        far.startAgain();
        server.command("queue", "flush").mustSucceed();
        eventually().untilAsserted(() -> assertThat(delivered()).containsExactly("two@x"));
        assertThat(Queue.of(server).show(id).path("state").asString()).isEqualTo("held");
        server.command("queue", "release", id).mustSucceed();
        eventually().untilAsserted(() -> assertThat(delivered()).containsExactly("two@x", "one@x"));
    }

    @Test
    void aDeletedMessageIsGoneWithoutAReport() {
        server.command("queue", "delete", id("alice@here.example")).mustSucceed();
        eventually().untilAsserted(() -> assertThat(senders()).containsExactly("bob@here.example"));
        assertThat(server.mail().count("alice@here.example")).isZero();
    }

    @Test
    void deletingEverythingNeedsAYes() {
        assertThat(server.command("queue", "delete", "--all").exit()).isEqualTo(2);
        assertThat(Queue.of(server).size()).isEqualTo(2);
        server.command("queue", "delete", "--all", "--yes").mustSucceed();
        eventually().until(() -> Queue.of(server).isEmpty());
    }

    @Test
    void aMessageThatDoesNotExistIsExitCode1() {
        for (var verb : List.of("show", "flush", "hold", "release", "delete")) {
            assertThat(server.command("queue", verb, unknownId()).exit()).as(verb).isEqualTo(1);
        }
    }

    @Test
    void statusCounts() {
        assertThat(server.command("status").mustSucceed().out()).contains("mail.here.example");
        var status = JsonMapper.builder().build().readTree(server.command("status", "--json").mustSucceed().out());
        assertThat(status.path("messages").asInt()).isEqualTo(2);
        assertThat(status.path("hostname").asString()).isEqualTo("mail.here.example");
        assertThat(status.path("corrupt").asInt()).isZero();
    }

    @Test
    void onlyTheOwnerMayOpenTheSocket() throws IOException {
        var run = server.home().resolve("run");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(run))).isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(run.resolve("admin.sock"))))
                .isEqualTo("rw-------");
    }

    @Test
    void idleConnectionsDoNotLockTheOperatorOut() throws IOException {
        var idle = new ArrayList<SocketChannel>();
        try {
            for (int i = 0; i < 100; i++) {
                idle.add(SocketChannel.open(UnixDomainSocketAddress.of(server.home().resolve("run/admin.sock"))));
            }
            server.command("status").mustSucceed();
        } finally {
            for (var each : idle) {
                each.close();
            }
        }
    }

    @Test
    void withoutAServerTheExitCodeIs4() {
        var stopped = BENCH.server(Settings.quick());
        assertThat(stopped.stop()).isZero();
        for (var command : List.of(List.of("queue", "list"), List.of("queue", "flush"), List.of("status"))) {
            var ran = stopped.command(command.toArray(String[]::new));
            assertThat(ran.exit()).as("%s: %s", command, ran.err()).isEqualTo(4);
            assertThat(ran.err()).isNotBlank().doesNotContain("\tat ");
        }
        assertThat(Program.run(BENCH.home(), "queue", "list").exit()).as("in a home that never ran").isEqualTo(4);
    }

    /// An id of the right form that no message has: that of another message with its last character
    /// changed.
    private String unknownId() {
        var id = id("alice@here.example");
        return id.substring(0, id.length() - 1) + (id.endsWith("0") ? "1" : "0");
    }

    private String id(String sender) {
        return Queue.of(server).messages().stream().filter(message -> message.path("sender").asString().equals(sender))
                .findFirst().orElseThrow().path("id").asString();
    }

    private List<String> senders() {
        return Queue.of(server).messages().stream().map((JsonNode message) -> message.path("sender").asString())
                .toList();
    }

    private List<String> delivered() {
        return far.messages().stream().skip(deliveredBefore).map(ReceivedMessage::id).toList();
    }

    private void send(OutgoingMessage outgoing) {
        try (var talk = SmtpTalker.introducedTo(server.smtp())) {
            assertThat(talk.send(outgoing).code()).isEqualTo(250);
        }
    }
}
