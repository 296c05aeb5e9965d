package org.slipstream.cli;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.admin.AdminServer;
import org.slipstream.admin.AdminSocket;
import org.slipstream.admin.fake.FakeHosts;
import org.slipstream.admin.fake.FakeSuspensions;
import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.ServerStarter;
import org.slipstream.cli.run.ProcessStop;

import java.io.BufferedReader;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// The behaviour that a supervisor sees: a real process, a real SIGTERM (by its handle:
/// Process.destroy would close our pipes as well).
class ProcessStopTest {
    @TempDir
    Path home;

    @Test
    @Tag("IM-30")
    void sigtermStopsTheServerInAnOrderlyWayAndEndsWithZero() throws Exception {
        Process process = start("starts");
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).startsWith("ready ");
            process.toHandle().destroy();
            assertThat(out.readLine()).isEqualTo("stopped");
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void aServerThatCouldNotStartEndsAtOnceWithItsOwnCode() throws Exception {
        Process process = start("refuses");
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(5);
    }

    @Test
    void aSignalDuringTheStartWaitsForItAndStopsThen() throws Exception {
        Process process = start("waits");
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).isEqualTo("starting");
            process.toHandle().destroy();
            // The signal may come before or after these words and is not lost.
            process.outputWriter().append("go on\n").flush();
            assertThat(out.readLine()).startsWith("ready ");
            assertThat(out.readLine()).isEqualTo("stopped");
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    @Tag("IM-30")
    void aHangupReadsTheSettingsAgainAndTheServerGoesOn() throws Exception {
        Process process = start("starts");
        try (BufferedReader out = process.inputReader(); BufferedReader err = process.errorReader()) {
            assertThat(out.readLine()).startsWith("ready ");
            hangUp(process);
            assertThat(err.lines().filter(line -> line.contains("event=signal ")).findFirst().orElse("it ended"))
                    .contains("signal=HUP action=reload", "read again");
            assertThat(process.isAlive()).isTrue();
            process.toHandle().destroy();
            assertThat(out.readLine()).isEqualTo("stopped");
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void systemdIsToldOfTheStartTheReloadAndTheStop() throws Exception {
        Path program = Files.writeString(home.resolve("systemd-notify"), "#!/bin/sh\necho \"$NOTIFY_SOCKET: $1\"\n");
        assertThat(program.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder(java("starts"));
        builder.environment().put("NOTIFY_SOCKET", "@systemd");
        builder.environment().merge("PATH", home.toString(), (path, first) -> first + ":" + path);
        Process process = builder.redirectError(Redirect.INHERIT).start();
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).startsWith("ready ");
            assertThat(out.readLine()).isEqualTo("@systemd: READY=1");
            hangUp(process);
            assertThat(out.readLine()).isEqualTo("@systemd: RELOADING=1");
            assertThat(out.readLine()).isEqualTo("@systemd: READY=1");
            process.toHandle().destroy();
            assertThat(out.readLine()).isEqualTo("@systemd: STOPPING=1");
            assertThat(out.readLine()).isEqualTo("stopped");
        }
    }

    /// `nohup` starts its program so. The server must not handle the terminal's end again.
    @Test
    @EnabledOnOs(OS.LINUX)
    void aHangupThatTheParentIgnoresStaysIgnored() throws Exception {
        List<String> nohup = new ArrayList<>(List.of("sh", "-c", "trap '' HUP; exec \"$@\"", "sh"));
        nohup.addAll(java("starts"));
        Process process = new ProcessBuilder(nohup).redirectError(Redirect.INHERIT).start();
        try (BufferedReader out = process.inputReader()) {
            assertThat(out.readLine()).startsWith("ready ");
            String ignored = Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                    .filter(line -> line.startsWith("SigIgn:")).findFirst().orElseThrow();
            assertThat(Long.parseUnsignedLong(ignored.substring(7).strip(), 16) & 1).as(ignored).isEqualTo(1);
            hangUp(process);
            process.toHandle().destroy();
            assertThat(out.readLine()).isEqualTo("stopped");
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    @Tag("IM-30")
    void anAlarmTriesAllMailNowAndTheServerGoesOn() throws Exception {
        FakeQueue queue = new FakeQueue();
        try (AdminServer api = AdminServer.bind(AdminSocket.in(home))) {
            api.serve(queue, new FakeHosts(), new FakeSuspensions(), _ -> Optional.empty());
            Process process = start("starts");
            try (BufferedReader out = process.inputReader(); BufferedReader err = process.errorReader()) {
                assertThat(out.readLine()).startsWith("ready ");
                signal("ALRM", process);
                assertThat(err.lines().filter(line -> line.contains("event=signal")).findFirst().orElse("it ended"))
                        .contains("signal=ALRM action=flush", "reply=200");
                assertThat(queue.orders).containsExactly("flush everything");
                assertThat(process.isAlive()).isTrue();
                process.toHandle().destroy();
                assertThat(out.readLine()).isEqualTo("stopped");
            }
        }
    }

    private static void hangUp(Process process) throws Exception {
        signal("HUP", process);
    }

    private static void signal(String name, Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor()).isZero();
    }

    private Process start(String how) throws Exception {
        return new ProcessBuilder(java(how)).start();
    }

    private List<String> java(String how) {
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), Program.class.getName(), how,
                home.toString());
    }

    /// [org.slipstream.server.Main] with another server.
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            CliContext world = new CliContext(System.in, System.out, System.err,
                    _ -> serve(arguments[0], Path.of(arguments[1])),
                    new Console.NoServer(), new ProcessStop());
            System.exit(Cli.execute(world, "--home", arguments[1], "run", "--set", "log.level=info"));
        }

        private static ServerStarter.Start serve(String how, Path home) {
            if (how.equals("refuses")) {
                return new ServerStarter.Start.Refused("no");
            }
            if (how.equals("waits")) {
                System.out.println("starting");
                new java.util.Scanner(System.in).nextLine();
            }
            return new ServerStarter.Start.Started(new Server(home));
        }
    }

    private record Server(Path home) implements ServerStarter.Running {
        @Override
        public Optional<InetSocketAddress> smtp() {
            return Optional.empty();
        }

        @Override
        public Optional<InetSocketAddress> submission() {
            return Optional.empty();
        }

        @Override
        public Path admin() {
            return AdminSocket.in(home);
        }

        @Override
        public void stop() {
            System.out.println("stopped");
        }
    }
}
