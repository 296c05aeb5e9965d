package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.DataSize;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueueName;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.DatabaseLost;
import org.slipstream.spool.Draft;
import org.slipstream.spool.LogEngine;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// The index is lost, old or damaged when a server starts: the log alone has all facts.
class IndexLossTest {
    private static final Outcome TAKEN = Outcome.of(Reply.of(250, "2.0.0", "taken"), "mx.example.net[192.0.2.1]:25");
    private static final Outcome BUSY = Outcome.of(new Reply(451, Optional.empty(), List.of("busy", "", "später")),
            "mx.example.net");
    private static final Outcome REFUSED = Outcome.of(Reply.of(550, "5.1.1", "no such user"), "mx.example.net");
    private static final HostRecord REST = new HostRecord("[192.0.2.1]:25", "RETRY", "mx.example", 1, 2, 3, "421 no",
            "");

    /// The change of the index while no server runs.
    private enum Loss {
        MISSING, EMPTY_FILE, GARBAGE, CUT_IN_HALF, FIRST_DAY, AFTER_FIRST_RUN
    }

    /// All facts of a spool about its mail.
    private record Picture(List<MessageDetails> queue, Spool.Counts counts, List<HostRecord> hosts,
            Map<QueueId, Integer> contents) {
        static Picture of(Spool spool) throws IOException {
            Map<QueueId, Integer> contents = new TreeMap<>();
            List<MessageDetails> queue = spool.list(Optional.empty(), 1000);
            for (MessageDetails each : queue) {
                QueueId id = each.summary().id();
                contents.put(id, java.util.Arrays.hashCode(TestMessages.read(spool, id)));
            }
            return new Picture(queue, spool.counts(), spool.hosts(), contents);
        }
    }

    @TempDir
    Path temporary;
    private Path directory;
    private final TestWorld world = new TestWorld();
    private Path index;
    private Path firstDay;
    private Path afterFirstRun;

    @BeforeEach
    void place() {
        directory = temporary.resolve("spool");
        index = directory.resolve("index.mv.db");
        firstDay = temporary.resolve("first-day");
        afterFirstRun = temporary.resolve("after-first-run");
    }

    private long now() {
        return world.clock.millis();
    }

    private Path keepIndex(Path as) throws IOException {
        return Files.copy(index, as);
    }

