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
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.ShardLine;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.shard.TopFrame;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// The commands of a server with several shards.
class ShardCommandsTest {
    private static final List<ShardLine> LINES = List.of(
            new ShardLine(1, "normal", new UseView(2, 10), new UseView(18, 100), Optional.of(812L), Optional.of(1L),
                    120, 95, 18, ""),
            new ShardLine(2, "disabled", new UseView(0, 10), new UseView(13, 100), Optional.of(711L),
                    Optional.of(3L), 92, 85, 13, ""));
    private static final ShardLine SILENT = new ShardLine(3, "normal", new UseView(0, 10), new UseView(0, 100),
            Optional.empty(), Optional.empty(), 0, 0, 0, "the queue manager does not answer");
    private static final String FAULT = "shard 3: the queue manager does not answer";

    @TempDir
    Path home;
    private final FakeQueue queue = new FakeQueue();
    private final FakeQueue second = new FakeQueue();
    private AdminServer server;
    private Console console;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.bind(AdminSocket.in(home));
        server.serve(queue, new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
        console = new Console(home);
        queue.shards.put(2, second);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    static Activity activity() {
        Activity one = TopCommandTest.activity(0, 10_800, 21_600, List.of());
        return new Activity(one.at(), one.hostname(), one.started(), one.messages(), one.held(), one.active(),
                one.connections(), one.counters(), one.suspensions(), one.destinations(), LINES, 2,
                List.of());
    }

    @Test
    @Tag("IM-24")
    void topHasALineForEachShardAndTheirSum() {
        queue.activity.add(activity());
        assertThat(console.run("top", "--once").out().lines().skip(4).limit(6)).containsExactly(
                "SHARD  MODE      LOCAL  REMOTE  MESSAGES  HELD  ACTIVE  WAITING  CONNECTIONS",
                "1      normal    2/10   18/100  812       1     120     95       18",
                "2      disabled  0/10   13/100  711       3     92      85       13",
                "total            2/20   31/200  1523      4     212     180      31", "",
                "DESTINATION   STATE    WINDOW  CONN  RUN  WAIT  OLDEST  LAST ERROR");
    }

    @Test
    void theHeadOfAFrameGrowsByTheShards() {
        assertThat(new TopFrame(activity(), Optional.empty()).headLines())
                .isEqualTo(TopFrame.HEAD_LINES + LINES.size() + 3);
        assertThat(new TopFrame(TopCommandTest.activity(0, 1, 1, List.of()), Optional.empty()).headLines())
                .isEqualTo(TopFrame.HEAD_LINES);
    }

    @Test
    @Tag("IM-25")
    void theStatusHasALineForEachShardAndTheirSum() {
        assertThat(console.run("status").out()).doesNotContain("SHARD");
        queue.shardLines = List.of(LINES.getFirst(), LINES.getLast(), SILENT);
        queue.trouble = List.of(new TroubleView("shard", "", "shard 3 does not answer", "timeout"));
        Console.Ran ran = console.run("status");
        assertThat(ran.out()).contains("messages     unknown: not all shards can be read", """
                TROUBLE  shard
                meaning  shard 3 does not answer
                reason   timeout

                SHARD  MODE      LOCAL  REMOTE  MESSAGES  HELD  ACTIVE  WAITING  CONNECTIONS
                1      normal    2/10   18/100  812       1     120     95       18
                2      disabled  0/10   13/100  711       3     92      85       13
                3      normal    0/10   0/100   -         -     -       -        -            the queue manager does not answer
                total            2/30   31/300  -         -     212     180      31
                """);
    }

    @Test
    void theListTheCountAndTheOrdersMayBeOfOneShard() {
        QueueId first = queue.put(65, "a@here.example", "deferred", "x@far.example");
        QueueId other = second.put(66, "a@here.example", "deferred", "x@far.example");
        assertThat(console.run("queue", "list").out()).contains(first.toString()).doesNotContain(other.toString());
        assertThat(console.run("queue", "list", "--shard", "2").out()).contains(other.toString())
                .doesNotContain(first.toString());
        assertThat(console.run("queue", "count", "--shard", "2").out()).isEqualTo("1\n");
        assertThat(console.run("queue", "hold", "--shard", "2").exit()).as("a shard is no filter")
                .isEqualTo(Exit.USAGE);
        assertThat(console.run("queue", "hold", "--shard", "2", "--all").out()).isEqualTo("1 message held\n");
        assertThat(second.orders).containsExactly("hold " + other);
        assertThat(console.run("queue", "flush", "--shard", "2").out()).contains("1 message due");
        assertThat(second.orders).contains("flush everything");
        assertThat(queue.orders).isEmpty();
        Console.Ran unknown = console.run("queue", "list", "--shard", "9");
        assertThat(unknown.exit()).isEqualTo(Exit.USAGE);
        assertThat(unknown.err()).contains("no such shard: 9; mta shard list shows them");
    }

    @Test
    void theShardOfAMessageIsShown() {
        QueueId id = queue.put(66, "a@here.example", "deferred", "x@far.example");
        assertThat(console.run("queue", "show", id.toString()).out()).doesNotContain("shard");
        MessageView view = queue.messages.get(id);
        queue.messages.put(id, view.in(2));
        assertThat(console.run("queue", "show", id.toString()).out()).contains("shard         2\n");
        assertThat(console.run("queue", "list", "--json").out()).contains("\"shard\":2");
    }

    @Test
    void aShardThatDoesNotAnswerIsToldAndTheExitCodeIsOne() {
        queue.put(65, "a@here.example", "deferred", "x@far.example");
        queue.faults = List.of(FAULT);
        for (String[] command : new String[][]{{"queue", "list"}, {"queue", "count", "--sender", "*@here.example"},
                {"queue", "hold", "--sender", "*@here.example"}, {"queue", "shape"},
                {"queue", "flush", "--sender", "*@here.example"}}) {
            Console.Ran ran = console.run(command);
            assertThat(ran.err()).as(String.join(" ", command)).contains("mta: left out: " + FAULT);
            assertThat(ran.exit()).as(String.join(" ", command)).isEqualTo(Exit.NO);
        }
    }
}
