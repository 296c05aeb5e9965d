package org.slipstream.cli.run;

import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.ConsoleOperations.LinkView;
import org.slipstream.cli.frame.CliContext;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ProcessSignal;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.ServerStarter;
import org.slipstream.cli.log.LogOutput;
import org.slipstream.config.Config;
import org.slipstream.config.ConfigReader;
import org.slipstream.config.HostName;
import org.slipstream.config.ReadResult;
import org.slipstream.config.ServerSchema;
import org.slipstream.config.SettingsAgain;
import org.slipstream.settings.DefaultFile;
import org.slipstream.settings.Problem;
import org.slipstream.settings.SettingsSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// `run`: runs the server until a signal ends it.
@Command(header = "Starts the server.",
        description = {
                "The first start writes mta.toml with every setting and its default. When mail is accepted, one line says so on"
                        + " standard output:",
                "  ready smtp=127.0.0.1:2525 submission=127.0.0.1:2587 admin=/srv/mail/run/admin.sock",
                "The log goes to standard error. SIGTERM and SIGINT (Ctrl-C) stop the server in an orderly way: transfers in"
                        + " progress may finish, and the process ends after ten seconds at the latest."
                        + " SIGHUP reads the settings again, as mta reload does. SIGALRM tries all mail now, as mta queue flush does."},
        exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.CANNOT_START_TEXT, Exit.INTERNAL_TEXT,
                Exit.CONFIGURATION_TEXT},
        footer = {"  mta run", "  mta run --hello", "  mta --home /srv/mail run --set log.level=debug",
                "  mta run --set listen.smtp=127.0.0.1:0 --set routes.far.example=smtp:127.0.0.1:2599"})
public final class RunCommand implements MtaAction {
    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "a setting for this run that overrides mta.toml; may be repeated")
    private List<String> overrides = List.of();

    @Option(names = "--hello",
            description = "when ready, print a link that opens the console, send one message to the postmaster and print its"
                    + " file")
    private boolean hello;

    @Override
    public int run(MtaCommand mta) throws InterruptedException {
        CliContext world = mta.world();
        boolean written = writeDefaults(mta);
        Config config = LoadedConfig.read(mta.settings(), overrides);
        if (hello && config.listen().console().isEmpty()) {
            overrides = Stream.concat(overrides.stream(), Stream.of("listen.console=127.0.0.1:0")).toList();
            config = LoadedConfig.read(mta.settings(), overrides);
        }
        LogOutput.use(config.log());
        if (written) {
            // Fetched here, because logging costs start time that commands like --help do not need.
            LoggerFactory.getLogger(RunCommand.class).info("event=settings-written file={}",
                    mta.settings().file());
        }
        world.stopSignal().arm();
        int exit = Exit.INTERNAL;
        try {
            exit = serve(mta, world, config);
            return exit;
        } finally {
            world.stopSignal().done(exit);
        }
    }

    private int serve(MtaCommand mta, CliContext world, Config config) throws InterruptedException {
        return switch (world.starter().start(config, new FileAgain(mta.settings(), overrides),
                LogOutput.recent())) {
            case ServerStarter.Start.Refused refused -> {
                world.err().println("mta: " + refused.sentence());
                yield Exit.CANNOT_START;
            }
            case ServerStarter.Start.Started(ServerStarter.Running server) -> {
                Thread rest = HeapCollector.watch();
                ProcessSignal.flushAtAlarm(server.admin());
                ReadinessNotice notice = ReadinessNotice.ofEnvironment();
                ProcessSignal.reloadAtHangup(() -> reload(server, notice));
                try {
                    world.out().println("ready smtp=" + text(server.smtp()) + " submission="
                            + text(server.submission()) + " admin=" + server.admin() + further(server));
                    world.out().flush();
                    notice.ready();
                    if (hello) {
                        world.out().println("console: "
                                + RecordJson.read(ConsoleCommand.ask(mta, Optional.empty()), LinkView.class).url());
                        server.smtp().or(server::submission)
                                .ifPresent(new Hello(config, world.out(), world.err())::greet);
                    }
                    world.stopSignal().await();
                } finally {
                    rest.interrupt();
                    notice.stopping();
                    server.stop();
                }
                yield Exit.DONE;
            }
        };
    }

    private static void reload(ServerStarter.Running server, ReadinessNotice notice) {
        notice.reloading();
        try {
            server.reload("SIGHUP");
        } finally {
            // With a mistake in the settings the server goes on with the old ones.
            notice.ready();
        }
    }

    private record FileAgain(SettingsSource source, List<String> overrides) implements SettingsAgain {
        @Override
        public ReadResult read(List<String> changes) {
            // A start without a file uses every default; a running server had one.
            if (Files.notExists(source.file())) {
                return new ReadResult.Rejected(
                        List.of(new Problem(source.file().toString(), 0, "", "there is no such file",
                                Optional.empty())));
            }
            return ConfigReader.read(source, Stream.concat(overrides.stream(), changes.stream()).toList());
        }

        @Override
        public void inForce(Config settings) {
            LogOutput.use(settings.log());
        }
    }

    // Only when they are open, because scripts parse this line.
    private static String further(ServerStarter.Running server) {
        return server.furtherPorts().entrySet().stream()
                .map(port -> " " + port.getKey() + "=" + text(Optional.of(port.getValue())))
                .collect(Collectors.joining());
    }

    private static boolean writeDefaults(MtaCommand mta) {
        Path home = mta.home();
        try {
            return DefaultFile.writeIfMissing(mta.settings().file(), ServerSchema.SERVER, HostName.ofMachine());
        } catch (FileAlreadyExistsException | NotDirectoryException file) {
            throw new CommandFailure(Exit.CANNOT_START, "mta: the home " + home + " is not a folder", file);
        } catch (AccessDeniedException denied) {
            throw new CommandFailure(Exit.CANNOT_START, "mta: the home " + home + " is not writable", denied);
        } catch (IOException trouble) {
            throw new CommandFailure(Exit.CANNOT_START,
                    "mta: the home " + home + " cannot be written: " + trouble.getMessage(), trouble);
        }
    }

    public static String text(Optional<InetSocketAddress> address) {
        return address.map(a -> {
            String host = a.getAddress().getHostAddress();
            boolean six = host.contains(":");
            return (a.getAddress().isAnyLocalAddress() ? "*" : six ? "[" + host + "]" : host) + ":" + a.getPort();
        }).orElse("off");
    }
}
