package org.slipstream.cli.host;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.util.List;
import java.util.concurrent.Callable;

/// Orders for hosts: `destdb forget`, `suspend` and `resume`.
public final class DestdbOrderCommand {
    private record Done(String done, List<String> hosts) {}

    private DestdbOrderCommand() {}

    private static int give(MtaCommand mta, String query, String word, CommandFailure unknown) {
        try (AdminClient server = AdminClient.of(mta)) {
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
            footerHeading = "%nExamples:%n", footer = {"  mta destdb forget mx.example.org"})
    public static final class Forget implements Callable<Integer> {
        @Parameters(paramLabel = "HOST", description = "key, address or name")
        private String host;

        private final MtaCommand mta;

        public Forget(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, "forget?name=" + AdminClient.encoded(host), "forgotten",
                    DestdbCommand.unknown(host, "there is nothing to forget about"));
        }
    }

    @Command(name = "resume", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Ends the suspension of a host.", descriptionHeading = "%n",
            description = "Waiting mail is tried at its next attempt, or now with `queue flush`.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta destdb resume mx.example.org"})
    public static final class Resume implements Callable<Integer> {
        @Parameters(paramLabel = "HOST", description = "key, address or name")
        private String host;

        private final MtaCommand mta;

        public Resume(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, "resume?name=" + AdminClient.encoded(host), "resumed",
                    new CommandFailure(Exit.NO, "mta: not suspended: " + host
                            + " (mta suspend list shows what is suspended)"));
        }
    }

    @Command(name = "suspend", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Suspends a host: no new connections to it until it is resumed.", descriptionHeading = "%n",
            description = "Deliveries in progress are finished. Mail goes to the other hosts of its domain, or waits when there are none.",
            optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {
                    "  mta destdb suspend mx.example.org --reason 'their disk is full' --for 2h",
                    "  mta destdb suspend 192.0.2.1 --reason 'asked by their postmaster'"})
    public static final class Suspend implements Callable<Integer> {
        @Parameters(paramLabel = "HOST", description = "key, address or name; an unknown host only by key or address")
        private String host;

        @Mixin
        private SuspensionOptions options;

        private final MtaCommand mta;

        public Suspend(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            return give(mta, "suspend?name=" + AdminClient.encoded(host) + "&" + options.query(), "suspended",
                    SuspendCommand.unknownHost(host));
        }
    }
}
