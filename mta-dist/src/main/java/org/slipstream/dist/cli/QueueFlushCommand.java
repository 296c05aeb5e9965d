package org.slipstream.dist.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/// `queue flush`: try now.
@Command(name = "flush", mixinStandardHelpOptions = true, versionProvider = Version.class, header = "Tries mail now instead of at its next time.", descriptionHeading = "%n", description = "Without ID and options, all of it. Held mail stays.", optionListHeading = "%nOptions:%n", exitCodeListHeading = Exit.HEADING, exitCodeList = {
        Exit.DONE_TEXT, Exit.NO_TEXT, Exit.USAGE_TEXT,
        Exit.UNREACHABLE_TEXT}, footerHeading = "%nExamples:%n", footer = {"  ./mta queue flush",
                "  ./mta queue flush 1p4q0c8k2v0", "  ./mta queue flush --domain example.org",
                "  ./mta queue flush --sender 'boss@*'"})
final class QueueFlushCommand implements Callable<Integer> {
    @Mixin
    private QueueSweep sweep;

    @Spec
    private CommandSpec spec;

    private final MtaCommand mta;

    QueueFlushCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        boolean everything = !sweep.namesIds() && !sweep.hasFilter();
        sweep.check(spec, everything);
        if (sweep.isDryRun() || sweep.namesIds() || !everything && !isOneDomain()) {
            return sweep.give(mta, spec, "flush", "flushed");
        }
        String query = sweep.query(spec);
        try (AdminClient server = AdminClient.of(mta.home())) {
            server.ask("POST", "queue/flush" + (query.isEmpty() ? "" : "?" + query.substring(1))).orElseThrow();
        }
        return Exit.DONE;
    }

    /// The register has that done in one statement, however long the queue is.
    private boolean isOneDomain() {
        return sweep.query(spec).matches("&domain=[^&*]*");
    }
}
