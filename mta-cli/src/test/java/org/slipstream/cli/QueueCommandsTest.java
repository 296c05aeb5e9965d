package org.slipstream.cli;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.Operations.PassedOverView;
import org.slipstream.admin.operations.Operations.SeatView;
import org.slipstream.core.AddressPattern;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.QueueFilter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// The operator's commands against the real API with a queue made of a map.
class QueueCommandsTest {
    @TempDir
    Path home;
    private final FakeQueue queue = new FakeQueue();
    private AdminServer server;
    private Console console;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.serve(queue, new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
        console = new Console(home);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theListIsATableWithOneLinePerMessage() {
        QueueId first = queue.put(1, "a@here.example", "held", "b@far.example", "c@far.example");
        QueueId second = queue.put(2, "", "deferred", "d@far.example");
        Console.Ran ran = console.run("queue", "list");
        assertThat(ran.exit()).isZero();
        assertThat(ran.err()).isEmpty();
        List<String> lines = ran.out().lines().toList();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).matches("ID +SIZE +AGE +SENDER +RECIPIENTS +STATE +PHASE +FOR +NEXT +WHY");
        assertThat(lines.get(1)).matches(
                first + " +2\\.0K +\\S+ +a@here\\.example +b@far\\.example \\+1 +held +retry +- +in .* +450 4\\.4\\.1 nobody there");
        assertThat(lines.get(2)).matches(second + " .* <> +d@far\\.example +deferred +retry +- +in .*");
        assertThat(lines.get(1).indexOf("held")).as("columns stand below each other")
                .isEqualTo(lines.get(2).indexOf("deferred"));
    }

    @Test
    void catPrintsTheMessageOrAPartOfIt() {
        QueueId id = queue.put(1, "a@here.example", "deferred", "b@far.example");
        assertThat(console.run("queue", "cat", id.toString()).out()).isEqualTo("Subject: hello\r\n\r\nbody\r\n");
        assertThat(console.run("queue", "cat", "--headers", id.toString()).out()).isEqualTo("Subject: hello\r\n");
        assertThat(console.run("queue", "cat", "--body", id.toString()).out()).isEqualTo("body\r\n");
        assertThat(console.run("queue", "cat", "--envelope", id.toString()).out().lines())
                .contains("sender                a@here.example", "recipient             b@far.example");
        Console.Ran none = console.run("queue", "cat", new QueueId(2).toString());
        assertThat(none.exit()).isEqualTo(1);
        assertThat(none.err()).startsWith("mta: there is no message " + new QueueId(2) + " in the queue");
        assertThat(console.run("queue", "cat", "!").exit()).isEqualTo(2);
    }

    @Test
    void theListSaysInOneLineWhyAMessageWaitsAndWhatItsNextChanceIs() {
        queue.put(1, "a@here.example", "active", "b@slow.example");
        queue.why = "waits for a connection to smtp/slow.example: 10 of 10 at work since 38 s, slow answers (40 s each),"
                + " 41 deliveries before it, about 2 min";
        queue.next = "in about 2m";
        queue.nextAttempt = Optional.of("");
        List<String> lines = console.run("queue", "list").out().lines().toList();
        assertThat(lines).hasSize(2);
        assertThat(lines.getLast()).endsWith("in about 2m  " + queue.why);
        JsonNode message = JsonMapper.shared().readTree(console.run("queue", "list", "--json").out()).get("messages")
                .get(0);
        assertThat(message.get("why").asString()).isEqualTo(queue.why);
        assertThat(message.get("next").asString()).isEqualTo("in about 2m");
    }

    @Test
    void theStatusCountsStuckMessagesWhenThereAreSome() {
        assertThat(console.run("status").out()).doesNotContain("stuck");
        queue.stuck = 2;
        assertThat(console.run("status").out()).contains("stuck", "2 messages waited although nothing held them",
                "event=message-stuck");
        assertThat(JsonMapper.shared().readTree(console.run("status", "--json").out()).get("stuck").asInt())
                .isEqualTo(2);
    }

