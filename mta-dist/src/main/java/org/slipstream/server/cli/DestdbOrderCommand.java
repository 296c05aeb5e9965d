package org.slipstream.server.cli;

import org.slipstream.core.Units;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.Callable;

/// Orders for hosts: `destdb forget`, `suspend` and `resume`.
final class DestdbOrderCommand {
    private record Done(String done, List<String> hosts) {}

    private DestdbOrderCommand() {}

    private static int give(MtaCommand mta, String query, String word, CommandFailure unknown) {
        try (AdminClient server = AdminClient.of(mta.home())) {
            String body = server.ask("POST", "destdb/" + query).orElseThrow(() -> unknown);
            RecordJson.read(body, Done.class).hosts().forEach(host -> mta.world().out().println(word + " " + host));
        }
        return Exit.DONE;
    }

    @Command(name = "forget", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Forgets failures and limitations of a host, so that it is tried again.",
            descriptionHeading = "%n",
            description = "A suspension stays; `resume` ends it. Waiting mail is tried at its next attempt, or now with `queue flush`.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  ./mta destdb forget mx.example.org"})
    static final class Forget implements Callable<Integer> {
        @Parameters(paramLabel = "HOST", description = "key, address or name")
        private String host;

        private final MtaCommand mta;

        Forget(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, "forget?name=" + DestdbCommand.encoded(host), "forgotten",
                    DestdbCommand.unknown(host, "there is nothing to forget about"));
        }
    }

    @Command(name = "resume", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Ends the suspension of a host.", descriptionHeading = "%n",
            description = "Waiting mail is tried at its next attempt, or now with `queue flush`.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  ./mta destdb resume mx.example.org"})
    static final class Resume implements Callable<Integer> {
        @Parameters(paramLabel = "HOST", description = "key, address or name")
        private String host;

        private final MtaCommand mta;

        Resume(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, "resume?name=" + DestdbCommand.encoded(host), "resumed",
                    DestdbCommand.unknown(host, "not suspended:"));
        }
    }

    @Command(name = "suspend", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Suspends a host: no new connections to it until it is resumed.", descriptionHeading = "%n",
            description = "Deliveries in progress are finished. Mail goes to the other hosts of its domain, or waits when there are none.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {
                    "  ./mta destdb suspend mx.example.org --reason 'their disk is full' --for 2h",
                    "  ./mta destdb suspend 192.0.2.1 --reason 'asked by their postmaster'"})
    static final class Suspend implements Callable<Integer> {
        @Parameters(paramLabel = "HOST", description = "key, address or name; an unknown host only by key or address")
        private String host;

        @Option(names = "--reason", paramLabel = "TEXT", required = true,
                description = "the reason; shown by `destdb` and `queue` commands")
        private String reason;

        @Option(names = "--author", paramLabel = "NAME", description = "who ordered it (default: you)")
        private String author = System.getProperty("user.name", "");

        @Option(names = "--for", paramLabel = "TIME", description = "how long, such as 30m, 2h, 1d")
        private String duration = "";

        @Option(names = "--until", paramLabel = "MOMENT",
                description = "until when, such as 2026-01-31T18:00:00Z; without both: until resumed")
        private String until = "";

        @Spec
        private CommandSpec spec;

        private final MtaCommand mta;

        Suspend(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            if (reason.isBlank() || author.isBlank()) {
                throw wrong("a suspension needs a reason and an author");
            }
            String end = end();
            return give(mta, "suspend?name=" + DestdbCommand.encoded(host) + "&reason=" + DestdbCommand.encoded(reason)
                    + "&author=" + DestdbCommand.encoded(author) + (end.isEmpty() ? "" : "&until=" + end), "suspended",
                    DestdbCommand.unknown(host, "no known host has this name, and it is not an address:"));
        }

        private String end() {
            if (!duration.isEmpty() && !until.isEmpty()) {
                throw wrong("give --for or --until, not both");
            }
            if (!duration.isEmpty()) {
                long millis = Units.DURATIONS.parse(duration).filter(each -> each > 0)
                        .orElseThrow(
                                () -> wrong("--for must be a time such as 30m, 2h or 1d, not \"" + duration + "\""));
                return Instant.now().plusMillis(millis).toString();
            }
            return until.isEmpty() ? "" : moment().toString();
        }

        private Instant moment() {
            Instant moment;
            try {
                moment = Instant.parse(until);
            } catch (DateTimeParseException none) {
                throw wrong("--until must be a time such as 2026-01-31T18:00:00Z, not \"" + until + "\"");
            }
            if (moment.isBefore(Instant.now())) {
                throw wrong("--until is in the past");
            }
            return moment;
        }

        private ParameterException wrong(String sentence) {
            return new ParameterException(spec.commandLine(), sentence);
        }
    }
}
