package org.slipstream.cli;

import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ServerStarter;
import org.slipstream.cli.log.LogLevel;
import org.slipstream.config.Config;
import org.slipstream.settings.SettingsSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// `warm-up`: runs a temporary server that delivers some thousand messages while the JVM records,
/// and ends.
///
/// A JVM starts by loading classes and interpreting them, and compiles only frequently used code;
/// that is why the first thousands of messages cost twice as much as later ones. A JVM can take
/// over what another one recorded in a file (JEP 483, 514, 515): the launcher starts this command
/// with the option that writes the file, and every later `run` with the one that reads it. The file
/// fits one JDK and one build of the program; when either changes, the JVM ignores it and is as
/// slow as before.
@Command(header = "Makes later starts faster.",
        description = "Runs a server in a temporary folder, sends it mail over loopback for some seconds, and stores what the JVM has"
                + " recorded in a file beside the program. After that `run` is ready in half the time, and the"
                + " first messages cost less. The build does this, and `run` repeats it in the background when the"
                + " program or the JDK has been replaced; the server in ./var and its mail are not touched.",
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT, Exit.INTERNAL_TEXT},
        footer = "  mta warm-up")
final class WarmUpCommand implements MtaAction {
    private static final int MESSAGES = 12_000;
    /// On a slow machine the time may end with fewer messages. A cache of fewer messages is better
    /// than none.
    private static final int LEAST_MESSAGES = 1_000;
    /// They are in the queue when the server starts as after a kill, which is when its start matters most.
    private static final int WAITING = 200;

    /// In a file, so that the JVM also records the reading of one.
    private static final String SETTINGS = """
            [listen]
            smtp = "127.0.0.1:0"
            submission = "off"
            [routes]
            "*" = "smtp:127.0.0.1:%d"
            [limits]
            messages-per-connection = 1_000_000
            [queue]
            minimal-backoff = "1s"
            maximal-backoff = "1s"
            [log]
            level = "warn"
            """;

    @Option(names = "--commands", hidden = true,
            description = "run the operator's commands once; the launcher uses this")
    private boolean commands;

    @Override
    public int run(MtaCommand mta) throws IOException, InterruptedException {
        Path home = Files.createTempDirectory("slipstream-warm-up");
        try {
            return commands ? CommandWarmUp.play(mta.world(), home) : serve(mta, home);
        } finally {
            delete(home);
        }
    }

    private int serve(MtaCommand mta, Path home) throws IOException, InterruptedException {
        try (TestTraffic exercise = new TestTraffic()) {
            Files.writeString(home.resolve(SettingsSource.FILE), SETTINGS.formatted(exercise.port()));
            Config config = LoadedConfig.read(SettingsSource.in(home), List.of());
            LogLevel.set(config.log().level());
            int done = start(mta, config, server -> exercise(mta, exercise, server));
            if (done == Exit.DONE) {
                Files.deleteIfExists(home.resolve("spool/index.mv.db"));
                start(mta, config, _ -> {
                    exercise.awaitWaiting();
                    return Exit.DONE;
                });
            }
            return done;
        }
    }

    @FunctionalInterface
    private interface Work {
        int with(InetSocketAddress server) throws IOException, InterruptedException;
    }

    private static int start(MtaCommand mta, Config config, Work work) throws IOException, InterruptedException {
        return switch (mta.world().starter().start(config)) {
            case ServerStarter.Start.Refused refused -> {
                mta.world().err().println("mta: " + refused.sentence());
                yield Exit.CANNOT_START;
            }
            case ServerStarter.Start.Started(ServerStarter.Running server) -> {
                try {
                    yield work.with(server.smtp().orElseThrow());
                } finally {
                    server.stop();
                }
            }
        };
    }

    private static int exercise(MtaCommand mta, TestTraffic exercise, InetSocketAddress server)
            throws IOException, InterruptedException {
        long through = exercise.run(server, MESSAGES);
        exercise.leaveWaiting(server, WAITING);
        mta.world().out().println("warm-up: " + through + " messages delivered");
        return through >= LEAST_MESSAGES ? Exit.DONE : Exit.INTERNAL;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
