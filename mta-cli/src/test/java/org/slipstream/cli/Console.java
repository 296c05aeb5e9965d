package org.slipstream.cli;

import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.ServerStarter;
import org.slipstream.cli.frame.StoppedServer;
import org.slipstream.config.Config;
import org.slipstream.spool.Spool;
import org.slipstream.spool.tools.SpoolTools;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// Calls the command line as a shell would, but in this JVM.
final class Console {
    record Ran(int exit, String out, String err) {}

    private final Path home;
    ServerStarter starter = _ -> new ServerStarter.Start.Refused("there is no server in this test");
    CliContext.StopSignal stopSignal = new NoSignal();
    byte[] input = new byte[0];

    Console(Path home) {
        this.home = home;
    }

    Ran run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--home", home.toString()));
        all.addAll(List.of(arguments));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        CliContext world = new CliContext(new ByteArrayInputStream(input),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8), starter, new NoServer(), stopSignal);
        int exit = Cli.execute(world, all.toArray(String[]::new));
        return new Ran(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /// Without input, and with output that is discarded.
    CliContext world() {
        PrintStream nowhere = new PrintStream(java.io.OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        return new CliContext(new ByteArrayInputStream(input), nowhere, nowhere, starter, new NoServer(), stopSignal);
    }

    static final class NoServer implements StoppedServer {
        @Override
        public SpoolTools.CorruptOrder lostMailReports(Config config) {
            return (_, _) -> false;
        }

        @Override
        public List<ShapeRow> shape(Spool spool, ShapeBy by, Spool.CommonRecords common) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SequencedMap<String, String> reportTemplates() {
            return new LinkedHashMap<>(Map.of("failed", "a text"));
        }
    }

    /// A signal that arrives as soon as a thread waits for it.
    private static final class NoSignal implements CliContext.StopSignal {
        @Override
        public void arm() {
            // No input to read.
        }

        @Override
        public void await() {
            // The signal has arrived.
        }

        @Override
        public void done(int exit) {
            // No thread waits.
        }
    }
}
