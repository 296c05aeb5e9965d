package org.slipstream.server.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.ViewOperations.ShapeRow;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.Spools;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// `queue shape` with a running server and with a stopped one.
class QueueShapeTest {
    @TempDir
    Path home;

    private static ShapeRow row(String name, String state, long held, Long... ages) {
        return new ShapeRow(name, List.of(ages), held, state, "", "");
    }

    @Test
    void theTableHasTheColumnsOfQshapeAndTheSumFirst() throws IOException {
        FakeQueue queue = new FakeQueue();
        queue.shape = List.of(
                row("down.example", "dead until 2026-11-22T03:04:00Z: 450 4.4.1 Connection refused", 0, 0L,
                        1L, 2L, 3L, 40L, 5L, 0L, 0L, 0L, 0L),
                row("far.example", "", 1, 2L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 1L),
                row("small.example", "", 0, 1L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
        try (AdminServer server = AdminServer.bind(AdminSocket.in(home))) {
            server.serve(queue, new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
            assertThat(new Console(home).run("queue", "shape", "--rows", "2").out()).isEqualTo("""
                    DESTINATION    T 5 10 20 40 80 160 320 640 1280 1280+ HELD  STATE
                    TOTAL         55 3  1  2  3 40   5   0   0    0     1    1
                    down.example  51 0  1  2  3 40   5   0   0    0     0    0  dead until 2026-11-22T03:04:00Z: 450 4.4.1 Connection refused
                    far.example    3 2  0  0  0  0   0   0   0    0     1    1
                    1 more; --rows 0 shows all
                    """);
            assertThat(new Console(home).run("queue", "shape", "--json").out()).contains("\"name\":\"down.example\"");
            assertThat(new Console(home).run("queue", "shape", "--by", "colour").exit()).isEqualTo(Exit.USAGE);
            queue.shape = List.of();
            assertThat(new Console(home).run("queue", "shape").out()).isEqualTo("the queue is empty\n");
        }
    }

    @Test
    void aStoppedServerIsReadFromItsIndexWithItsSuspendedHosts() throws Exception {
        long now = System.currentTimeMillis();
        try (Spool spool = Spools.open(SpoolConfig.at(home.resolve("spool")), () -> now - 30 * 60_000)) {
            QueueId first = queue(spool, "ann@here.example", "bob@far.example", "eve@far.example", "dan@near.example");
            queue(spool, "ann@here.example", "cid@near.example");
            spool.record(first, List.of(new RecipientOutcome(1, new Outcome.Deferred(Reply.of(450, "4.3.2", "later"),
                    "mx.far.example[192.0.2.7]:25"))), () -> {});
            spool.keepHost(new HostRecord("[192.0.2.7]:25/may", "SUSPENDED", "mx.far.example", now, Long.MAX_VALUE, 0,
                    "a move", "kim"));
            spool.keepHost(new HostRecord("near.example", "SUSPENDED_DESTINATION", "", now, now + 3_600_000, 0,
                    "a test", "kim"));
        }
        Console.Ran ran = new Console(home).run("queue", "shape");
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).isEqualTo("""
                DESTINATION   T 5 10 20 40 80 160 320 640 1280 1280+ HELD  STATE
                TOTAL         3 0  0  0  3  0   0   0   0    0     0    0
                near.example  2 0  0  0  2  0   0   0   0    0     0    0  destination near.example is suspended by kim until UNTIL: a test
                far.example   1 0  0  0  1  0   0   0   0    0     0    0  suspended by kim until further notice: a move
                """.replace("UNTIL", java.time.Instant.ofEpochMilli(now + 3_600_000).toString()));
        assertThat(new Console(home).run("queue", "shape", "--by", "sender").out()).contains("here.example  2 ");
    }

    private static QueueId queue(Spool spool, String sender, String... recipients) throws IOException {
        try (Draft draft = spool.draft()) {
            return draft.commit(Envelope.of(Optional.of(Address.of(sender)),
                    Stream.of(recipients).map(Address::of).toList())).id();
        }
    }
}
