package org.slipstream.server.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
                new PrintStream(err, true, StandardCharsets.UTF_8), starter, _ -> (_, _) -> false, stopSignal);
        int exit = Cli.execute(world, all.toArray(String[]::new));
        return new Ran(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    /// Without input, and with output that is discarded.
    CliContext world() {
        PrintStream nowhere = new PrintStream(java.io.OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        return new CliContext(new ByteArrayInputStream(input), nowhere, nowhere, starter, _ -> (_, _) -> false,
                stopSignal);
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
