package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ProgressLine;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.lab.journal.JournalFilm;
import org.slipstream.lab.journal.JournalFilm.FilmRequest;
import org.slipstream.lab.journal.JournalPage;
import org.slipstream.lab.journal.JournalReplay;
import org.slipstream.lab.journal.JournalReplay.ReplayReport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongConsumer;

/// `lab replay`: repeats the run of a server from its decision journal.
@Command(header = "Repeats the decisions of a server from its journal.",
        description = "Feeds the events of the journal to the queue manager, with the settings and the seed of the run, and"
                + " compares every decision and every order with the recorded one. Prints the first difference."
                + " No server is needed.",
        parameterListHeading = "%n",
        exitCodeList = {Exit.DONE_TEXT, " 1:a decision differs, or the journal is damaged", Exit.USAGE_TEXT},
        footer = {"  mta lab replay var/decisions.jsonl",
                "  mta lab replay var/decisions.jsonl.old      the run before",
                "  mta lab replay var/decisions.jsonl --json",
                "  mta lab replay var/decisions.jsonl --page page.html --from 2026-11-27T03:00:00Z"})
public final class LabReplayCommand implements MtaAction {
    @Parameters(paramLabel = "FILE", description = "the first file of a journal (setting journal.file)")
    private Path file;

    @Option(names = "--json", description = "as JSON: records, inputs, decisions, difference, gap, failure")
    private boolean json;

    @Option(names = "--page", paramLabel = "OUT",
            description = "write the run as a page instead: the jobs, windows and connections at each moment; the page"
                    + " needs no other file")
    private Optional<Path> page = Optional.empty();

    @Option(names = "--from", paramLabel = "TIME",
            description = "begin of the page, such as 2026-11-27T03:00:00Z (default: that of the run)")
    private Optional<Instant> from = Optional.empty();

    @Option(names = "--to", paramLabel = "TIME", description = "end of the page (default: that of the journal)")
    private Optional<Instant> to = Optional.empty();

    @Option(names = "--message", paramLabel = "ID", description = "also write the decisions about this message")
    private Optional<String> message = Optional.empty();

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        if (!Files.isRegularFile(file)) {
            throw new CommandFailure(Exit.USAGE, "mta: there is no file " + file);
        }
        ProgressLine progress = new ProgressLine(mta.world().err(), System::nanoTime);
        try {
            if (page.isPresent()) {
                write(page.get(), film(records -> progress
                        .report(() -> "replay of " + file + ": " + records + " records")), mta.world().out());
                return Exit.DONE;
            }
            ReplayReport report = JournalReplay.of(file,
                    records -> progress.report(() -> "replay of " + file + ": " + records + " records"));
            print(report, mta.world().out());
            return report.difference().isPresent() ? Exit.NO : Exit.DONE;
        } catch (IOException damaged) {
            throw new CommandFailure(Exit.NO, "mta: " + damaged.getMessage(), damaged);
        }
    }

    private JournalFilm film(LongConsumer progress) throws IOException {
        Optional<QueueId> about = message.map(text -> QueueId.parse(text).orElseThrow(
                () -> new ParameterException(spec.commandLine(), "not a queue id: " + text)));
        long end = to.isPresent() ? to.get().toEpochMilli() : JournalReplay.latest(file, progress);
        long begin = from.map(Instant::toEpochMilli).orElse(0L);
        if (begin >= end) {
            throw new ParameterException(spec.commandLine(), "--from is not before the end, " + moment(end));
        }
        return JournalReplay.film(file, new FilmRequest(begin, end, about), OptionalLong.empty(), progress, () -> true);
    }

    private void write(Path out, JournalFilm film, PrintStream console) {
        try {
            Files.writeString(out, JournalPage.of(film, "The journal " + file.getFileName(), LabReplayCommand::moment));
        } catch (IOException refused) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot write " + out + ": " + refused.getMessage(), refused);
        }
        film.remarks().forEach(remark -> console.println(LogText.text(remark)));
        console.println(film.film().map(made -> made.frames().size() + " moments are in " + out)
                .orElse("the interval is outside of what the journal can play: its run began "
                        + moment(film.beganMillis()) + ", and its latest record is of " + moment(film.latestMillis())));
    }

    private static String moment(long millis) {
        return Instant.ofEpochMilli(millis).toString().replace('T', ' ');
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
