package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.SpoolTools;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.spool.work.TestMessages.claim;

/// The delivery options of a message are kept: in the log, in the index, in a file.
class DeliveryOptionsTest {
    private static final Outcome LATER = Outcome.of(Reply.of(450, "4.2.0", "later"), "mx.example.net");
    private static final long HOUR = 3_600_000;

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();
    private final long now = world.clock.millis();
    private final DeliveryOptions all = new DeliveryOptions(OptionalLong.of(now + HOUR),
            Optional.of(new DeliveryOptions.DeliverBy(now + 2 * HOUR, true, true)), -4, SenderTls.REQUIRED);

    private Envelope withOptions(String... recipients) {
        return TestMessages.envelope(recipients).withOptions(all);
    }

    @Test
    void mailForLaterIsNotDueBeforeAndNoCommandHurriesIt() throws Exception {
        try (Spool spool = world.open(directory)) {
            QueueId id = TestMessages.commit(spool, withOptions("bob@example.net"), TestMessages.body(100, 1)).id();
            Spool.Claimed early = claim(spool, QueueName.INCOMING, now, 10, now + 5_000);
            assertThat(early.messages()).isEmpty();
            assertThat(early.nextDueMillis()).hasValue(now + HOUR);
            TestMessages.done(then -> spool.makeDue(Optional.empty(), Optional.empty(), now, then));
            TestMessages.done(then -> spool.makeDue(Optional.of(id), Optional.empty(), now, then));
            assertThat(claim(spool, now, 10, now + 5_000)).as("flushed by an operator").isEmpty();
            assertThat(claim(spool, QueueName.INCOMING, now + HOUR, 10, now + 2 * HOUR).messages()).singleElement()
                    .satisfies(found -> assertThat(found.options()).isEqualTo(all));
            TestMessages.done(then -> spool.makeDue(Optional.of(id), Optional.empty(), now + HOUR + 1, then));
            assertThat(claim(spool, now + HOUR + 1, 10, now + 2 * HOUR)).as("released, then flushed")
                    .hasSize(1);
        }
    }

    @Test
    void optionsSurviveARestartAnOutcomeAndTheLossOfTheIndex() throws Exception {
        QueueId id;
        try (Spool spool = world.open(directory)) {
            id = TestMessages.commit(spool, withOptions("a@example.net", "b@example.net"), TestMessages.body(100, 1))
                    .id();
            TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(1, LATER)), then));
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.envelope(id).orElseThrow().options()).isEqualTo(all);
            assertThat(spool.list(Optional.empty(), 10)).singleElement()
                    .satisfies(each -> assertThat(each.summary().options()).isEqualTo(all));
        }
        Files.deleteIfExists(directory.resolve("index.mv.db"));
        try (Spool spool = world.open(directory)) {
            assertThat(spool.envelope(id).orElseThrow().options()).as("from the log alone").isEqualTo(all);
            assertThat(claim(spool, now, 10, now + 5_000)).as("not before its time").isEmpty();
            assertThat(claim(spool, now + HOUR, 10, now + 2 * HOUR)).hasSize(1);
        }
    }

    @Test
    void optionsMoveInAFileFromOneServerToAnother() throws Exception {
        Path files = directory.resolve("files");
        SpoolConfig old = SpoolConfig.at(directory.resolve("old"));
        SpoolConfig fresh = SpoolConfig.at(directory.resolve("new"));
        try (Spool spool = world.open(old)) {
            TestMessages.commit(spool, withOptions("bob@example.net"), TestMessages.body(100, 1));
        }
        SpoolTools.export(old, world.clock::millis, files);
        assertThat(SpoolTools.importFrom(fresh, world.clock::millis, files).findings()).isEmpty();
        try (Spool spool = world.open(fresh)) {
            assertThat(spool.list(Optional.empty(), 10)).singleElement()
                    .satisfies(each -> assertThat(each.envelope()).isEqualTo(withOptions("bob@example.net")));
        }
    }
}
