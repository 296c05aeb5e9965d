package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slipstream.it.fixture.Bytes;
import org.slipstream.it.fixture.Queue;
import org.slipstream.it.fixture.Settings;
import org.slipstream.it.fixture.Workbench;
import org.slipstream.testkit.Folders;
import org.slipstream.testkit.OutgoingMessage;
import org.slipstream.testkit.ReceivedMessage;
import org.slipstream.testkit.SmtpTalker;
import org.slipstream.testkit.server.PackagedServer;
import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.it.fixture.MailAssert.eventually;

/// A queue of ten thousand messages, twenty times the limit of the active set: it is tried, listed
/// page by page and mostly deleted, and the rest is delivered, each message once. The size of the
/// files follows the length of the queue.
class LongQueueIT {
    private static final int MESSAGES = 10_000;
    private static final int ACTIVE = 500;
    private static final int CLIENTS = 8;
    /// One message in this number is not part of the mailing.
    private static final int ONE_IN = 10;
    private static final int KEPT = MESSAGES / ONE_IN;
    private static final int PAGE = 1_000;
    private static final long MEBIBYTE = 1 << 20;
    private static final byte[] BODY = Bytes.ascii(("A line of message. " + "x".repeat(54) + "\r\n").repeat(24));
    @RegisterExtension
    final Workbench bench = new Workbench();

    @Test
    void aLongQueueIsTriedListedThinnedOutAndDeliveredAndTheFilesFollow() throws IOException {
        var far = bench.smtpSink();
        far.stop();
        var settings = Settings.quick().route("far.example", far).set("spool.segment-size", "256KiB")
                .set("queue.active-messages", Integer.toString(ACTIVE))
                .set("queue.minimal-backoff", "1h").set("queue.maximal-backoff", "1h").set("log.level", "warn")
                .set("queue.in-flow-delay", "0s").set("limits.messages-per-connection", Integer.toString(MESSAGES));
        var server = bench.server(settings.set("queue.deliver", "false"));
        var youngest = fill(server);
        assertThat(server.stop()).isZero();

        server.startAgain(settings.pairs());
        assertThat(Queue.of(server).size()).isEqualTo(MESSAGES);
        everyoneIsTried(server, youngest);
        long fullBytes = logBytes(server);
        var queued = list(server);
        assertThat(queued).hasSize(MESSAGES);
        assertThat(queued.stream().map(LongQueueIT::id)).doesNotHaveDuplicates().isSorted();
        assertThat(queued.stream().filter(message -> Queue.lastReply(message).isBlank())).isEmpty();

        matchingMessagesAreFoundCountedAndDeleted(server);
        // Twice what the queue fills and four segments of 256 KiB, the one that is open, and what
        // the grace time still holds.
        eventually()
                .untilAsserted(() -> assertThat(logBytes(server)).isLessThan(2 * fullBytes / ONE_IN + 2 * MEBIBYTE));

        assertThat(server.stop()).isZero();
        // A stop with a short queue rewrites a larger index (docs/spool.md).
        assertThat(Files.size(server.home().resolve("spool/index.mv.db"))).isLessThanOrEqualTo(64 * MEBIBYTE);
        server.startAgain();
        assertThat(list(server)).hasSize(KEPT).allSatisfy(message -> assertThat(sender(message)).startsWith("alice"));
        far.startAgain();
        server.command("queue", "flush").mustSucceed();
        eventually().atMost(Duration.ofSeconds(90)).until(() -> Queue.of(server).isEmpty());
        assertThat(far.messages().stream().map(ReceivedMessage::id)).hasSize(KEPT).doesNotHaveDuplicates();
        eventually().untilAsserted(() -> assertThat(logBytes(server)).isLessThan(2 * MEBIBYTE));
    }

