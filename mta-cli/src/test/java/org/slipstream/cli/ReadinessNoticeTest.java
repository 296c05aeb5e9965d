package org.slipstream.cli;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.slipstream.cli.run.ReadinessNotice;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/// The notices as a service manager receives them: by the real `systemd-notify`, on a datagram
/// socket of Python, because Java has none.
class ReadinessNoticeTest {
    private static final String RECEIVER = """
            import socket, sys, time
            name = sys.argv[1]
            manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            manager.bind("\\0" + name[1:] if name.startswith("@") else name)
            manager.settimeout(60)
            print("bound", flush=True)
            while True:
                notice = manager.recv(4096).decode()
                if notice != "BARRIER=1":
                    print(notice.strip().replace("\\n", "|"), time.monotonic_ns() // 1000, sep="|", flush=True)
            """;

    @TempDir
    Path folder;
    private final Logger logger = (Logger) LoggerFactory.getLogger(ReadinessNotice.class);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(log);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachStateIsOneDatagramOnAnAbstractSocketOrAPath(boolean isAbstract) throws Exception {
        String socket = isAbstract ? "@" + folder : folder.resolve("notify").toString();
        ReadinessNotice notice = new ReadinessNotice(Optional.of(socket));
        Process manager = manager(socket);
        try (BufferedReader received = manager.inputReader()) {
            assertThat(received.readLine()).isEqualTo("bound");
            notice.ready();
            String[] ready = received.readLine().split("[|]");
            assertThat(ready).startsWith("READY=1", "STATUS=accepting mail").hasSize(3);
            notice.reloading();
            String[] reloading = received.readLine().split("[|=]");
            assertThat(reloading).startsWith("RELOADING", "1", "MONOTONIC_USEC").hasSize(5);
            assertThat(Long.parseLong(reloading[3])).as("the clock of systemd")
                    .isBetween(Long.parseLong(ready[2]), Long.parseLong(reloading[4]));
            notice.stopping();
            assertThat(received.readLine()).startsWith("STOPPING=1|STATUS=finishing transfers|");
            assertThat(log.list).isEmpty();
        } finally {
            manager.destroy();
        }
    }

    @Test
    void aManagerThatIsGoneIsAWarningAndTheServerGoesOn() throws Exception {
        Path socket = folder.resolve("notify");
        Process manager = manager(socket.toString());
        try (BufferedReader received = manager.inputReader()) {
            assertThat(received.readLine()).isEqualTo("bound");
        } finally {
            manager.destroy();
        }
        assertThat(manager.waitFor(30, TimeUnit.SECONDS)).isTrue();
        ReadinessNotice notice = new ReadinessNotice(Optional.of(socket.toString()));
        notice.ready();
        Files.delete(socket);
        notice.stopping();
        assertThat(log.list).extracting(ILoggingEvent::getFormattedMessage).satisfiesExactly(
                refused -> assertThat(refused).startsWith("event=readiness-not-told state=READY=1 "),
                missing -> assertThat(missing).startsWith("event=readiness-not-told state=STOPPING=1 "));
    }

    @Test
    void withoutAManagerNothingHappens() {
        ReadinessNotice notice = new ReadinessNotice(Optional.empty());
        notice.ready();
        notice.reloading();
        notice.stopping();
        assertThat(log.list).isEmpty();
    }

    private static Process manager(String socket) throws IOException {
        for (String program : List.of("python3", "systemd-notify")) {
            assumeThat(Stream.of(System.getenv("PATH").split(":"))
                    .anyMatch(bin -> Files.isExecutable(Path.of(bin, program)))).as(program).isTrue();
        }
        return new ProcessBuilder("python3", "-c", RECEIVER, socket).redirectError(Redirect.INHERIT).start();
    }
}
