package org.slipstream.monitor.alarm;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class AlarmsTest {
    @TempDir
    Path home;

    private final List<AlarmCause> causes = new ArrayList<>();
    private Instant now = Instant.parse("2026-11-27T03:00:00Z");
    private AlarmSettings settings = new AlarmSettings(Optional.empty(), Optional.empty(), Optional.empty());
    private final Alarms alarms = new Alarms("mx.example", () -> settings, () -> List.copyOf(causes), () -> now);

    private void use(String script) throws IOException {
        Path program = Files.writeString(home.resolve("alarm"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        settings = new AlarmSettings(Optional.of(program), Optional.empty(), Optional.empty());
    }

    private List<String> told() throws IOException {
        Path told = home.resolve("told");
        return Files.exists(told) ? Files.readAllLines(told) : List.of();
    }

    private void pass(Duration time) throws InterruptedException {
        Instant end = now.plus(time);
        while (now.isBefore(end)) {
            alarms.look();
            now = now.plus(Alarms.INTERVAL);
        }
    }

    @Test
    void aTroubleAndItsEndAreToldInOrder() throws Exception {
        use("echo $MTA_ALARM_STATE $MTA_ALARM_WHAT >> " + home.resolve("told"));
        causes.add(new AlarmCause("space", "", "", "new mail is refused", ""));
        pass(Duration.ofMinutes(1));
        assertThat(told()).containsExactly("raised space");
        causes.clear();
        pass(Duration.ofMinutes(5));
        assertThat(told()).containsExactly("raised space", "recovered space");
    }

    @Test
    void aProgramThatFailsIsTriedAgainMoreAndMoreSlowly() throws Exception {
        use("echo $MTA_ALARM_STATE >> " + home.resolve("tries") + "; [ -e " + home.resolve("works") + " ]");
        causes.add(new AlarmCause("space", "", "", "new mail is refused", ""));
        pass(Duration.ofMinutes(20));
        assertThat(Files.readAllLines(home.resolve("tries"))).hasSizeBetween(5, 9);
        causes.clear();
        Files.createFile(home.resolve("works"));
        pass(Duration.ofMinutes(30));
        assertThat(Files.readAllLines(home.resolve("tries"))).last().isEqualTo("recovered");
    }

    @Test
    void withoutAChannelNothingIsKept() throws Exception {
        causes.add(new AlarmCause("space", "", "", "new mail is refused", ""));
        pass(Duration.ofMinutes(1));
        assertThat(alarms.open()).isOne();
        use("echo $MTA_ALARM_STATE >> " + home.resolve("told"));
        pass(Duration.ofMinutes(1));
        assertThat(told()).isEmpty();
        causes.clear();
        pass(Duration.ofMinutes(5));
        assertThat(told()).containsExactly("recovered");
    }

    @Test
    void theThreadEndsAlthoughAProgramRuns() throws Exception {
        use("echo x >> " + home.resolve("told") + "; sleep 300");
        Alarms running = new Alarms("mx.example", () -> settings,
                () -> List.of(new AlarmCause("space", "", "", "new mail is refused", "")), () -> {
                    now = now.plusSeconds(60);
                    return now;
                }, Duration.ofMillis(10)).start();
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !told().isEmpty());
        running.close();
    }
}
