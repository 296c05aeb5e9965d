package org.slipstream.cli.shaping;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.LoadedConfig;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ProgressLine;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.LogText;
import org.slipstream.core.text.Controls;
import org.slipstream.lab.SimulationStoppedException;
import org.slipstream.lab.journal.RecordedTraffic;
import org.slipstream.lab.shaping.ShapingPage;
import org.slipstream.lab.shaping.ShapingTrial;
import org.slipstream.lab.shaping.ShapingTrial.TrialReport;
import org.slipstream.lab.shaping.ShapingTrial.TrialRequest;
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
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// `shaping try`: rules played over the replies of a journal.
@Command(header = "Plays rules over recorded replies: what they would have changed.",
        description = "Runs the mail of a decision journal twice through the queue manager in simulated time, without and"
                + " with the rules, against hosts that reply as they did. Prints deliveries, refusals and ages of"
                + " both runs, and the rules that came into force. Nothing is sent, and no server is changed.",
        parameterListHeading = "%n",
        exitCodeList = {Exit.DONE_TEXT, " 1:the journal is damaged, or the simulation stopped", Exit.USAGE_TEXT,
                Exit.CONFIGURATION_TEXT},
        footer = {"  mta shaping try my.toml                        the last 24 hours of the journal of this server",
                "  mta shaping try shipped --page page.html       with both curves",
                "  mta shaping try my.toml --journal decisions.jsonl.old --from 2026-11-27T03:00:00Z"})
public final class ShapingTryCommand implements MtaAction {
    private static final Duration USUAL = Duration.ofHours(24);

    @Parameters(paramLabel = "FILE", description = "a file of rules, or shipped: those of the program")
    private String file = "";

    @Option(names = "--journal", paramLabel = "FILE",
            description = "the first file of a journal (default: journal.file of the settings)")
    private Optional<Path> journal = Optional.empty();

    @Option(names = "--from", paramLabel = "TIME",
            description = "begin of the interval, such as 2026-11-27T03:00:00Z (default: 24 hours before its end)")
    private Optional<Instant> from = Optional.empty();

    @Option(names = "--to", paramLabel = "TIME", description = "its end (default: that of the journal)")
    private Optional<Instant> to = Optional.empty();

    @Option(names = "--page", paramLabel = "OUT",
            description = "also write both curves as a page; it needs no other file")
    private Optional<Path> page = Optional.empty();

    @Option(names = "--json", description = "as JSON: assumptions, both runs with their curves, rules")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public int run(MtaCommand mta) {
        RuleFile rules = RuleFile.read(file);
        Path recorded = journal.orElseGet(() -> ofSettings(mta));
        if (!Files.isRegularFile(recorded)) {
            throw new CommandFailure(Exit.USAGE, "mta: there is no file " + recorded);
        }
        ProgressLine progress = new ProgressLine(mta.world().err(), System::nanoTime);
        try {
            RecordedTraffic traffic = RecordedTraffic.read(recorded,
                    records -> progress.report(() -> recorded + ": " + records + " records"));
            TrialReport report = ShapingTrial.of(request(traffic, rules));
            String title = rules.name() + " over " + recorded.getFileName();
            page.ifPresent(out -> write(out, ShapingPage.of(report, title, ShapingTryCommand::moment,
                    ShapingTryCommand::span)));
            if (json) {
                mta.world().out().println(RecordJson.write(report));
            } else {
                print(report, mta.world().out());
            }
            return Exit.DONE;
        } catch (IOException damaged) {
            throw new CommandFailure(Exit.NO, "mta: " + damaged.getMessage(), damaged);
        } catch (SimulationStoppedException stopped) {
            throw new CommandFailure(Exit.NO, "mta: the simulation stopped: " + stopped.getMessage(), stopped);
        }
    }

    private static Path ofSettings(MtaCommand mta) {
        return LoadedConfig.read(mta.settings(), List.of()).operation().journal().file()
                .orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: there is no journal; name one with --journal,"
                        + " or set journal.file and try again after some hours of mail"));
    }

    private TrialRequest request(RecordedTraffic traffic, RuleFile rules) {
        long end = to.map(Instant::toEpochMilli).orElse(traffic.latestMillis());
        long begin = from.map(Instant::toEpochMilli)
                .orElse(Math.max(traffic.beganMillis(), end - USUAL.toMillis()));
        if (begin >= end) {
            throw new ParameterException(spec.commandLine(), "--from is not before the end, " + moment(end));
        }
        return new TrialRequest(traffic, begin, end, traffic.config(), traffic.placement(), rules.rules(),
                traffic.config().destinations().providers().table());
    }

    private static void write(Path out, String text) {
        try {
            Files.writeString(out, text);
        } catch (IOException refused) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot write " + out + ": " + refused.getMessage(), refused);
        }
    }

    private void print(TrialReport report, PrintStream out) {
        report.remarks().forEach(remark -> out.println(LogText.text(remark)));
        out.println("Assumptions:");
        report.assumptions().forEach(line -> out.println("  " + line));
        out.println();
        Table sums = new Table("SUM", "WITHOUT RULES", "WITH RULES");
        ShapingPage.rows(report, ShapingTryCommand::span).forEach(row -> sums.add(row.get(0), row.get(1), row.get(2)));
        sums.lines().forEach(out::println);
        out.println();
        if (report.rules().isEmpty()) {
            out.println("no rule came into force");
        } else {
            Table used = new Table("RULE", "MAIL", "FIRST", "TIMES", "REPLY");
            report.rules().forEach(each -> used.add(each.rule(), Controls.replaced(each.subject()),
                    moment(each.firstMillis()), Integer.toString(each.times()), Controls.replaced(each.reply())));
            used.lines().forEach(out::println);
        }
        page.ifPresent(file -> out.println("both curves are in " + file));
    }

    private static String span(long millis) {
        return DisplayUnits.span(Duration.ofMillis(millis));
    }

    private static String moment(long millis) {
        return Instant.ofEpochMilli(millis).toString().replace('T', ' ');
    }
}
