package org.slipstream.server;

import org.slipstream.server.cli.Cli;
import org.slipstream.server.cli.CliContext;
import org.slipstream.server.cli.ProcessStop;
import org.slipstream.server.cli.ServerStarter;
import org.slipstream.server.config.Config;
import org.slipstream.server.config.SettingsAgain;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// The process: starts the command line and gives it the server.
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        CliContext world = new CliContext(System.in, utf8(FileDescriptor.out), utf8(FileDescriptor.err), new Starter(),
                LostMail::reports, new ProcessStop());
        int exit = Cli.execute(world, arguments);
        world.out().flush();
        world.err().flush();
        System.exit(exit);
    }

    /// Mail addresses and JSON are UTF-8, whatever locale is set; containers often have none.
    private static PrintStream utf8(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /// Apart from [LostMail], the only place that loads the server's classes.
    private static final class Starter implements ServerStarter {
        @Override
        public Start start(Config config) {
            return start(config, SettingsAgain.of(config));
        }

        @Override
        public Start start(Config config, SettingsAgain source) {
            DeadThreads.watch();
            try {
                return new Start.Started(new RunningServer(Server.start(config, source)));
            } catch (StartFailure failure) {
                return new Start.Refused(String.valueOf(failure.getMessage()));
            }
        }

        @Override
        public Findings examine(Config config) {
            Preparation looked = Preparation.toCheck(config);
            return new Findings(looked.mistakes(), looked.remarks());
        }
    }

    private record RunningServer(Server server) implements ServerStarter.Running {
        @Override
        public Optional<InetSocketAddress> smtp() {
            return server.smtp();
        }

        @Override
        public Optional<InetSocketAddress> submission() {
            return server.submission();
        }

        @Override
        public Map<String, InetSocketAddress> furtherPorts() {
            return server.furtherPorts();
        }

        @Override
        public Path admin() {
            return server.admin();
        }

        @Override
        public void reload(String author) {
            server.reload(author);
        }

        @Override
        public void stop() {
            server.close();
        }
    }
}
