package org.slipstream.server.cli;

import org.slipstream.admin.SuspensionOperations.SuspensionView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;

/// `suspend`: mail of one kind waits. `suspend list` shows what is suspended, `resume` ends it.
@Command(name = "suspend", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Suspends the mail of a destination, sender, transport or host.", descriptionHeading = "%n",
        description = {
                "Its mail waits in the queue without attempts until the end, or until `resume`. Deliveries in progress are"
                        + " finished, new mail is accepted. A restart keeps it."},
        parameterListHeading = "%nParameters:%n", optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT},
        footerHeading = "%nExamples:%n", footer = {
                "  ./mta suspend destination example.org --reason 'their disk is full' --until 2h",
                "  ./mta suspend sender '*@lists.example.org' --reason 'complaints'",
                "  ./mta suspend transport smtp --reason 'the line is down'",
                "  ./mta suspend host 192.0.2.1 --reason 'asked by their postmaster' --for 1d",
                "  ./mta suspend list"})
final class SuspendCommand implements Callable<Integer> {
    /// What `suspend` and `resume` act on.
    enum SuspensionKind {
        DESTINATION, DOMAIN, SENDER, TRANSPORT, HOST;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Done(String done, List<String> names) {}

    @Parameters(index = "0", arity = "0..1", paramLabel = "KIND",
            description = "one of ${COMPLETION-CANDIDATES}; a domain of recipients is a destination")
    private Optional<SuspensionKind> kind = Optional.empty();

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME",
            description = "a next hop or domain, an address or `<>`, a transport, or a host as in `destdb list`;"
                    + " `*` in a domain or an address matches any text")
    private String name = "";

    @Mixin
    private SuspensionOptions options;

    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    SuspendCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        SuspensionKind of = complete(spec, kind, name);
        return give(mta, "suspensions/suspend?" + query(of, name) + "&" + options.query(), "suspended", of,
                new CommandFailure(Exit.NO, "mta: no known host has this name, and it is not an address: " + name
                        + " (./mta destdb list shows the known hosts; ./mta suspend destination takes a domain)"));
    }

    private static SuspensionKind complete(CommandSpec spec, Optional<SuspensionKind> kind, String name) {
        return kind.filter(_ -> !name.isBlank()).orElseThrow(() -> new ParameterException(spec.commandLine(),
                "missing parameters: KIND NAME, such as destination example.org"));
    }

    private static String query(SuspensionKind kind, String name) {
        return "kind=" + kind.word() + "&name=" + DestdbCommand.encoded(name);
    }

    private static int give(MtaCommand mta, String path, String word, SuspensionKind kind, CommandFailure unknown) {
        try (AdminClient server = AdminClient.of(mta.home())) {
            String body = server.ask("POST", path).orElseThrow(() -> unknown);
            RecordJson.read(body, Done.class).names()
                    .forEach(each -> mta.world().out().println(word + " " + kind.word() + " " + each));
        }
        return Exit.DONE;
    }

    @Command(name = "list", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Lists what is suspended, and why.", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {
                    "  ./mta suspend list", "  ./mta suspend list --json | jq '.suspensions[].name'"})
    static final class SuspensionListing implements Callable<Integer> {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private final MtaCommand mta;

        SuspensionListing(MtaCommand mta) {
            this.mta = mta;
        }

        private record Found(List<SuspensionView> suspensions) {}

        @Override
        public Integer call() {
            try (AdminClient server = AdminClient.of(mta.home())) {
                String body = server.ask("GET", "suspensions").orElseThrow();
                if (json) {
                    mta.world().out().println(body);
                } else {
                    lines(RecordJson.read(body, Found.class).suspensions()).forEach(mta.world().out()::println);
                }
            }
            return Exit.DONE;
        }
    }

    /// A table of suspensions, or one sentence.
    static List<String> lines(List<SuspensionView> suspensions) {
        if (suspensions.isEmpty()) {
            return List.of("nothing is suspended");
        }
        Instant now = Instant.now();
        Table table = new Table("KIND", "NAME", "SINCE", "FOR", "AUTHOR", "REASON");
        suspensions.forEach(each -> table.add(each.scope(), each.name().isEmpty() ? "-" : each.name(),
                DisplayUnits.age(each.since(), now) + " ago",
                each.until().isEmpty() ? "ever" : DisplayUnits.until(each.until(), now), each.author(),
                each.reason()));
        return table.lines();
    }

    /// `resume`: ends a suspension.
    @Command(name = "resume", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Ends a suspension; the mail that waits for it is due at once.",
            parameterListHeading = "%nParameters:%n", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  ./mta resume destination example.org",
                    "  ./mta resume host 192.0.2.1"})
    static final class ResumeCommand implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "KIND", description = "one of ${COMPLETION-CANDIDATES}")
        private SuspensionKind kind;

        @Parameters(index = "1", paramLabel = "NAME", description = "as in `suspend list`")
        private String name;

        private final MtaCommand mta;

        ResumeCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, "suspensions/resume?" + query(kind, name), "resumed", kind,
                    new CommandFailure(Exit.NO, "mta: not suspended: " + kind.word() + " " + name
                            + " (./mta suspend list shows what is suspended)"));
        }
    }
}
