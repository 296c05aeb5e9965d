package org.slipstream.spool.work;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.tools.SpoolTools;
import org.slipstream.testkit.Folders;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/// Files of the log were deleted, a disk is not mounted, a record is damaged: the index still has
/// the senders of the messages.
class LostMessagesTest {
    @TempDir
    Path temporary;
    private Path directory;
    private SpoolConfig config;
    private final TestWorld world = new TestWorld();

    @BeforeEach
    void place() {
        directory = temporary.resolve("spool");
        config = SpoolConfig.at(directory);
    }

    /// Each in a segment of its own.
    private List<QueueId> queued(int... sizes) throws Exception {
        List<QueueId> ids = new ArrayList<>();
        for (int size : sizes) {
            try (Spool spool = world.openMade(config)) {
                ids.add(TestMessages.commit(spool, TestMessages.envelope("bob@example.net", "carol@example.com"),
                        TestMessages.body(size, size)).id());
            }
        }
        return ids;
    }

    private Path segment(int number) {
        return directory.resolve("log").resolve(String.format("%010d.segment", number));
    }

    private static List<QueueId> listed(Spool spool) throws IOException {
        return spool.list(Optional.empty(), 1000).stream().map(each -> each.summary().id()).toList();
    }

    private SpoolTools.Report verify() throws Exception {
        return SpoolTools.verify(config, world.clock::millis);
    }

