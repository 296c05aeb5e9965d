package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.cli.frame.Version;
import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.concurrent.Callable;

/// `lab list`: lists the scenarios that come with the program.
@Command(name = "list", mixinStandardHelpOptions = true, versionProvider = Version.class,
        header = "Lists the scenarios that come with the program.", optionListHeading = "%nOptions:%n",
        exitCodeListHeading = Exit.HEADING, exitCodeList = {
                Exit.DONE_TEXT, Exit.USAGE_TEXT},
        footerHeading = "%nExamples:%n", footer = {"  mta lab list",
                "  mta lab list --show ten-two-two > mine.toml    a file to start from"})
public final class LabListCommand implements Callable<Integer> {
    @Option(names = "--show", paramLabel = "NAME", description = "print the file of this scenario instead")
    private String show = "";

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    private record ScenarioView(String name, String title) {}

    private record ScenarioViews(List<ScenarioView> scenarios) {}

    private final MtaCommand mta;

    public LabListCommand(MtaCommand mta) {
        this.mta = mta;
    }

    @Override
    public Integer call() {
        if (json && show.isEmpty()) {
            mta.world().out().println(RecordJson.write(new ScenarioViews(BundledScenarios.names().stream()
                    .map(name -> new ScenarioView(name, title(name))).toList())));
        } else if (show.isEmpty()) {
            BundledScenarios.names()
                    .forEach(name -> mta.world().out().println("%-28s %s".formatted(name, title(name))));
        } else {
            mta.world().out().print(BundledScenarios.find(show).orElseThrow(() -> new CommandFailure(Exit.USAGE,
                    "mta: no scenario called " + show + " comes with the program (see mta lab list)")));
        }
        return Exit.DONE;
    }

    private static String title(String name) {
        return switch (ScenarioReader.read(BundledScenarios.file(name), BundledScenarios.find(name).orElseThrow())) {
            case Reading.Good good -> good.file().title();
            case Reading.Bad bad -> bad.sentence();
        };
    }
}
