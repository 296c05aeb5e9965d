package org.slipstream.cli.frame;

import org.slipstream.settings.SettingsSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;

/// The root of all commands, with their common options.
@Command(synopsisSubcommandLabel = "COMMAND", header = "A mail server.",
        description = "All files of a server are in its home folder: settings (mta.toml), queue, mailboxes. Several servers run side"
                + " by side in folders of their own.",
        exitCodeList = {Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT, Exit.CANNOT_START_TEXT,
                Exit.INTERNAL_TEXT, Exit.CONFIGURATION_TEXT},
        footer = {"  mta run                                        start a server in ./var",
                "  mta send --from me@localhost --to user@localhost --subject Hello --text 'It works.'",
                "  mta queue list                                 waiting mail, and why it waits",
                "  mta --home /srv/mail check                     all mistakes in /srv/mail/mta.toml"})
public final class MtaCommand implements CommandGroup {
    @Option(names = "--home", paramLabel = "DIR", defaultValue = "${env:SLIPSTREAM_HOME:-var}",
            scope = ScopeType.INHERIT,
            description = "the server's folder (default: the environment variable SLIPSTREAM_HOME, then ./var)")
    private Path home;

    @Option(names = "--config", paramLabel = "FILE", scope = ScopeType.INHERIT,
            description = "the file of settings (default: the environment variable SLIPSTREAM_CONFIG, then mta.toml in the"
                    + " home folder)")
    private Optional<Path> config = Optional.empty();

    @Option(names = "--socket", paramLabel = "FILE", scope = ScopeType.INHERIT,
            description = "the server's socket for the group (admin.group-socket; default: the owner's, in the home"
                    + " folder)")
    private Optional<Path> socket = Optional.empty();

    @Option(names = "--token-file", paramLabel = "FILE", scope = ScopeType.INHERIT,
            description = "a file with a token for the server (default: the environment variable SLIPSTREAM_TOKEN)")
    private Optional<Path> tokenFile = Optional.empty();

    @Option(names = {"-v",
            "--verbose"}, scope = ScopeType.INHERIT, description = "with internal errors, show where they happened")
    private boolean verbose;

    @Spec
    private CommandSpec spec;

    private static final Path INSTALLED = Path.of("/var/lib/slipstream");

    private final CliContext world;

    /// Arguments that the command itself reads.
    private final List<String> rest;

    private final ToIntFunction<String[]> commandLine;

    /// @param commandLine runs other commands
    public MtaCommand(CliContext world, List<String> rest, ToIntFunction<String[]> commandLine) {
        this.commandLine = commandLine;
        this.world = world;
        this.rest = rest;
    }

    public List<String> rest() {
        return rest;
    }

    /// Runs another command for the same server.
    public int run(String... words) {
        List<String> all = new ArrayList<>(List.of("--home", installedHome().toString()));
        socket.ifPresent(file -> all.addAll(List.of("--socket", file.toString())));
        tokenFile.ifPresent(file -> all.addAll(List.of("--token-file", file.toString())));
        config.ifPresent(file -> all.addAll(List.of("--config", file.toString())));
        all.addAll(List.of(words));
        return commandLine.applyAsInt(all.toArray(String[]::new));
    }

    /// The home for a program that users call in any folder: that of a package, when none is named.
    public Path installedHome() {
        return home.equals(Path.of("var")) && Files.isDirectory(INSTALLED) ? INSTALLED : home();
    }

    public Path home() {
        return home.toAbsolutePath().normalize();
    }

    /// The file of settings, and the settings that the environment adds.
    public SettingsSource settings() {
        Optional<Path> named = config.or(() -> environment("SLIPSTREAM_CONFIG").map(Path::of));
        named.filter(file -> !Files.exists(file)).ifPresent(MtaCommand::refuseMissing);
        return new SettingsSource(home(), named.orElseGet(() -> home().resolve(SettingsSource.FILE)),
                environment(SettingsSource.VARIABLE).map(text -> text.lines().toList()).orElse(List.of()));
    }

    /// Without its settings a server would run as an unconfigured one.
    private static void refuseMissing(Path file) {
        throw new CommandFailure(Exit.CONFIGURATION, "mta: there is no " + file
                + ", the file of settings that --config or SLIPSTREAM_CONFIG names");
    }

    private static Optional<String> environment(String variable) {
        return Optional.ofNullable(System.getenv(variable)).filter(value -> !value.isBlank());
    }

    Optional<Path> socket() {
        return socket;
    }

    /// The token for the server; empty when the owner's rights are meant.
    Optional<String> token() {
        if (tokenFile.isEmpty()) {
            return environment("SLIPSTREAM_TOKEN").map(String::strip);
        }
        try {
            return Optional.of(Files.readString(tokenFile.get()).strip());
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.NO, "mta: the token file " + tokenFile.get() + " cannot be read: "
                    + unreadable, unreadable);
        }
    }

    public boolean isVerbose() {
        return verbose;
    }

    public CliContext world() {
        return world;
    }

    /// The command that the arguments name.
    public CommandLine chosen() {
        return spec.commandLine().getParseResult().asCommandLineList().getLast();
    }
}
