package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.ServerStarter;
import org.slipstream.config.Config;
import picocli.CommandLine;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// The commands that need no running server, and the exit codes of all commands.
class CliTest {
    @TempDir
    Path home;

    @Test
    void aCommandIsFoundByItsNameWhereverTheOptionsStand() {
        Console console = new Console(home);
        for (String[] line : new String[][]{{"queue", "--help"}, {"-h"}, {"queue", "list", "-h"},
                {"destdb", "suspend", "--help"}, {"status", "--help"}}) {
            assertThat(console.run(line).exit()).as(String.join(" ", line)).isZero();
        }
        assertThat(console.run("status", "--help").out()).contains("Usage: mta status");
        assertThat(console.run("--help", "status").out()).as("all of them").contains("queue", "completion", "spool");
        assertThat(console.run("queue", "--help").out()).contains("list", "count", "delete", "release");
        assertThat(console.run("queue", "lits").err()).contains("did you mean", "list");
        assertThat(console.run("statsu").err()).contains("did you mean", "status");
        assertThat(console.run("completion").out()).contains("golden", "passwd", "suspend");
    }

    @Test
    void everyCommandHasHelpWithAnExampleAndItsExitCodes() {
        Console console = new Console(home);
        for (String command : List.of("run", "check", "send", "queue list", "queue count", "queue show", "queue flush",
                "queue hold",
                "queue release", "queue delete", "queue", "spool verify", "spool repair", "spool export",
                "spool import", "spool corrupt", "spool corrupt list", "spool corrupt report",
                "spool corrupt forget", "spool", "status", "completion", "")) {
            List<String> words = new ArrayList<>(command.isEmpty() ? List.of() : List.of(command.split(" ")));
            words.add("--help");
            Console.Ran ran = console.run(words.toArray(String[]::new));
            assertThat(ran.exit()).as(command).isZero();
            assertThat(ran.out()).as(command).contains("Usage: mta", "Exit codes:")
                    .containsPattern("(?s)Examples:\n  .*\\bmta ")
                    .doesNotContain("\u001b");
        }
    }

    @Test
    void theVersionIsShown() {
        assertThat(new Console(home).run("--version").out()).startsWith("Slipstream MTA ");
    }

    @Test
    void wrongUsageIsOneSentenceAndExitCode2() {
        Console console = new Console(home);
        assertThat(console.run("explain").exit()).isEqualTo(2);
        assertThat(console.run("explain").err()).contains("ID, --destination, --host or --sender");
        Console.Ran unknown = console.run("unknown", "--help");
        assertThat(unknown.exit()).isEqualTo(2);
        assertThat(unknown.err()).contains("unknown command 'unknown'").doesNotContain("Commands:");
        assertThat(console.run("queue", "lsit").err()).contains("did you mean list?").doesNotContain("priority");
        assertThat(console.run("queue", "--help").exit()).isZero();
        Console.Ran ran = console.run("queue", "lst");
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(ran.err().lines()).singleElement().asString().contains("'lst'", "did you mean list?",
                "mta queue --help");
        assertThat(console.run("rnu").exit()).isEqualTo(2);
        assertThat(console.run("queue", "show").exit()).isEqualTo(2);
        assertThat(console.run("queue", "list", "--limit", "many").exit()).isEqualTo(2);
        assertThat(console.run().exit()).isEqualTo(2);
        assertThat(console.run("queue").exit()).isEqualTo(2);
        assertThat(console.run("spool").exit()).isEqualTo(2);
        assertThat(console.run("spool", "corrupt").exit()).isEqualTo(2);
        assertThat(console.run("spool", "corrupt", "report").err()).contains("queue ids or --all");
        for (String shard : List.of("x", "7", "here")) {
            assertThat(console.run("spool", "verify", "--shard", shard).exit()).as(shard).isEqualTo(2);
        }
        assertThat(console.run("spool", "verify", "--shard", "here").err()).contains("kept no mail", "spool-here");
    }

    /// The JVM's own codes, such as 134 after an OutOfMemoryError, must not be among them.
    @Test
    void theUnitStartsTheServerAgainExceptAfterMistakesOfItsOperator() throws IOException {
        assertThat(Files.readAllLines(Path.of("../build/packaging/slipstream.service")))
                .contains("RestartPreventExitStatus=" + Exit.USAGE + " " + Exit.CONFIGURATION);
    }

    @Test
    void theHomeMayBeNamedAfterTheCommandToo() throws IOException {
        Path other = Files.createDirectory(home.resolve("other"));
        Files.writeString(other.resolve("mta.toml"), "nonsense = 1\n");
        CommandLine line = Cli.commandLine(new Console(home).world());
        assertThat(line.execute("check", "--home", other.toString())).isEqualTo(78);
    }