    private void lose(Loss loss) throws IOException {
        switch (loss) {
            case MISSING -> Files.deleteIfExists(index);
            case EMPTY_FILE -> Files.write(index, new byte[0]);
            case GARBAGE -> Files.write(index, TestMessages.body(50_000, 7));
            case CUT_IN_HALF -> {
                try (RandomAccessFile bytes = new RandomAccessFile(index.toFile(), "rw")) {
                    bytes.setLength(bytes.length() / 2);
                }
            }
            case FIRST_DAY -> Files.copy(firstDay, index, StandardCopyOption.REPLACE_EXISTING);
            case AFTER_FIRST_RUN -> Files.copy(afterFirstRun, index, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private void record(Spool spool, QueueId id, int number, Outcome outcome) {
        TestMessages.done(then -> spool.record(id, List.of(new RecipientOutcome(number, outcome)), then));
    }

    /// Two runs of a server. @return mail that is gone
    private List<QueueId> twoRuns() throws Exception {
        world.openMade(directory).close();
        keepIndex(firstDay);
        QueueId partly;
        QueueId finishedLater;
        QueueId released;
        try (Spool spool = world.openMade(directory)) {
            partly = TestMessages
                    .commit(spool, TestMessages.envelope("a@example.net", "b@example.net", "c@example.net"),
                            new byte[30])
                    .id();
            finishedLater = TestMessages.commit(spool, "bob@example.net", TestMessages.body(300_000, 1));
            released = TestMessages.commit(spool, "bob@example.net", new byte[3]);
            record(spool, partly, 1, TAKEN);
            record(spool, partly, 2, REFUSED);
            record(spool, partly, 3, BUSY);
            TestMessages.done(then -> spool.failuresReported(partly, then));
            TestMessages.done(then -> spool.defer(partly, now() + 600_000, then));
            TestMessages.done(then -> spool.hold(released, true, then));
            spool.keepHost(REST);
            spool.keepHost(new HostRecord("[192.0.2.9]:25", "RETRY", "gone.example", 1, 2, 3, "421 no", ""));
        }
        keepIndex(afterFirstRun);
        world.clock.advanceMillis(60_000);
        QueueId finishedSoon;
        try (Spool spool = world.openMade(directory)) {
            finishedSoon = TestMessages.commit(spool, "bob@example.net", TestMessages.body(300_000, 2));
            record(spool, partly, 3, BUSY);
            TestMessages.done(then -> spool.record(partly, List.of(new RecipientOutcome(3, BUSY)), false, then));
            TestMessages.done(then -> spool.delayReported(partly, 2, then));
            TestMessages.done(then -> spool.defer(partly, now() + 1_200_000, then));
            TestMessages.done(then -> spool.hold(released, false, then));
            QueueId held = TestMessages.commit(spool, TestMessages.richEnvelope(), TestMessages.body(200_000, 3)).id();
            TestMessages.done(then -> spool.hold(held, true, then));
            TestMessages.commit(spool, "new@example.net", TestMessages.body(5_000, 4));
            record(spool, finishedSoon, 1, TAKEN);
            TestMessages.done(then -> spool.remove(finishedSoon, then));
            TestMessages.done(then -> spool.remove(finishedLater, then));
            spool.forgetHost("[192.0.2.9]:25", "RETRY");
        }
        return List.of(finishedSoon, finishedLater);
    }

    @ParameterizedTest
    @EnumSource
    void allThatWasKnownIsBackAndWhatWasFinishedIsNot(Loss loss) throws Exception {
        List<QueueId> finished = twoRuns();
        Picture before;
        try (Spool spool = world.openMade(directory)) {
            before = Picture.of(spool);
        }
        lose(loss);
        try (Spool spool = world.openMade(directory)) {
            assertThat(Picture.of(spool)).usingRecursiveComparison().isEqualTo(before);
            for (QueueId id : finished) {
                assertThat(spool.details(id)).isEmpty();
            }
            assertThat(spool.readRecipients(before.queue().getFirst().summary().id(), 0, 10).recipients())
                    .extracting(each -> each.number()).containsExactly(3);
            assertThat(TestMessages.ids(TestMessages.claim(spool, QueueName.INCOMING, now(), 10, now() + 1).messages()))
                    .as("never tried and never put off")
                    .containsExactly(before.queue().getLast().summary().id());
            assertThat(TestMessages.commit(spool, "bob@example.net", new byte[1]))
                    .isGreaterThan(before.queue().getLast().summary().id());
        }
        MessageDetails partly = before.queue().getFirst();
        assertThat(partly.summary().attempts()).isEqualTo(2);
        assertThat(partly.summary().delayReports()).isEqualTo(2);
        assertThat(partly.nextAttemptMillis()).isEqualTo(now() + 1_200_000);
        assertThat(partly.recipients()).extracting(RecipientState::state).containsExactly(
                RecipientStatus.DELIVERED,
                RecipientStatus.FAILED_AND_REPORTED, RecipientStatus.OPEN);
        assertThat(partly.recipients()).extracting(each -> each.last().orElseThrow()).containsExactly(TAKEN, REFUSED,
                BUSY);
        assertThat(before.hosts()).containsExactly(REST);
        assertThat(before.counts()).isEqualTo(new Spool.Counts(4, 1, 0, 30 + 3 + 200_000 + 5_000));
    }

    /// A killed server leaves an index that is seconds older than its log.
    @Test
    void aKilledServersIndexIsBroughtUpToTheEndOfTheLog() throws Exception {
        Path cut = temporary.resolve("cut");
        QueueId queued;
        try (Spool spool = world.openMade(directory)) {
            queued = TestMessages.commit(spool, TestMessages.envelope("a@example.net", "b@example.net"), new byte[10])
                    .id();
            record(spool, queued, 1, TAKEN);
            QueueId gone = TestMessages.commit(spool, "bob@example.net", new byte[10]);
            TestMessages.done(then -> spool.remove(gone, then));
            TestWorld.copy(directory, cut);
        }
        try (Spool spool = new TestWorld().open(cut)) {
            assertThat(spool.list(Optional.empty(), 10)).extracting(each -> each.summary().id())
                    .containsExactly(queued);
            assertThat(spool.readRecipients(queued, 0, 10).recipients()).extracting(each -> each.number())
                    .containsExactly(2);
        }
    }

    @Test
    void theFactsOfAContentAreKeptWithIt() throws Exception {
        ContentFacts facts = new ContentFacts(true, false, 998, 12_345_678_901L);
        QueueId small = commit(new byte[100], Optional.of(facts));
        QueueId large = commit(new byte[300_000], Optional.of(facts));
        QueueId unknown = commit(new byte[100], Optional.empty());
        for (int start = 0; start < 2; start++) {
            try (Spool spool = world.openMade(directory)) {
                assertThat(spool.content(small).facts()).contains(facts);
                assertThat(spool.content(large).facts()).contains(facts);
                assertThat(spool.content(unknown).facts()).isEmpty();
                assertThat(TestMessages.read(spool, small)).isEqualTo(new byte[100]);
            }
            Files.deleteIfExists(index);
        }
    }

    private QueueId commit(byte[] body, Optional<ContentFacts> facts) throws Exception {
        try (Spool spool = world.openMade(directory); Draft draft = spool.draft()) {
            draft.write(body, 0, body.length);
            QueueId id = draft.commit(TestMessages.envelope("bob@example.net"), facts).id();
            assertThat(spool.content(id).facts()).isEqualTo(facts);
            return id;
        }
    }

    @Test
    void hostsOutliveTheSegmentsInWhichTheyWereWrittenAndThenTheIndex() throws Exception {
        SpoolConfig small = new SpoolConfig(directory, LogEngine.FILES, Optional.empty(), DatabaseLost.REFUSE,
                DataSize.of(10_000),
                DataSize.ofKibibytes(128),
                Optional.of(DataSize.ZERO));
        HostRecord later = new HostRecord("[192.0.2.2]:25", "SUSPENDED", "mx2.example", 1, Long.MAX_VALUE, 0, "w", "a");
        try (Spool spool = world.openMade(small)) {
            spool.keepHost(REST);
            for (HostRecord host : List.of(later, REST)) {
                Path written = newestSegment(spool);
                passing(spool, 10);
                Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> Files.notExists(written));
                spool.keepHost(host);
            }
        }
        Files.deleteIfExists(index);
        try (Spool spool = world.openMade(small)) {
            assertThat(spool.hosts()).containsExactly(REST, later);
        }
    }

    /// The cleaner copies the host records of the index, and the index does not have this one yet.
    @Test
    void aHostThatTheIndexDoesNotHaveWhenSegmentsGoIsNotLostWithThem() throws Exception {
        SpoolConfig small = new SpoolConfig(directory, LogEngine.FILES, Optional.empty(), DatabaseLost.REFUSE,
                DataSize.of(10_000),
                DataSize.ofKibibytes(128),
                Optional.of(DataSize.ZERO));
        HostRecord later = new HostRecord("[192.0.2.2]:25", "SUSPENDED", "mx2.example", 1, Long.MAX_VALUE, 0, "w", "a");
        CompletableFuture<Path> written = new CompletableFuture<>();
        try (Spool spool = world.openMade(small)) {
            spool.keepHost(REST);
            passing(spool, 10);
            world.trouble = (call, _) -> {
                // The cleaner looks while the log grows.
                if (call.equals("index.named") && !written.isDone()) {
                    spool.keepHost(later);
                    written.complete(newestSegment(spool));
                    passing(spool, 10);
                }
            };
            Path segment = written.get(90, TimeUnit.SECONDS);
            Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> Files.notExists(segment));
        }
        Files.deleteIfExists(index);
        try (Spool spool = world.openMade(small)) {
            assertThat(spool.hosts()).containsExactly(REST, later);
        }
    }

    private static void passing(Spool spool, int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            QueueId id = TestMessages.commit(spool, "bob@example.net", TestMessages.body(3000, i));
            TestMessages.done(then -> spool.remove(id, then));
        }
    }

    /// The segment that is open; all records of the order lie in it or before it.
    private Path newestSegment(Spool spool) throws IOException {
        TestMessages.done(then -> spool.hold(new QueueId(1), false, then));
        try (var files = Files.list(directory.resolve("log"))) {
            return files.filter(each -> each.toString().endsWith(".segment")).max(Path::compareTo).orElseThrow();
        }
    }
}