    @Test
    @Tag("IM-17")
    void theStatusCountsUnannouncedMailWhenThereIsSome() {
        assertThat(console.run("status").out()).doesNotContain("unannounced");
        queue.unannounced = 3;
        assertThat(console.run("status").out()).contains("unannounced", "3 new messages were found by a scan",
                "event=unannounced-mail-found");
        assertThat(JsonMapper.shared().readTree(console.run("status", "--json").out()).get("unannounced").asInt())
                .isEqualTo(3);
    }

    @Test
    void aLongQueueIsReadPageByPage() {
        for (int i = 1; i <= 5; i++) {
            queue.put(i, "a@here.example", "deferred", "b@far.example");
        }
        Console.Ran first = console.run("queue", "list", "--limit", "2");
        assertThat(first.out()).contains("2 of 5; the next page: --after " + new QueueId(2));
        Console.Ran next = console.run("queue", "list", "--limit", "3", "--after", new QueueId(2).toString());
        assertThat(next.out()).contains(new QueueId(5).toString()).doesNotContain("next page");
    }

    @Test
    void jsonIsWhatTheServerSays() {
        queue.put(1, "a@here.example", "deferred", "b@far.example");
        JsonNode page = JsonMapper.shared().readTree(console.run("queue", "list", "--json").out());
        assertThat(page.get("messages").get(0).get("recipients").get(0).get("address").asString())
                .isEqualTo("b@far.example");
        assertThat(page.get("next").isNull()).isTrue();
        assertThat(JsonMapper.shared().readTree(console.run("status", "--json").out()).get("messages").asInt())
                .isEqualTo(1);
    }

    @Test
    void anEmptyQueueIsSaidInWords() {
        assertThat(console.run("queue", "list").out()).isEqualTo("the queue is empty" + System.lineSeparator());
    }

    @Test
    void aReplyThatTriesToPaintTheTerminalIsMadeHarmless() {
        QueueId id = queue.put(1, "a@here.example", "deferred", "b@far.example");
        queue.why = "550 \u001b[2Jgone\r\nroot# ";
        assertThat(console.run("queue", "list").out()).contains("550 ?[2Jgone??root#").doesNotContain("\u001b");
        assertThat(console.run("queue", "show", id.toString()).out()).doesNotContain("\u001b");
    }