    @Test
    void checkTellsEveryMistakeWithItsLine() throws IOException {
        Console console = new Console(home);
        assertThat(console.run("check").exit()).isZero();
        assertThat(console.run("check").out()).contains("there is no " + home.resolve("mta.toml"));
        Files.writeString(home.resolve("mta.toml"), "[limits]\nmesage-size = 1\nhops = \"x\"\n");
        Console.Ran ran = console.run("check", "--set", "queue.lane=1");
        assertThat(ran.exit()).isEqualTo(78);
        assertThat(ran.err().lines()).hasSize(3).first().isEqualTo(
                "mta.toml:2: unknown key \"limits.mesage-size\"; did you mean \"message-size\"?");
        Files.writeString(home.resolve("mta.toml"), "[limits]\nmessage-size = 2000\n");
        assertThat(console.run("check").exit()).isZero();
        assertThat(console.run("check").out()).contains("no mistakes");
        console.starter = finding(List.of(), List.of("users:2: nobody reads this"));
        assertThat(console.run("check"))
                .isEqualTo(new Console.Ran(1, "", "users:2: nobody reads this" + System.lineSeparator()));
        console.starter = finding(List.of("mta.toml:3: wrong"), List.of("users:2: nobody reads this"));
        assertThat(console.run("check").exit()).isEqualTo(78);
        assertThat(console.run("check").err().lines()).containsExactly("mta.toml:3: wrong",
                "users:2: nobody reads this");
        try (var files = Files.list(home)) {
            assertThat(files).as("check writes nothing").hasSize(1);
        }
    }

    @Test
    void theCompletionScriptKnowsTheCommands() {
        Console.Ran ran = new Console(home).run("completion");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).startsWith("#!/usr/bin/env bash").contains("release", "--domain",
                "count", "--older-than", "--dry-run");
    }

    @Test
    void runSaysWhenMailIsAcceptedAndStopsTheServerAtTheEnd() {
        FakeServer server = new FakeServer();
        Console console = new Console(home);
        console.starter = config -> {
            server.config = Optional.of(config);
            return new ServerStarter.Start.Started(server);
        };
        List<String> signals = new ArrayList<>();
        console.stopSignal = signal(signals, () -> assertThat(server.stopped).isFalse());
        Console.Ran ran = console.run("run", "--set", "hostname=mail.here.example", "--set", "log.level=error");
        assertThat(ran.exit()).isZero();
        assertThat(ran.out()).isEqualTo(
                "ready smtp=127.0.0.1:40001 submission=off admin=/srv/mail/run/admin.sock" + System.lineSeparator());
        assertThat(server.stopped).isTrue();
        assertThat(server.config.orElseThrow().hostname()).isEqualTo("mail.here.example");
        assertThat(home.resolve("mta.toml")).isNotEmptyFile();
        assertThat(signals).containsExactly("armed", "awaited", "done 0");
    }

    @Test
    void aServerThatCannotStartIsOneSentenceAndExitCode5() {
        Console console = new Console(home);
        console.starter = _ -> new ServerStarter.Start.Refused("port 2525 is taken");
        Console.Ran ran = console.run("run", "--set", "log.level=warn");
        assertThat(ran.exit()).isEqualTo(5);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err().lines()).containsExactly("mta: port 2525 is taken");
    }

    @Test
    void wrongSettingsStartNothing() throws IOException {
        Files.writeString(home.resolve("mta.toml"), "nonsense = 1\n");
        Console console = new Console(home);
        console.starter = _ -> {
            throw new AssertionError("started");
        };
        assertThat(console.run("run").exit()).isEqualTo(78);
    }

    @Test
    void aHomeThatIsAFileIsExitCode5() throws IOException {
        Path file = Files.writeString(home.resolve("file"), "I am a file");
        Console.Ran ran = new Console(file).run("run");
        assertThat(ran.exit()).isEqualTo(5);
        assertThat(ran.err().lines()).singleElement().asString().contains(file.toString());
        assertThat(new Console(file.resolve("deeper")).run("run").exit()).isEqualTo(5);
    }

    @Test
    void anUnexpectedFailureIsExitCode70AndShowsMoreOnRequestOnly() {
        Console console = new Console(home);
        console.starter = _ -> {
            throw new IllegalStateException("the impossible");
        };
        Console.Ran quiet = console.run("run", "--set", "log.level=warn");
        assertThat(quiet.exit()).isEqualTo(70);
        assertThat(quiet.err().lines()).singleElement().asString().contains("the impossible");
        Console.Ran loud = console.run("run", "-v", "--set", "log.level=warn");
        assertThat(loud.err()).contains("\tat ");
    }

    private static CliContext.StopSignal signal(List<String> seen, Runnable whileWaiting) {
        return new CliContext.StopSignal() {
            @Override
            public void arm() {
                seen.add("armed");
            }

            @Override
            public void await() {
                seen.add("awaited");
                whileWaiting.run();
            }

            @Override
            public void done(int exit) {
                seen.add("done " + exit);
            }
        };
    }

    private static ServerStarter finding(List<String> mistakes, List<String> remarks) {
        return new ServerStarter() {
            @Override
            public Start start(Config config) {
                return new Start.Refused("there is no server in this test");
            }

            @Override
            public Findings examine(Config config) {
                return new Findings(mistakes, remarks);
            }
        };
    }

    private static final class FakeServer implements ServerStarter.Running {
        private Optional<Config> config = Optional.empty();
        private boolean stopped;

        @Override
        public Optional<InetSocketAddress> smtp() {
            return Optional.of(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 40001));
        }

        @Override
        public Optional<InetSocketAddress> submission() {
            return Optional.empty();
        }

        @Override
        public Path admin() {
            return Path.of("/srv/mail/run/admin.sock");
        }

        @Override
        public void stop() {
            stopped = true;
        }
    }
}
