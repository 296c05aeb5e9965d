package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/// An index that was not closed may lack rows, and no error tells of them.
class OpenMarkTest {
    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    @Test
    void rowsThatACutHasTakenComeBackFromTheLog() throws Exception {
        Path cutOff = withoutRows(TestMessages.envelope("a@example.net", "b@example.net"));
        assertThat(queued(cutOff)).isEqualTo(2);
        assertThat(cutOff.resolve("index-not-closed.mv.db")).exists();
        assertThat(queued(cutOff)).isEqualTo(2);
        assertThat(marks(cutOff)).as("an orderly stop needs no mark").isEmpty();
    }

    @Test
    void anOrderlyStopCostsNoNewIndex() throws Exception {
        Path spool = withoutRows(TestMessages.envelope("a@example.net", "b@example.net"));
        new OpenMark(spool).clear();
        assertThat(queued(spool)).as("rows that this test took").isZero();
        assertThat(spool.resolve("index-not-closed.mv.db")).doesNotExist();
    }

    @Test
    void anIndexWithoutItsLogStaysTheWitness() throws Exception {
        Path cutOff = withoutRows(TestMessages.envelope("a@example.net"));
        try (Stream<Path> segments = Files.list(cutOff.resolve("log"))) {
            for (Path segment : segments.filter(file -> file.toString().endsWith(".segment")).toList()) {
                Files.delete(segment);
            }
        }
        SpoolException refused = catchThrowableOfType(SpoolException.class,
                () -> world.openMade(cutOff));
        assertThat(refused).hasMessageContaining("has no segment, and the index names 2 messages");
    }

    /// Two messages, as a cut during the run leaves them: a page of rows is missing.
    private Path withoutRows(Envelope envelope) throws Exception {
        Path cutOff = directory.resolve("cut-off");
        try (Spool spool = world.openMade(cutOff)) {
            for (int i = 0; i < 2; i++) {
                QueueId id = TestMessages.commit(spool, envelope, new byte[10]).id();
                TestMessages.done(then -> spool.defer(id, world.clock.millis(), then));
            }
            assertThat(spool.counts().messages()).isEqualTo(2);
            assertThat(marks(cutOff)).hasSize(1);
        }
        // The orderly stop has brought all rows to the disk; the mark is that of the run.
        TestWorld.sql(cutOff, "delete from recipient", "shutdown");
        new OpenMark(cutOff).set();
        return cutOff;
    }

    private static List<String> marks(Path spool) throws IOException {
        try (Stream<Path> files = Files.list(spool)) {
            return files.map(file -> file.getFileName().toString()).filter("index-open"::equals).toList();
        }
    }

    private long queued(Path spool) throws Exception {
        try (Spool opened = world.openMade(spool)) {
            return opened.list(Optional.empty(), 10).size();
        }
    }
}
