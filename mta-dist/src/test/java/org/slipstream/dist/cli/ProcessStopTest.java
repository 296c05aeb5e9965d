package org.slipstream.dist.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/// What a supervisor sees: a real process, a real SIGTERM (by its handle: Process.destroy would close our pipes as well).
class ProcessStopTest {
    @TempDir
    Path home;

    @Test
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
            // Whether the signal comes before or after these words: it is not lost.
            process.outputWriter().append("go on\n").flush();
            assertThat(out.readLine()).startsWith("ready ");
            assertThat(out.readLine()).isEqualTo("stopped");
        }
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    private Process start(String how) throws Exception {
        return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto",
                "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), Program.class.getName(), how,
                home.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /// [org.slipstream.dist.Main] with another server.
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            World world = new World(System.in, System.out, System.err, _ -> serve(arguments[0]), new ProcessStop());
            System.exit(Cli.execute(world, "--home", arguments[1], "run", "--set", "log.level=error"));
        }

        private static ServerStarter.Start serve(String how) {
            if (how.equals("refuses")) {
                return new ServerStarter.Start.Refused("no");
            }
            if (how.equals("waits")) {
                System.out.println("starting");
                new java.util.Scanner(System.in).nextLine();
            }
            return new ServerStarter.Start.Started(new Server());
        }
    }

    private static final class Server implements ServerStarter.Running {
        @Override
        public Optional<InetSocketAddress> smtp() {
            return Optional.empty();
        }

        @Override
        public Optional<InetSocketAddress> submission() {
            return Optional.empty();
        }

        @Override
        public InetSocketAddress admin() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }

        @Override
        public void stop() {
            System.out.println("stopped");
        }
    }
}
