package org.slipstream.server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.Suspension;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.log.HostRecord;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// `queue shape` with a stopped server.
class StoppedShapeTest {
    @TempDir
    Path home;

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
            spool.keepOrder(new Suspension(Suspension.SuspensionScope.DESTINATION, "near.example", "a test", "kim", now,
                    now + 3_600_000), () -> {});
        }
        Shell.Ran ran = new Shell(home).run("queue", "shape");
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).isEqualTo("""
                DESTINATION   T 5 10 20 40 80 160 320 640 1280 1280+ HELD  STATE
                TOTAL         3 0  0  0  3  0   0   0   0    0     0    0
                near.example  2 0  0  0  2  0   0   0   0    0     0    0  destination near.example is suspended by kim until UNTIL: a test
                far.example   1 0  0  0  1  0   0   0   0    0     0    0  suspended by kim until further notice: a move
                """.replace("UNTIL", java.time.Instant.ofEpochMilli(now + 3_600_000).toString()));
        assertThat(new Shell(home).run("queue", "shape", "--by", "sender").out()).contains("here.example  2 ");
    }

    private static QueueId queue(Spool spool, String sender, String... recipients) throws IOException {
        try (Draft draft = spool.draft()) {
            return draft.commit(Envelope.of(Optional.of(Address.of(sender)),
                    Stream.of(recipients).map(Address::of).toList())).id();
        }
    }
}
