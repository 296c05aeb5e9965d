package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ProgressLine;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.LogText;
import org.slipstream.lab.journal.JournalReplay;
import org.slipstream.lab.journal.JournalReplay.ReplayReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/// `lab replay`: repeats the run of a server from its decision journal.
@Command(header = "Repeats the decisions of a server from its journal.",
        description = "Feeds the events of the journal to the queue manager, with the settings and the seed of the run, and"
                + " compares every decision and every order with the recorded one. Prints the first difference."
                + " No server is needed.",
        parameterListHeading = "%n",
        exitCodeList = {Exit.DONE_TEXT, " 1:a decision differs, or the journal is damaged", Exit.USAGE_TEXT},
        footer = {"  mta lab replay var/decisions.jsonl",
                "  mta lab replay var/decisions.jsonl.old      the run before",
                "  mta lab replay var/decisions.jsonl --json"})
public final class LabReplayCommand implements MtaAction {
    @Parameters(paramLabel = "FILE", description = "the first file of a journal (setting journal.file)")
    private Path file;

    @Option(names = "--json", description = "as JSON: records, inputs, decisions, difference, gap, failure")
    private boolean json;

    @Override
    public int run(MtaCommand mta) {
        if (!Files.isRegularFile(file)) {
            throw new CommandFailure(Exit.USAGE, "mta: there is no file " + file);
        }
        ProgressLine progress = new ProgressLine(mta.world().err(), System::nanoTime);
        try {
            ReplayReport report = JournalReplay.of(file,
                    records -> progress.report(() -> "replay of " + file + ": " + records + " records"));
            print(report, mta.world().out());
            return report.difference().isPresent() ? Exit.NO : Exit.DONE;
        } catch (IOException damaged) {
            throw new CommandFailure(Exit.NO, "mta: " + damaged.getMessage(), damaged);
        }
    }

    private void print(ReplayReport report, PrintStream out) {
        if (json) {
            out.println(RecordJson.write(report));
            return;
        }
        out.println(report.records() + " records: " + report.inputs() + " inputs, " + report.decisions()
                + " decisions and orders");
        report.difference().ifPresentOrElse(out::println, () -> out.println("the replay decided the same"));
        report.failure().ifPresent(failure -> out
                .println("the queue manager of the replay ended with an exception: " + LogText.text(failure)));
        report.gap().ifPresent(gap -> out.println("the replay ends before the journal: " + gap));
    }
}