    @Test
    void showTellsOfEveryRecipient() {
        QueueId id = queue.put(7, "a@here.example", "deferred", "b@far.example", "c@far.example");
        Console.Ran ran = console.run("queue", "show", id.toString());
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).contains("sender", "a@here.example", "b@far.example", "c@far.example",
                "450 4.4.1 nobody there", "mx.far.example").containsPattern("attempts +3");
        assertThat(JsonMapper.shared().readTree(console.run("queue", "show", "--json", id.toString()).out())
                .get("attempts").asInt()).isEqualTo(3);
    }

    @Test
    void showTellsWhereItWouldGoAndWhyNotElsewhere() {
        queue.seat = Optional.of(new SeatView("mx2.far.example[192.0.2.2]:25", "a new connection: an unused host",
                List.of(new PassedOverView("mx1.far.example[192.0.2.1]:25", "failed, due in 200 s"))));
        QueueId id = queue.put(7, "a@here.example", "active", "b@far.example");
        assertThat(console.run("queue", "show", id.toString()).out().lines()).anyMatch(
                line -> line.matches("seat +mx2.far.example\\[192.0.2.2]:25, a new connection: an unused host"))
                .anyMatch(line -> line
                        .matches("passed over +mx1.far.example\\[192.0.2.1]:25: failed, due in 200 s"));
        queue.messages.clear();
        queue.seat = Optional.of(new SeatView("", "no host takes more connections", List.of()));
        queue.put(7, "a@here.example", "active", "b@far.example");
        assertThat(console.run("queue", "show", id.toString()).out())
                .contains("none: no host takes more connections");
    }

    @Test
    void ordersGoToEveryMessageAndOneThatIsGoneMakesTheAnswerNo() {
        QueueId id = queue.put(7, "a@here.example", "deferred", "b@far.example");
        QueueId gone = new QueueId(99);
        for (String order : List.of("hold", "release", "flush")) {
            assertThat(console.run("queue", order, id.toString()).exit()).as(order).isZero();
            Console.Ran ran = console.run("queue", order, gone.toString(), id.toString());
            assertThat(ran.exit()).as(order).isEqualTo(1);
            assertThat(ran.err()).isEqualTo("mta: there is no message " + gone + " in the queue"
                    + System.lineSeparator());
        }
        assertThat(queue.orders).containsExactly("hold " + id, "hold " + gone, "hold " + id, "release " + id,
                "release " + gone, "release " + id, "flush " + id, "flush " + gone, "flush " + id);
        assertThat(console.run("queue", "show", gone.toString()).exit()).isEqualTo(1);
    }

    @Test
    void flushSaysWhatIsDueAndWhatItLeavesAlone() {
        for (int i = 1; i <= 3; i++) {
            queue.put(i, "a@here.example", "deferred", "b@far.example");
        }
        QueueId held = queue.put(4, "a@here.example", "held", "b@far.example");
        String end = System.lineSeparator();
        assertThat(console.run("queue", "flush").out()).isEqualTo("3 messages due, 1 on hold and not tried" + end);
        assertThat(console.run("queue", "flush", "--domain", "far.example").out())
                .isEqualTo("3 messages due, 1 on hold and not tried" + end);
        assertThat(console.run("queue", "flush", "--sender", "a@*").out())
                .isEqualTo("3 messages due, 1 on hold and not tried" + end);
        assertThat(console.run("queue", "flush", "--state", "held").out())
                .isEqualTo("0 messages due, 1 on hold and not tried" + end);
        assertThat(console.run("queue", "flush", new QueueId(1).toString()).out()).isEqualTo("1 message due" + end);
        assertThat(console.run("queue", "flush", held.toString()).out())
                .isEqualTo("0 messages due, 1 on hold and not tried" + end);
        console.run("destdb", "suspend", "mx.far.example", "--reason", "their disk", "--until", "2100-01-01T00:00:00Z");
        assertThat(console.run("queue", "flush").out()).endsWith("not tried: mx.far.example" + FakeHosts.KEY
                + ", suspended until 2100-01-01T00:00:00Z: their disk" + end);
    }

    @Test
    void ordersSayHowMany() {
        QueueId one = queue.put(1, "a@here.example", "deferred", "b@far.example");
        QueueId two = queue.put(2, "a@here.example", "deferred", "b@far.example");
        assertThat(console.run("queue", "hold", one.toString(), two.toString()).out().strip())
                .isEqualTo("2 messages held");
        assertThat(console.run("queue", "release", one.toString()).out().strip()).isEqualTo("1 message released");
        assertThat(console.run("queue", "delete", one.toString(), new QueueId(99).toString()).out().strip())
                .isEqualTo("1 message deleted");
    }

    @Test
    void ordersWithAnArgumentSayHowMany() {
        QueueId id = queue.put(1, "a@here.example", "deferred", "b@far.example");
        queue.put(2, "boss@here.example", "deferred", "b@far.example");
        String one = id.toString();
        assertThat(console.run("queue", "requeue", one).out().strip()).isEqualTo("1 message requeued");
        assertThat(console.run("queue", "expire", one).out().strip()).isEqualTo("1 message expired");
        assertThat(console.run("queue", "bounce", one).out().strip()).isEqualTo("1 message bounced");
        assertThat(console.run("queue", "bounce", "--reason", "no such domain", "--sender", "a@*").out().strip())
                .isEqualTo("1 message bounced");
        assertThat(console.run("queue", "reroute", "--to", "[2001:db8::1]:26", one).out().strip())
                .isEqualTo("1 message rerouted");
        assertThat(console.run("queue", "priority", "4", one).out().strip()).isEqualTo("1 message given priority 4");
        assertThat(console.run("queue", "priority", "--sender", "a@*", "--", "-4").out().strip())
                .isEqualTo("1 message given priority -4");
        assertThat(queue.orders).containsExactly("requeue " + id, "expire " + id, "bounce " + id,
                "bounce no such domain " + id, "reroute lmtp:[2001:db8::1]:26 " + id, "priority 4 " + id,
                "priority -4 " + id);
        assertThat(console.run("queue", "bounce", one, new QueueId(99).toString()).exit()).isEqualTo(1);
    }

    @Test
    void ordersForManyWantASelectionADryRunOnlyCountsAndReturningAllWantsAYes() {
        queue.put(1, "a@here.example", "deferred", "b@far.example");
        queue.put(2, "boss@here.example", "deferred", "b@far.example");
        for (String[] order : List.of(new String[]{"requeue"}, new String[]{"expire"}, new String[]{"bounce"},
                new String[]{"reroute", "--to", "relay.example"}, new String[]{"priority", "4"})) {
            List<String> words = new ArrayList<>(List.of("queue"));
            words.addAll(List.of(order));
            assertThat(console.run(words.toArray(String[]::new)).err()).as(order[0]).contains("--all");
            assertThat(with(words, "--sender", "*@*").err()).contains("matches the whole queue", "--all");
            assertThat(with(words, "--sender", "a@*", "--dry-run").out()).startsWith("1 message would be ");
            boolean returns = order[0].equals("bounce") || order[0].equals("expire");
            assertThat(with(words, "--all").exit()).as(order[0]).isEqualTo(returns ? 2 : 0);
            if (returns) {
                assertThat(with(words, "--all", "--yes").out()).startsWith("2 messages ");
            }
        }
        assertThat(queue.orders).hasSize(10);
    }

    private Console.Ran with(List<String> words, String... further) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(further));
        return console.run(all.toArray(String[]::new));
    }

    @Test
    void aPriorityOutsideTheBoundsAndARerouteWithoutANextHopAreWrongUsage() {
        QueueId id = queue.put(1, "a@here.example", "deferred", "b@far.example");
        assertThat(console.run("queue", "priority", "10", id.toString()).err())
                .contains("\"10\" is not a priority; use a number from -9 to 9");
        assertThat(console.run("queue", "priority", id.toString()).exit()).isEqualTo(2);
        assertThat(console.run("queue", "priority").err()).contains("missing PRIORITY: a number from -9 to 9");
        assertThat(console.run("queue", "reroute", id.toString()).exit()).isEqualTo(2);
        assertThat(queue.orders).isEmpty();
    }

    @Test
    void flushCanMeanEverythingOrADomain() {
        assertThat(console.run("queue", "flush").exit()).isZero();
        assertThat(console.run("queue", "flush", "--domain", "b\u00fcro.example").exit()).isZero();
        assertThat(queue.orders).containsExactly("flush everything", "flush b\u00fcro.example");
        assertThat(console.run("queue", "flush", "--domain", "x.example", new QueueId(1).toString()).exit())
                .isEqualTo(2);
    }

    @Test
    void deletingEverythingWantsAYes() {
        for (int i = 1; i <= 1003; i++) {
            queue.put(i, "a@here.example", "deferred", "b@far.example");
        }
        Console.Ran hesitant = console.run("queue", "delete", "--all");
        assertThat(hesitant.exit()).isEqualTo(2);
        assertThat(hesitant.err()).contains("--yes");
        assertThat(queue.messages).hasSize(1003);
        assertThat(console.run("queue", "delete", "--all", "--yes").out()).startsWith("1003 messages deleted");
        assertThat(queue.messages).isEmpty();
    }

    @Test
    void deleteNeedsToKnowWhat() {
        QueueId id = queue.put(7, "a@here.example", "deferred", "b@far.example");
        assertThat(console.run("queue", "delete").exit()).isEqualTo(2);
        assertThat(console.run("queue", "delete", "--all", "--yes", id.toString()).exit()).isEqualTo(2);
        assertThat(queue.messages).isNotEmpty();
        assertThat(console.run("queue", "delete", id.toString()).exit()).isZero();
        assertThat(queue.messages).isEmpty();
    }

    @Test
    void matchingMessagesAreListedThoughTheyLieFarApart() {
        queue.piece = 10;
        for (int i = 1; i <= 95; i++) {
            queue.put(i, i % 30 == 0 ? "boss@here.example" : "news@here.example", "deferred", "b@far.example");
        }
        Console.Ran all = console.run("queue", "list", "--sender", "boss@*");
        assertThat(all.out().lines()).hasSize(1 + 3);
        assertThat(all.out()).contains(new QueueId(90).toString()).doesNotContain("news@", "next page");
        Console.Ran two = console.run("queue", "list", "--sender", "boss@*", "--limit", "2");
        assertThat(two.out()).contains("2; the next page: --after ").doesNotContain(new QueueId(90).toString());
        assertThat(console.run("queue", "list", "--sender", "nobody@*").out()).startsWith("no message matches");
        JsonNode page = JsonMapper.shared()
                .readTree(console.run("queue", "list", "--json", "--sender", "boss@*").out());
        assertThat(page.get("messages").size()).isEqualTo(3);
        assertThat(page.get("next").isNull()).isTrue();
    }

    @Test
    void allOptionsReachTheServerAsTheyWereMeant() {
        console.run("queue", "count", "--sender", "<>", "--recipient", "a+b%c&d@*", "--domain", "b\u00fcro.example",
                "--state", "held", "--older-than", "2h", "--younger-than", "1d12h", "--attempts", "3");
        assertThat(queue.filters).containsExactly(new QueueFilter(Optional.of(AddressPattern.NULL),
                List.of(new AddressPattern("a+b%c&d", "*"), new AddressPattern("*", "b\u00fcro.example")),
                Optional.of(QueueFilter.State.HELD), OptionalLong.of(7_200_000), OptionalLong.of(129_600_000), 3));
    }

    @Test
    void countIsANumberForScripts() {
        queue.piece = 2;
        for (int i = 1; i <= 5; i++) {
            queue.put(i, i == 1 ? "boss@here.example" : "news@here.example", "deferred", "b@far.example");
        }
        assertThat(console.run("queue", "count").out().strip()).isEqualTo("5");
        assertThat(console.run("queue", "count", "--sender", "news@*").out().strip()).isEqualTo("4");
        assertThat(console.run("queue", "count", "--sender", "x@*").out().strip()).isEqualTo("0");
    }

    @Test
    void matchingMessagesAreDeletedInAFewRequestsAndTheRestStays() {
        for (int i = 1; i <= 10_000; i++) {
            queue.put(i, i % 10 == 0 ? "boss@here.example" : "news@here.example", "deferred", "b@far.example");
        }
        Console.Ran dry = console.run("queue", "delete", "--sender", "news@*", "--dry-run");
        assertThat(dry.out().strip()).isEqualTo("9000 messages would be deleted");
        assertThat(queue.messages).hasSize(10_000);
        queue.requests = 0;
        Console.Ran ran = console.run("queue", "delete", "--sender", "news@*");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out().strip()).isEqualTo("9000 messages deleted");
        assertThat(ran.err()).contains("mta: 5", "messages deleted so far");
        assertThat(queue.requests).isLessThanOrEqualTo(21);
        assertThat(queue.messages).hasSize(1000);
    }

    @Test
    void matchingMessagesAreHeldReleasedAndTried() {
        QueueId boss = queue.put(1, "boss@here.example", "deferred", "b@far.example");
        queue.put(2, "news@here.example", "deferred", "b@far.example");
        assertThat(console.run("queue", "hold", "--sender", "boss@*").out().strip()).isEqualTo("1 message held");
        assertThat(console.run("queue", "release", "--sender", "boss@*").out().strip()).isEqualTo("1 message released");
        assertThat(console.run("queue", "flush", "--sender", "boss@*").out().strip()).isEqualTo("1 message due");
        assertThat(queue.orders).containsExactly("hold " + boss, "release " + boss, "flush " + boss);
        assertThat(console.run("queue", "hold", "--all").out().strip()).isEqualTo("2 messages held");
        assertThat(console.run("queue", "flush", "--dry-run").out().strip()).isEqualTo("2 messages would be flushed");
        assertThat(queue.orders).hasSize(5);
    }

    @Test
    void aFilterThatCannotBeIsOneSentenceAndExitCode2() {
        queue.put(1, "boss@here.example", "deferred", "b@far.example");
        for (String[] wrong : new String[][]{{"--sender", "news"}, {"--recipient", "<>"}, {"--domain", "a@b"},
                {"--state", "lost"}, {"--older-than", "2"}, {"--younger-than", "soon"}, {"--attempts", "0"}}) {
            for (String command : List.of("list", "count", "delete", "hold", "release", "flush")) {
                Console.Ran ran = console.run("queue", command, wrong[0], wrong[1]);
                assertThat(ran.exit()).as(command + wrong[0]).isEqualTo(2);
                assertThat(ran.err().lines()).singleElement().asString().startsWith("mta: " + wrong[0] + ": \""
                        + wrong[1] + "\" is not ");
            }
        }
        assertThat(console.run("queue", "list", "--sendr", "x@y").err()).contains("--sender");
        assertThat(console.run("queue", "delete", "--sender", "x@y", new QueueId(1).toString()).exit()).isEqualTo(2);
        assertThat(console.run("queue", "delete", "--sender", "x@y", "--all").exit()).isEqualTo(2);
        assertThat(console.run("queue", "hold").exit()).isEqualTo(2);
        assertThat(queue.filters).as("nothing was asked").isEmpty();
        assertThat(queue.messages).hasSize(1);
    }

    @Test
    void troubleIsShownWithWhatItMeans() {
        queue.trouble = List.of(new Operations.TroubleView("index", Instant.now().minusSeconds(300).toString(),
                "new mail is refused with 451 until the index can be written", "input/output error \u001b[2J"));
        Console.Ran ran = console.run("status");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).containsPattern("TROUBLE +index").contains("(5m", "refused with 451 until",
                "input/output error ?[2J").containsPattern("messages +unknown");
    }

    @Test
    void theStatusIsShown() {
        queue.put(7, "a@here.example", "deferred", "b@far.example");
        assertThat(console.run("status").out()).contains("mail.here.example", "far.example",
                "80 of 100, 76 wait for a greeting; limited: 75 of 75").containsPattern("messages +1");
    }

    @Test
    void troubleOfTheServerIsToldInItsOwnWords() {
        queue.broken = true;
        Console.Ran ran = console.run("queue", "list");
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err()).contains("the queue index does not answer").doesNotContain("\tat ");
    }

    @Test
    void aServerThatIsGoneIsExitCode4() {
        server.close();
        Console.Ran ran = console.run("status");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).isEqualTo("mta: no server is running for home " + home + " (start it with mta --home "
                + home + " run)" + System.lineSeparator());
        assertThat(console.run("queue", "flush").exit()).isEqualTo(4);
    }

    @Test
    void aServerThatWasKilledHasLeftItsSocketAndIsGoneAllTheSame() throws IOException {
        server.close();
        Path socket = AdminSocket.in(home);
        try (var killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            killed.bind(UnixDomainSocketAddress.of(socket));
        }
        assertThat(socket).exists();
        Console.Ran ran = console.run("status");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("no server is running for home " + home);
    }

    @Test
    void aServerThatDropsTheConnectionIsExitCode4() throws Exception {
        server.close();
        Path socket = AdminSocket.in(home);
        try (var rude = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            rude.bind(UnixDomainSocketAddress.of(socket));
            Thread closing = Thread.ofVirtual().start(() -> {
                try {
                    rude.accept().close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Console.Ran ran = console.run("status");
            closing.join();
            assertThat(ran.exit()).isEqualTo(4);
            assertThat(ran.err())
                    .isEqualTo("mta: the server of home " + home + " closed the connection" + System.lineSeparator());
        }
    }

    @Test
    void textThatIsNoIdIsWrongUsage() {
        assertThat(console.run("queue", "hold", "../../etc").exit()).isEqualTo(2);
        assertThat(console.run("queue", "list", "--after", "!!").exit()).isEqualTo(2);
        assertThat(console.run("queue", "list", "--limit", "1001").exit()).isEqualTo(2);
        assertThat(queue.orders).isEmpty();
    }
}
