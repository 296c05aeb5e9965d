package org.slipstream.monitor.alarm;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.monitor.alarm.AlarmNotice.NoticeKind;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CommandChannelTest {
    private static final String STRANGE = "\"; touch /tmp/x; $(id) `id` \n\u0000ü" + "y".repeat(5_000);

    @TempDir
    Path home;

    private CommandChannel channel(String script, Duration limit) throws IOException {
        Path program = Files.writeString(home.resolve("alarm"), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return new CommandChannel(program, "mx.example", limit);
    }

    private static AlarmNotice notice(String reason) {
        return new AlarmNotice(NoticeKind.RAISED, new AlarmCause("index", "shard 2", "2026-11-27T03:00:00Z",
                "mail is accepted", reason), Instant.parse("2026-11-27T03:00:20Z"));
    }

    @Test
    void theProgramGetsTheFactsAsJsonAndAFixedEnvironment() throws Exception {
        Path facts = home.resolve("facts");
        channel("cat > " + facts + "; env | sort > " + home.resolve("env") + "; echo $# >> " + home.resolve("env"),
                Duration.ofSeconds(20)).send(notice("connection refused"));
        assertThat(facts)
                .hasContent("{\"text\":\"mx.example: index of shard 2: mail is accepted (connection refused)\","
                        + "\"state\":\"raised\",\"what\":\"index\",\"subject\":\"shard 2\",\"hostname\":\"mx.example\","
                        + "\"since\":\"2026-11-27T03:00:00Z\",\"at\":\"2026-11-27T03:00:20Z\","
                        + "\"meaning\":\"mail is accepted\",\"reason\":\"connection refused\"}");
        assertThat(Files.readAllLines(home.resolve("env"))).contains("MTA_ALARM_STATE=raised", "MTA_ALARM_WHAT=index",
                "LANG=C.UTF-8").last().isEqualTo("0");
        assertThat(Files.readString(home.resolve("env"))).doesNotContain("HOME=", "JAVA");
    }

    @Test
    void textOfAStrangerIsDataOfABoundedLength() throws Exception {
        Path facts = home.resolve("facts");
        channel("cat > " + facts, Duration.ofSeconds(20)).send(notice(STRANGE));
        String json = Files.readString(facts);
        assertThat(json.lines()).hasSize(1);
        assertThat(json.length()).isLessThan(4 * AlarmNotice.MOST_TEXT);
        assertThat(json).contains("$(id) `id` \\n\\u0000ü");
    }

    @Test
    void aProgramThatFailsOrDoesNotExistIsAFailureWithTheBeginningOfItsOutput() throws Exception {
        assertThatThrownBy(() -> channel("echo no route >&2; exit 3", Duration.ofSeconds(20)).send(notice("x")))
                .isInstanceOf(IOException.class).hasMessage("it ended with 3: no route");
        assertThatThrownBy(() -> channel("yes | head -c 1000000; exit 1", Duration.ofSeconds(20)).send(notice("x")))
                .isInstanceOf(IOException.class).message().hasSizeLessThan(2 * CommandChannel.MOST_OUTPUT + 50);
        assertThatThrownBy(() -> new CommandChannel(home.resolve("none"), "h").send(notice("x")))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aProgramThatDoesNotEndIsKilledWithItsChildren() throws Exception {
        Path child = home.resolve("child");
        // On a busy machine the first limit may be over before the child runs.
        for (Duration limit = Duration.ofMillis(500); child.toFile().length() == 0; limit = limit.multipliedBy(10)) {
            CommandChannel channel = channel("sleep 300 & echo $! > " + child + "; wait", limit);
            assertThatThrownBy(() -> channel.send(notice("x"))).isInstanceOf(IOException.class)
                    .hasMessageContaining("did not end within");
        }
        long pid = Long.parseLong(Files.readString(child).strip());
        // Where process 1 reaps no orphans, it stays as a zombie, which has no arguments.
        Awaitility.await().atMost(Duration.ofSeconds(60))
                .until(() -> ProcessHandle.of(pid).flatMap(each -> each.info().arguments()).isEmpty());
    }

    @Test
    void aChildThatStaysHoldsNothingUp() throws Exception {
        Path child = home.resolve("child");
        channel("sleep 300 & echo $! > " + child + "; exit 0", Duration.ofSeconds(20)).send(notice("x"));
        ProcessHandle.of(Long.parseLong(Files.readString(child).strip())).ifPresent(ProcessHandle::destroyForcibly);
    }
}
