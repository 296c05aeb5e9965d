package org.slipstream.cli.host;

import org.slipstream.cli.frame.AdminClient;
import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.concurrent.Callable;

/// `freeze`: no delivery starts before `thaw`.
@Command(name = "freeze", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Stops all deliveries; mail is still accepted.", descriptionHeading = "%n",
        description = "Deliveries in progress are finished. A restart keeps the freeze; `thaw` ends it.",
        optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
                Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                Exit.UNREACHABLE_TEXT},
        footerHeading = "%nExamples:%n", footer = {
                "  mta freeze --reason 'a loop with lists.example.org'",
                "  mta freeze --reason 'maintenance of the line' --for 30m"})
public final class FreezeCommand implements Callable<Integer> {
    @Mixin
    private SuspensionOptions options;

    private final MtaCommand mta;

    public FreezeCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        String query = options.query();
        try (AdminClient server = AdminClient.of(mta)) {
            server.ask("POST", "freeze?" + query).orElseThrow();
            mta.world().out().println("all deliveries are frozen; mta thaw ends it");
        }
        return Exit.DONE;
    }

    /// `thaw`: deliveries start again.
    @Command(name = "thaw", mixinStandardHelpOptions = true, versionProvider = Version.class,
            header = "Ends a freeze: deliveries start again.", optionListHeading = "%nOptions:%n",
            exitCodeListHeading = Exit.HEADING, exitCodeList = {
                    Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
                    Exit.UNREACHABLE_TEXT},
            footerHeading = "%nExamples:%n", footer = {"  mta thaw"})
    public static final class ThawCommand implements Callable<Integer> {
        private final MtaCommand mta;

        public ThawCommand(MtaCommand mta) {
            this.mta = mta;
        }

        @Override
        public Integer call() {
            try (AdminClient server = AdminClient.of(mta)) {
                server.ask("POST", "thaw")
                        .orElseThrow(() -> new CommandFailure(Exit.NO, "mta: deliveries are not frozen"));
                mta.world().out().println("deliveries start again");
            }
            return Exit.DONE;
        }
    }
}