    @Test
    void aMessageWhoseSegmentIsMissingIsSetAsideAndNamed() throws Exception {
        List<QueueId> ids = queued(100, 200, 300);
        Path kept = Files.move(segment(2), temporary.resolve("kept"));
        for (int start = 0; start < 2; start++) {
            try (Spool spool = world.openMade(config)) {
                assertThat(listed(spool)).containsExactly(ids.get(0), ids.get(2));
                assertThat(spool.counts()).isEqualTo(new Spool.Counts(2, 0, 1, 400));
                assertThat(spool.details(ids.get(1))).isPresent();
            }
        }
        SpoolTools.Report report = verify();
        assertThat(report.setAside()).isEqualTo(1);
        assertThat(report.findings()).singleElement().asString().contains(ids.get(1).toString(),
                "from <ann@example.org>", "<bob@example.net>", "<carol@example.com>", "0000000002.segment is missing");

        Files.move(kept, segment(2));
        assertThat(verify().findings()).anySatisfy(each -> assertThat(each).contains("can be read", "spool repair"));
        assertThat(SpoolTools.repair(config, world.clock::millis).findings()).isEmpty();
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).as("put back and repaired").isEqualTo(ids);
            assertThat(TestMessages.read(spool, ids.get(1))).isEqualTo(TestMessages.body(200, 200));
        }
    }

    @Test
    void aLargeMessageWhoseFileIsMissingIsSetAsideAndNamed() throws Exception {
        List<QueueId> ids = queued(300_000, 100);
        Folders.delete(directory.resolve("large"));
        for (int start = 0; start < 2; start++) {
            try (Spool spool = world.openMade(config)) {
                assertThat(listed(spool)).containsExactly(ids.get(1));
                assertThat(spool.counts().corrupt()).isEqualTo(1);
            }
        }
        assertThat(verify().findings()).singleElement().asString().contains(ids.get(0).toString(),
                ids.get(0) + ".message is missing");
    }

    @Test
    void aLargeMessageIsSetAsideWhenItsFileAndTheIndexAreMissing() throws Exception {
        List<QueueId> ids = queued(300_000, 100);
        Folders.delete(directory.resolve("large"));
        Files.deleteIfExists(directory.resolve("index.mv.db"));
        assertThat(verify().findings()).singleElement().asString().contains(ids.get(0).toString(),
                "from <ann@example.org> to <bob@example.net>");
    }

    @Test
    void aStartWithAnEmptyLogIsRefusedUntilTheLogIsBackOrTheOperatorGivesItUp() throws Exception {
        List<QueueId> ids = queued(100, 200);
        Path kept = temporary.resolve("kept");
        Files.move(directory.resolve("log"), kept);
        for (int start = 0; start < 2; start++) {
            SpoolException refusal = catchThrowableOfType(SpoolException.class, () -> world.openMade(config));
            assertThat(refusal.reason()).isEqualTo(SpoolException.Reason.DAMAGED);
            assertThat(refusal.getMessage()).contains("log", "no message log", "mounted", "spool repair")
                    .doesNotContain("\n");
        }
        SpoolException verified = catchThrowableOfType(SpoolException.class, this::verify);
        assertThat(verified.getMessage()).contains("no message log", "spool repair");
        assertThat(directory.resolve("log")).as("nothing was touched").doesNotExist();
        Files.move(kept, directory.resolve("log"));
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).as("nothing was touched").isEqualTo(ids);
            assertThat(TestMessages.read(spool, ids.get(1))).isEqualTo(TestMessages.body(200, 200));
        }

        Folders.delete(directory.resolve("log"));
        SpoolTools.Report repaired = SpoolTools.repair(config, world.clock::millis);
        assertThat(repaired.setAside()).isEqualTo(2);
        assertThat(repaired.findings()).hasSize(2).anySatisfy(each -> assertThat(each).contains(ids.get(0).toString()))
                .anySatisfy(each -> assertThat(each).contains(ids.get(1).toString(), "<carol@example.com>"));
        try (Spool spool = world.openMade(config)) {
            assertThat(spool.counts()).isEqualTo(new Spool.Counts(0, 0, 2, 0));
            QueueId next = TestMessages.commit(spool, "bob@example.net", TestMessages.body(50, 1));
            assertThat(next).isGreaterThan(ids.get(1));
            assertThat(TestMessages.read(spool, next)).isEqualTo(TestMessages.body(50, 1));
        }
        assertThat(segment(1)).as("numbers of lost segments are not used again").doesNotExist();
    }

    @Test
    void aRowWhoseSegmentWasDeletedInOrderWasFinished() throws Exception {
        List<QueueId> ids = queued(100, 200);
        Path before = Files.copy(directory.resolve("index.mv.db"), temporary.resolve("before"));
        SpoolConfig hurried = new SpoolConfig(directory, config.segmentSize(), config.inlineSize(), DataSize.ZERO);
        for (QueueId id : ids) {
            try (Spool spool = world.openMade(hurried)) {
                TestMessages.done(then -> spool.remove(id, then));
                TestMessages.commit(spool, "bob@example.net", TestMessages.body(300, 1));
            }
        }
        try (Spool spool = world.openMade(hurried)) {
            assertThat(spool.counts().messages()).isEqualTo(2);
            org.awaitility.Awaitility.await().atMost(java.time.Duration.ofSeconds(60))
                    .until(() -> Files.notExists(segment(1)) && Files.notExists(segment(2)));
        }
        Files.copy(before, directory.resolve("index.mv.db"), java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).hasSize(2).doesNotContainAnyElementsOf(ids);
            assertThat(spool.counts().corrupt()).isZero();
        }
    }

    @Test
    void anOperatorForgetsWhatIsSetAside() throws Exception {
        List<QueueId> ids = queued(100, 200, 300);
        Files.delete(segment(1));
        Files.delete(segment(2));
        SpoolTools.Report left = SpoolTools.settleSetAside(config, world.clock::millis, Set.of(ids.get(1), ids.get(2)),
                (_, _) -> true);
        assertThat(left.records()).isEqualTo(1);
        assertThat(left.setAside()).isEqualTo(1);
        assertThat(left.findings()).singleElement().asString().contains(ids.get(2) + " is not set aside");
        assertThat(SpoolTools.settleSetAside(config, world.clock::millis, Set.of(), (_, _) -> true))
                .isEqualTo(new SpoolTools.Report(1, 1, List.of()));
        assertThat(SpoolTools.repair(config, world.clock::millis)).as("the log records it, too")
                .satisfies(report -> assertThat(report.findings()).isEmpty());
        try (Spool spool = world.openMade(config)) {
            assertThat(listed(spool)).containsExactly(ids.get(2));
        }
    }
}
