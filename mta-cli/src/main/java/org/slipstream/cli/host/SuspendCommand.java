package org.slipstream.cli.host;

import org.slipstream.admin.operations.SuspensionOperations.SuspensionView;
import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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
                "  mta suspend destination example.org --reason 'their disk is full' --until 2h",
                "  mta suspend sender '*@lists.example.org' --reason 'complaints'",
                "  mta suspend transport smtp --reason 'the line is down'",
                "  mta suspend host 192.0.2.1 --reason 'asked by their postmaster' --for 1d",
                "  mta suspend list"})
public final class SuspendCommand implements Callable<Integer> {
    /// The kinds of mail that `suspend` and `resume` know.
    static final class SuspensionKinds extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        SuspensionKinds() {
            super(List.of("destination", "domain", "sender", "transport", "host"));
        }
    }

    private record Done(String done, List<String> names) {}

    @Parameters(index = "0", arity = "0..1", paramLabel = "KIND", completionCandidates = SuspensionKinds.class,
            description = "one of ${COMPLETION-CANDIDATES}; a domain of recipients is a destination")
    private String kind = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "NAME",
            description = "a next hop or domain, an address or `<>`, a transport, or a host as in `destdb list`;"
                    + " `*` in a domain or an address matches any text")
    private String name = "";

    @Mixin
    private SuspensionOptions options;

    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    public SuspendCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        if (kind.isEmpty() || name.isBlank()) {
            throw new ParameterException(spec.commandLine(),
                    "missing parameters: KIND NAME, such as destination example.org");
        }
        return give(mta, "suspensions/suspend?" + query(spec, kind, name) + "&" + options.query(), "suspended", kind,
                unknownHost(name));
    }

    static CommandFailure unknownHost(String name) {
        return new CommandFailure(Exit.NO, "mta: no known host has this name, and it is not an address: " + name
                + " (mta destdb list shows the known hosts; mta suspend domain " + name
                + " suspends the mail of a domain)");
    }

    private static String query(CommandSpec spec, String kind, String name) {
        List<String> kinds = new SuspensionKinds();
        if (!kinds.contains(kind)) {
            throw new ParameterException(spec.commandLine(),
                    "the kinds are " + String.join(", ", kinds) + ", not \"" + kind + "\"");
        }
        return "kind=" + kind + "&name=" + AdminClient.encoded(name);
    }

    private static int give(MtaCommand mta, String path, String word, String kind, CommandFailure unknown) {
        try (AdminClient server = AdminClient.of(mta)) {
            String body = server.ask("POST", path).orElseThrow(() -> unknown);
            List<String> names = RecordJson.read(body, Done.class).names();
            names.forEach(each -> mta.world().out().println(word + " " + kind + " " + each));
            if (names.size() > 1) {
                mta.world().out().println(names.size() + " hosts have this name or address; a name as in `destdb list`"
                        + " is one of them");
            }
        }
        return Exit.DONE;
    }

    @Command(name = "list", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Lists what is suspended, and why.", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.USAGE_TEXT, Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {
                    "  mta suspend list", "  mta suspend list --json | jq '.suspensions[].name'"})
    public static final class SuspensionListing implements Callable<Integer> {
        @Option(names = "--json", description = "as the server's JSON")
        private boolean json;

        private final MtaCommand mta;

        public SuspensionListing(MtaCommand mta) {
            this.mta = mta;
        }

        private record Found(List<SuspensionView> suspensions) {}

        @Override
        public Integer call() {
            try (AdminClient server = AdminClient.of(mta)) {
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
            footerHeading = "%nExamples:%n", footer = {"  mta resume destination example.org",
                    "  mta resume host 192.0.2.1"})
    public static final class ResumeCommand implements Callable<Integer> {
        @Parameters(index = "0", paramLabel = "KIND", completionCandidates = SuspensionKinds.class,
                description = "one of ${COMPLETION-CANDIDATES}")
        private String kind;

        @Parameters(index = "1", paramLabel = "NAME", description = "as in `suspend list`")
        private String name;

        @Spec
        private CommandSpec spec;

        private final MtaCommand mta;

        public ResumeCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, "suspensions/resume?" + query(spec, kind, name), "resumed", kind,
                    new CommandFailure(Exit.NO, "mta: not suspended: " + kind + " " + name
                            + " (mta suspend list shows what is suspended)"));
        }
    }
}