    private static void matchingMessagesAreFoundCountedAndDeleted(PackagedServer server) {
        assertThat(said(server, "count")).isEqualTo(Integer.toString(MESSAGES));
        assertThat(said(server, "count", "--sender", "news@*", "--domain", "FAR.example"))
                .isEqualTo(Integer.toString(MESSAGES - KEPT));
        // A few attempts suspend the destination; the rest of its mail is deferred without an
        // attempt.
        assertThat(Integer.parseInt(said(server, "count", "--attempts", "1"))).isBetween(1, MESSAGES / 2);
        assertThat(said(server, "count", "--recipient", "friend@*", "--older-than", "1d")).isEqualTo("0");
        // One in ten fits, and the page is full all the same.
        assertThat(said(server, "list", "--sender", "alice@here.example", "--limit", "300").lines())
                .hasSize(1 + 300 + 1).filteredOn(line -> line.contains("alice@here.example")).hasSize(300);

        assertThat(said(server, "delete", "--sender", "news@*", "--dry-run"))
                .isEqualTo((MESSAGES - KEPT) + " messages would be deleted");
        assertThat(Queue.of(server).size()).isEqualTo(MESSAGES);
        assertThat(said(server, "delete", "--sender", "news@here.example"))
                .isEqualTo((MESSAGES - KEPT) + " messages deleted");
        assertThat(Queue.of(server).size()).isEqualTo(KEPT);
    }

    private static String said(PackagedServer server, String... words) {
        var line = new ArrayList<>(List.of("queue"));
        line.addAll(List.of(words));
        return server.command(line.toArray(String[]::new)).mustSucceed().out().strip();
    }

    /// @return the greatest queue id that a 250 told
    private static String fill(PackagedServer server) {
        var numbers = new AtomicInteger();
        var youngest = new AtomicReference<>("");
        inParallel(IntStream.range(0, CLIENTS).boxed().toList(), _ -> {
            try (var talk = SmtpTalker.introducedTo(server.smtp())) {
                for (int number = numbers.getAndIncrement(); number < MESSAGES; number = numbers.getAndIncrement()) {
                    var sender = number % ONE_IN == 0 ? "alice@here.example" : "news@here.example";
                    var answer = talk
                            .send(OutgoingMessage.of("long-" + number + "@x", sender, List.of("friend@far.example"),
                                    BODY));
                    assertThat(answer.toString()).startsWith("250 2.0.0 Ok: queued as ");
                    var id = answer.text().substring(answer.text().lastIndexOf(' ') + 1);
                    youngest.accumulateAndGet(id, (one, other) -> one.compareTo(other) > 0 ? one : other);
                }
            }
        });
        return youngest.get();
    }

    /// The oldest come first.
    private static void everyoneIsTried(PackagedServer server, String youngest) {
        eventually().atMost(Duration.ofSeconds(90)).until(() -> {
            var status = Queue.of(server).status();
            assertThat(status.path("active").asInt()).isLessThanOrEqualTo(ACTIVE);
            assertThat(status.path("messages").asInt()).isEqualTo(MESSAGES);
            return status.path("active").asInt() == 0
                    && !Queue.lastReply(Queue.of(server).show(youngest)).isBlank();
        });
    }

    private static List<JsonNode> list(PackagedServer server) {
        var all = new ArrayList<JsonNode>();
        var after = "";
        do {
            var page = Queue.of(server).page(after, PAGE);
            page.path("messages").forEach(all::add);
            after = page.path("next").asString("");
        } while (!after.isEmpty());
        return all;
    }

    private static <T> void inParallel(List<T> things, Consumer<T> work) {
        var next = new AtomicInteger();
        try (var threads = Executors.newFixedThreadPool(CLIENTS)) {
            var clients = new ArrayList<CompletableFuture<Void>>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(CompletableFuture.runAsync(() -> {
                    for (int at = next.getAndIncrement(); at < things.size(); at = next.getAndIncrement()) {
                        work.accept(things.get(at));
                    }
                }, threads));
            }
            clients.forEach(CompletableFuture::join);
        }
    }

    private static String id(JsonNode message) {
        return message.path("id").asString();
    }

    private static String sender(JsonNode message) {
        return message.path("sender").asString();
    }

    private static long logBytes(PackagedServer server) {
        return Folders.sizeBytes(server.home().resolve("spool/log"));
    }
}
