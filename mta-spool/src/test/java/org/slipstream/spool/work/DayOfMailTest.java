package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.core.DataSize;
import org.slipstream.spool.SpoolConfig;

import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/// A short day: the files follow the queue, up and down.
class DayOfMailTest {
    private static final long SEGMENT_BYTES = 64 << 10;

    private static final int MESSAGES = 300;
    /// A multiple of four, for the quarter in which a destination is down.
    private static final int HOURS = Boolean.getBoolean("slipstream.long") ? 24 : 8;

    @TempDir
    Path directory;

    @Test
    void theFilesStayInProportionToWhatIsQueuedAndShrinkWithIt() throws Exception {
        long seed = System.nanoTime();
        System.out.println("DayOfMailTest seed " + seed);
        SpoolConfig config = new SpoolConfig(directory, DataSize.of(SEGMENT_BYTES), DataSize.ofKibibytes(128),
                DataSize.ZERO);
        List<DayOfMail.Hour> day = new DayOfMail(directory, MESSAGES, 2048, seed).run(config, HOURS);
        for (DayOfMail.Hour hour : day) {
            assertThat(hour.logBytes()).as("seed %d, %s", seed, hour)
                    .isLessThanOrEqualTo(DayOfMail.mostBoxBytes(hour.liveBytes(), SEGMENT_BYTES));
            // H2 keeps freed space for 45 s of real time, longer than this day lasts.
            assertThat(hour.indexBytes()).as("seed %d, %s", seed, hour)
                    .isLessThan(500_000 + 1_000L * hour.hour() * MESSAGES);
        }
        DayOfMail.Hour last = day.getLast();
        assertThat(last.came()).as("what came is a multiple of what is left, seed %d", seed)
                .isGreaterThan(5 * last.logBytes());
    }
}
