package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Envelope;
import org.slipstream.core.Origin;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.tools.SpoolTools;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The submitter of a message is known as long as the message is in the queue.
class OriginTest {
    private static final Outcome LATER = Outcome.of(Reply.of(450, "4.2.0", "later"), "mx.example.net");
    private static final Origin ANN = new Origin("submission", "[IPv6:2001:db8::1]", "client.example", "ann",
            "<4711@client.example>", Optional.of(new QueueId(4711)), "{\"order\":17,\"who\":\"ä\"}");

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    @Test
    void itSurvivesARestartAnOutcomeAndTheLossOfTheIndex() throws Exception {
        QueueId id;
        try (Spool spool = world.open(directory)) {
            id = TestMessages.commit(spool, envelope("a@example.net", "b@example.net"), TestMessages.body(100, 1))
                    .id();
            TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(1, LATER)), then));
            assertThat(spool.envelope(id).orElseThrow().origin()).isEqualTo(ANN);
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.details(id).orElseThrow().envelope().origin()).as("after an outcome").isEqualTo(ANN);
        }
        Files.deleteIfExists(directory.resolve("index.mv.db"));
        try (Spool spool = world.open(directory)) {
            assertThat(spool.details(id).orElseThrow().envelope().origin()).as("from the log alone").isEqualTo(ANN);
        }
    }

    @Test
    void itIsKeptBesideAnEnvelopeThatIsTooLargeForARow() throws Exception {
        String[] many = IntStream.range(0, 2_000).mapToObj(i -> "recipient" + i + "@example.net")
                .toArray(String[]::new);
        QueueId id;
        try (Spool spool = world.open(directory)) {
            id = TestMessages.commit(spool, envelope(many), TestMessages.body(100, 1)).id();
        }
        try (Spool spool = world.open(directory)) {
            assertThat(spool.details(id).orElseThrow().envelope().origin()).isEqualTo(ANN);
        }
    }

    @Test
    void aStoppedServersMessageCanBeRead() throws Exception {
        SpoolConfig config = SpoolConfig.at(directory);
        byte[] body = TestMessages.body(100, 1);
        QueueId id;
        try (Spool spool = world.open(config)) {
            id = TestMessages.commit(spool, envelope("a@example.net"), body).id();
        }
        assertThat(SpoolTools.read(config, world.clock::millis, id, (message, content) -> {
            assertThat(message.envelope().origin()).isEqualTo(ANN);
            assertThat(content.open().readAllBytes()).isEqualTo(body);
        })).isTrue();
        assertThat(SpoolTools.read(config, world.clock::millis, new QueueId(1), (_, _) -> {
            throw new AssertionError("there is no such message");
        })).isFalse();
    }

    private static Envelope envelope(String... recipients) {
        return TestMessages.envelope(recipients).withOrigin(ANN);
    }
}
