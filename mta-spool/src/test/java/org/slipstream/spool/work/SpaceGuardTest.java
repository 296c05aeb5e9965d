package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.slipstream.core.DataSize;
import org.slipstream.spool.Spool.What;
import org.slipstream.testkit.SimulatedClock;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

class SpaceGuardTest {
    private static final long MINIMUM = 256L << 20;

    private final SimulatedClock clock = new SimulatedClock();
    private final AtomicLong usable = new AtomicLong(10L << 30);
    private final SpaceGuard guard = new SpaceGuard(new SpaceGuard.DiskSpace() {
        @Override
        public long usableBytes() {
            return usable.get();
        }

        @Override
        public long totalBytes() {
            return 100L << 30;
        }
    }, Optional.of(DataSize.of(MINIMUM)), clock::nanos);

    private void after(long millis) {
        clock.advanceMillis(millis);
    }

    @Test
    void outOfInodesIsOneTroubleUntilAMessageIsWritten() {
        assertThat(guard.shortage()).isEmpty();
        for (int second = 0; second < 30; second++) {
            guard.ranOut(false);
            assertThat(guard.isLow()).as("messages are refused for a second").isTrue();
            after(1_100);
            assertThat(guard.isLow()).as("then one tries").isFalse();
            long millis = 1_100L * (second + 1);
            assertThat(guard.shortage()).hasValueSatisfying(shortage -> {
                assertThat(shortage.what()).isEqualTo(What.INODES);
                assertThat(shortage.millis()).as("since the first of them").isEqualTo(millis);
                assertThat(shortage.reason()).contains("10240 MiB are free", "inodes", "quota");
            });
        }
        guard.wrote(false);
        assertThat(guard.shortage()).isEmpty();
    }

    @Test
    void aSmallMessageThatNeedsNoFileDoesNotEndTheTroubleOfLargeOnes() {
        guard.ranOut(true);
        after(5_000);
        guard.wrote(false);
        guard.ranOut(true);
        after(5_000);
        assertThat(guard.shortage()).hasValueSatisfying(shortage -> assertThat(shortage.millis()).isEqualTo(10_000));
        guard.wrote(true);
        assertThat(guard.shortage()).isEmpty();
    }

    @Test
    void tooFewBytesIsATroubleOfItsOwnAndEndsWhenTheyAreBack() {
        guard.ranOut(false);
        usable.set(0);
        after(2_000);
        assertThat(guard.isLow()).isTrue();
        for (int second = 1; second < 20; second++) {
            guard.ranOut(false);
            after(1_000);
            long millis = 1_000L * second;
            assertThat(guard.shortage()).hasValueSatisfying(shortage -> {
                assertThat(shortage.what()).isEqualTo(What.SPACE);
                assertThat(shortage.millis()).isEqualTo(millis);
            });
        }
        usable.set(MINIMUM);
        after(2_000);
        assertThat(guard.shortage()).as("without a message that tries").isEmpty();
    }

    @Test
    void aDiskWithoutAByteIsNotOutOfInodes() {
        SpaceGuard careless = new SpaceGuard(new SpaceGuard.DiskSpace() {
            @Override
            public long usableBytes() {
                return 0;
            }

            @Override
            public long totalBytes() {
                return 0;
            }
        }, Optional.of(DataSize.of(0)), clock::nanos);
        careless.ranOut(false);
        after(10_000);
        assertThat(careless.shortage()).contains(new SpaceGuard.Shortage(What.SPACE, 10_000, "a write found no space"));
    }
}
