package org.slipstream.spool.work;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.spool.Spool;
import org.slipstream.testkit.SimulatedClock;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/// Time is virtual; one look every ten seconds.
class SpoolWatchdogTest {
    private final SimulatedClock clock = new SimulatedClock();
    private final AtomicInteger ends = new AtomicInteger();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final HealthReport health = new HealthReport(() -> 0, clock::nanos);
    private SpoolWatchdog.Probe disk = () -> {};
    private final SpoolWatchdog watchdog = new SpoolWatchdog(1, health, stopping::get, () -> disk.write(), clock::nanos,
            SpoolWatchdog.HANG_MILLIS, ends::incrementAndGet);

    private void seconds(int seconds) {
        for (int i = 0; i < seconds / 10; i++) {
            clock.advance(Duration.ofSeconds(10));
            watchdog.look();
        }
    }

    @Test
    void aWriteThatHangsForAMinuteOnADiskThatWorksEndsTheProcess() {
        health.begins(Spool.What.LOG);
        seconds(60);
        assertThat(ends).hasValue(0);
        seconds(20);
        assertThat(ends).hasPositiveValue();
    }

    @Test
    void aDiskThatFailsIsWaitedForAndTheMinuteBeginsWhenItWorks() {
        disk = () -> {
            throw new IOException("No space left on device");
        };
        health.begins(Spool.What.LOG);
        seconds(3_600);
        disk = () -> {};
        seconds(60);
        assertThat(ends).hasValue(0);
        seconds(10);
        assertThat(ends).hasValue(1);
    }

    @Test
    void aSlowDiskIsWaitedFor() {
        disk = () -> clock.advance(Duration.ofSeconds(5));
        health.begins(Spool.What.LOG);
        seconds(3_600);
        assertThat(ends).hasValue(0);
    }

    @Test
    void aBusyWriterAndAnIdleOneAreLeftAlone() {
        for (int i = 0; i < 100; i++) {
            health.begins(Spool.What.LOG);
            seconds(50);
        }
        health.ends(Spool.What.LOG);
        seconds(3_600);
        assertThat(ends).hasValue(0);
    }

    @Test
    void aServerThatStopsDoesNotWaitForTheMinute() {
        health.begins(Spool.What.LOG);
        seconds(10);
        stopping.set(true);
        seconds(10);
        assertThat(ends).hasValue(1);
    }

    @Test
    void theProbeWritesToTheDiskAndLeavesNothing(@TempDir Path directory) {
        assertThatCode(() -> SpoolWatchdog.Probe.in(directory).write()).doesNotThrowAnyException();
        assertThat(directory).isEmptyDirectory();
        assertThatCode(() -> SpoolWatchdog.Probe.in(directory.resolve("gone")).write()).isInstanceOf(IOException.class);
    }
}
