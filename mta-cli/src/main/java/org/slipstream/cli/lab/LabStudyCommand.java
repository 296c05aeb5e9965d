package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ProgressLine;
import org.slipstream.lab.journal.RecordedTraffic;
import org.slipstream.lab.study.OrderStudy;
import org.slipstream.lab.study.RecordedLoad;
import org.slipstream.lab.study.Studies;
import org.slipstream.lab.study.Study;
import org.slipstream.lab.study.StudyPage;
import org.slipstream.lab.study.StudyText;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// `lab study`: published measurements of the concurrency scheduler, repeated in simulated time.
@Command(header = "Repeats published measurements and prints both results.",
        description = "Postfix's scheduler document publishes three tables and a prediction: limiter, connect, greeting and balancer."
                + " This command measures the same figures in simulated time with the queue manager of this program."
                + " The study order compares the order of service with its bounds. Each run gives the same figures.",
        parameterListHeading = "%n",
        exitCodeList = {Exit.DONE_TEXT, " 1:the page cannot be written", Exit.USAGE_TEXT},
        footer = {"  mta lab study                           all studies",
                "  mta lab study limiter                   a server that answers 421",
                "  mta lab study --html studies.html       a page with the windows over time",
                "  mta lab study order --journal FILE      the orders of service with recorded mail"})
public final class LabStudyCommand implements MtaAction {
    @Parameters(paramLabel = "NAME", arity = "0..1",
            description = "limiter, connect, greeting, balancer or order; without a name, all published ones")
    private Optional<String> name = Optional.empty();

    @Option(names = "--html", paramLabel = "OUT",
            description = "write an HTML page instead of text; the page needs no other file")
    private Optional<Path> html = Optional.empty();

    @Option(names = "--journal", paramLabel = "FILE",
            description = "with order: the mail of this decision journal instead of the loads of the study")
    private Optional<Path> journal = Optional.empty();

    @Override
    public int run(MtaCommand mta) {
        boolean order = name.filter(OrderStudy.NAME::equals).isPresent();
        if (journal.isPresent() && !order || order && html.isPresent()) {
            throw new CommandFailure(Exit.USAGE, order
                    ? "mta: the study order has no page; leave out --html"
                    : "mta: --journal is for the study order: mta lab study order --journal FILE");
        }
        if (order) {
            ProgressLine line = new ProgressLine(mta.world().err(), System::nanoTime);
            Consumer<String> reached = what -> line.report(() -> what);
            journal.map(file -> OrderStudy.lines(load(file), reached)).orElseGet(() -> OrderStudy.lines(reached))
                    .forEach(mta.world().out()::println);
            return Exit.DONE;
        }
        List<Study> studies = name.map(LabStudyCommand::find).map(List::of).orElseGet(Studies::all);
        ProgressLine line = new ProgressLine(mta.world().err(), System::nanoTime);
        Consumer<String> progress = what -> line.report(() -> what);
        html.ifPresentOrElse(out -> write(mta, out, studies, progress), () -> print(mta, studies, progress));
        return Exit.DONE;
    }

    private static RecordedLoad load(Path file) {
        try {
            return RecordedLoad.of(RecordedTraffic.read(file, _ -> {}));
        } catch (IOException damaged) {
            throw new CommandFailure(Exit.USAGE, "mta: " + damaged.getMessage(), damaged);
        }
    }

    private static Study find(String name) {
        return Studies.find(name).orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: there is no study " + name
                + "; the studies are " + Studies.all().stream().map(Study::name).collect(Collectors.joining(", "))));
    }

    private void print(MtaCommand mta, List<Study> studies, Consumer<String> progress) {
        PrintStream out = mta.world().out();
        for (int i = 0; i < studies.size(); i++) {
            if (i > 0) {
                out.println();
            }
            StudyText.lines(studies.get(i), progress).forEach(out::println);
        }
    }

    private void write(MtaCommand mta, Path out, List<Study> studies, Consumer<String> progress) {
        try {
            Files.writeString(out, StudyPage.html(studies, progress));
        } catch (IOException e) {
            throw new CommandFailure(Exit.NO, "mta: cannot write " + out + ": " + e.getMessage(), e);
        }
        mta.world().out().println("wrote " + out);
    }
}
