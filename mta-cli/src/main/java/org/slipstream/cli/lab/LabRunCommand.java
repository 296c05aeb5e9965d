package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.ProgressLine;
import org.slipstream.lab.SimulationStoppedException;
import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.lab.scenario.Comparison;
import org.slipstream.lab.scenario.Page;
import org.slipstream.lab.scenario.RunSeries;
import org.slipstream.lab.scenario.RunText;
import org.slipstream.lab.scenario.ScenarioFile;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.lab.scenario.ScenarioRunner;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// `lab run`: runs a scenario file in simulated time, once or twice with different settings.
@Command(header = "Runs a scenario file in simulated time.",
        description = "Prints the order in which entries were selected, a table of messages and a table of destinations. The same file"
                + " gives the same output, byte for byte. The expectations of the file are checked if no key is changed.",
        parameterListHeading = "%n",
        exitCodeList = {Exit.DONE_TEXT,
                " 1:an expectation of the file does not hold, or an impossible event stopped the simulation",
                Exit.USAGE_TEXT, "78:the scenario is not valid"},
        footer = {"  mta lab list                            scenarios that come with the program",
                "  mta lab run ten-two-two", "  mta lab run ten-two-two --compare order=fifo --html page.html",
                "  mta lab run mine.toml --set lanes=5 --set servers.small.sessions=2 --csv figures",
                "  mta lab run mine.toml --events --html mine.html"})
public final class LabRunCommand implements MtaAction {
    @Parameters(paramLabel = "FILE", description = "a scenario file, or the name of one that comes with the program")
    private String file;

    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "run with another value of this key; may be repeated. Write a key of a section as section.key;"
                    + " keys of [settings], [transport], [placement] and [servers.default] need no section")
    private List<String> set = List.of();

    @Option(names = "--compare", paramLabel = "KEY=VALUE",
            description = "run a second time with another value of this key and compare the runs; may be repeated for"
                    + " a second run with several changes")
    private List<String> compare = List.of();

    @Option(names = "--events", description = "first print a line for each event")
    private boolean events;

    @Option(names = "--html", paramLabel = "OUT",
            description = "also write a page with pictures; the page needs no other file")
    private Optional<Path> html = Optional.empty();

    @Option(names = "--svg", paramLabel = "OUT",
            description = "also write the timeline and the queue as a picture, or what was known of hosts")
    private Optional<Path> svg = Optional.empty();

    @Option(names = "--csv", paramLabel = "DIR", description = "also write every series as a CSV file into this folder")
    private Optional<Path> csv = Optional.empty();

    @Option(names = "--json", paramLabel = "OUT", description = "also write every series into one JSON file")
    private Optional<Path> json = Optional.empty();

    @Override
    public int run(MtaCommand mta) {
        csv.ifPresent(LabRunCommand::make);
        PrintStream out = mta.world().out();
        List<ScenarioRun> runs = new ArrayList<>();
        for (ScenarioFile scenario : scenarios()) {
            if (!compare.isEmpty()) {
                out.println((runs.isEmpty() ? "" : "\n") + "== " + scenario.variant() + "\n");
            }
            ScenarioRun run = run(mta, scenario, out);
            runs.add(run);
            RunText.lines(run).forEach(out::println);
        }
        if (!compare.isEmpty()) {
            out.println("\n== compared\n");
            Comparison.lines(runs).forEach(out::println);
        }
        html.ifPresent(path -> write(path, Page.of(runs)));
        svg.ifPresent(path -> write(path, Page.svg(runs)));
        csv.ifPresent(folder -> writeAll(folder, runs));
        json.ifPresent(path -> write(path, RunSeries.json(runs)));
        return runs.stream().allMatch(ScenarioRun::isAsExpected) ? Exit.DONE : Exit.NO;
    }

    private ScenarioRun run(MtaCommand mta, ScenarioFile scenario, PrintStream out) {
        ProgressLine progress = new ProgressLine(mta.world().err(), System::nanoTime);
        try {
            ScenarioRun run = ScenarioRunner.run(scenario, events ? out::println : _ -> {}, (name, millis) -> progress
                    .report(() -> "run of " + name + ": " + millis / 1_000 + " s of simulated time"));
            if (events) {
                out.println();
            }
            return run;
        } catch (SimulationStoppedException stopped) {
            throw new CommandFailure(Exit.NO, scenario.name() + ": the simulation stopped: " + stopped.getMessage(),
                    stopped);
        }
    }

    /// The scenario of the first run, and the one of the second run if there is one.
    private List<ScenarioFile> scenarios() {
        List<ScenarioFile> scenarios = new ArrayList<>(List.of(scenario(set)));
        if (!compare.isEmpty()) {
            List<String> both = new ArrayList<>(set);
            both.addAll(compare);
            scenarios.add(scenario(both));
        }
        return scenarios;
    }

    private ScenarioFile scenario(List<String> changes) {
        return switch (reading(changes)) {
            case Reading.Good(ScenarioFile scenario) -> scenario;
            case Reading.Bad(String sentence) -> throw new CommandFailure(Exit.CONFIGURATION, sentence);
        };
    }

    private Reading reading(List<String> changes) {
        Path path = Path.of(file);
        try {
            if (Files.isRegularFile(path)) {
                return ScenarioReader.read(file, Files.readString(path), changes, name -> script(path, name));
            }
        } catch (IOException e) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot read " + file + ": " + e.getMessage(), e);
        }
        return BundledScenarios.find(file).map(text -> ScenarioReader.read(BundledScenarios.file(file), text, changes))
                .orElseThrow(() -> new CommandFailure(Exit.USAGE, "mta: there is no file " + file
                        + ", and no scenario of that name comes with the program (see mta lab list)"));
    }

    /// A script of the sink, by its path from the folder of the scenario.
    private static Optional<String> script(Path scenario, String name) {
        try {
            return Optional.of(Files.readString(scenario.toAbsolutePath().resolveSibling(name)));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /// Before the run, which may take minutes.
    private static void make(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot write " + folder + ": " + e.getMessage(), e);
        }
    }

    private static void writeAll(Path folder, List<ScenarioRun> runs) {
        RunSeries.csv(runs).forEach((name, text) -> write(folder.resolve(name), text));
    }

    private static void write(Path path, String text) {
        try {
            Files.writeString(path, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot write " + path + ": " + e.getMessage(), e);
        }
    }
}
