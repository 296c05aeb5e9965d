package org.slipstream.server;

import org.slipstream.cli.Cli;
import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.ServerStarter;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The command line as [Main] makes it, in this JVM. It starts no server.
final class Shell {
    record Ran(int exit, String out, String err) {}

    private final Path home;

    Shell(Path home) {
        this.home = home;
    }

    Ran run(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--home", home.toString()));
        all.addAll(List.of(arguments));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exit = Cli.execute(world(out, err), all.toArray(String[]::new));
        return new Ran(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }

    static CliContext world(ByteArrayOutputStream out, ByteArrayOutputStream err) {
        return new CliContext(InputStream.nullInputStream(), new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                _ -> new ServerStarter.Start.Refused("there is no server in this test"), new Main.Stopped(),
                new NoSignal());
    }

    private static final class NoSignal implements CliContext.StopSignal {
        @Override
        public void arm() {
            // No signal comes.
        }

        @Override
        public void await() {
            // No command waits for it.
        }

        @Override
        public void done(int exit) {
            // No thread waits.
        }
    }
}
