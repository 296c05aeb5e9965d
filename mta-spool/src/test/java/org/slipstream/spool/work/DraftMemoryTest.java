package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/// A thousand slow sessions must not keep a thousand messages in memory.
class DraftMemoryTest {
    private static final int DRAFTS = 20;
    private static final int SHARED_BYTES = 200 << 10;

    @TempDir
    Path directory;
    private final TestWorld world = new TestWorld();

    @Test
    void contentsWithoutMemoryGoToTheirFilesAtOnce() throws Exception {
        world.drafts = new DraftMemory(SHARED_BYTES);
        try (Spool spool = world.open(directory)) {
            List<Draft> open = new ArrayList<>();
            for (int i = 0; i < DRAFTS; i++) {
                Draft draft = spool.draft();
                open.add(draft);
                write(draft, TestMessages.body(60_000, i), 0, 50_000);
            }
            // Without files they would have more than 1 MB.
            assertThat(world.drafts.leftBytes()).isBetween(0L, (long) SHARED_BYTES);
            assertThat(files()).isBetween(DRAFTS - 5L, DRAFTS - 1L);
            List<QueueId> committed = new ArrayList<>();
            for (int i = 0; i < DRAFTS; i++) {
                write(open.get(i), TestMessages.body(60_000, i), 50_000, 60_000);
                if (i % 4 == 0) {
                    open.get(i).close();
                } else {
                    committed.add(open.get(i).commit(TestMessages.envelope("bob@example.net")).id());
                }
            }
            assertThat(world.drafts.leftBytes()).isEqualTo(SHARED_BYTES);
            for (int i = 0, n = 0; i < DRAFTS; i++) {
                if (i % 4 != 0) {
                    assertThat(TestMessages.read(spool, committed.get(n++))).isEqualTo(TestMessages.body(60_000, i));
                }
            }
        }
    }

    /// Blocks are used again, and committed content does not lie in them.
    @Test
    void aMessageKeepsItsBytesThoughLaterOnesAreWrittenWhereItWas() throws Exception {
        try (Spool spool = world.open(directory)) {
            int[] sizes = {100_000, 60_000, 3_000, 70_000, 0, 120_000, 8_192, 60_000};
            List<QueueId> committed = new ArrayList<>();
            for (int i = 0; i < sizes.length; i++) {
                try (Draft abandoned = spool.draft()) {
                    abandoned.write(TestMessages.body(90_000, 77), 0, 90_000);
                }
                committed.add(TestMessages.commit(spool, "bob@example.net", TestMessages.body(sizes[i], i)));
            }
            for (int i = 0; i < sizes.length; i++) {
                assertThat(TestMessages.read(spool, committed.get(i))).isEqualTo(TestMessages.body(sizes[i], i));
            }
        }
    }

    private static void write(Draft draft, byte[] body, int from, int to) throws IOException {
        for (int at = from; at < to; at += 5_000) {
            draft.write(body, at, 5_000);
        }
    }

    private long files() throws IOException {
        try (Stream<Path> found = Files.list(directory.resolve("large"))) {
            return found.count();
        }
    }
}
