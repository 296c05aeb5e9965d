package org.slipstream.cli.lab;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.cli.frame.MtaAction;
import org.slipstream.cli.frame.MtaCommand;
import org.slipstream.cli.frame.RecordJson;
import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;

/// `lab list`: lists the scenarios that come with the program.
@Command(header = "Lists the scenarios that come with the program.", exitCodeList = {Exit.DONE_TEXT, Exit.USAGE_TEXT},
        footer = {"  mta lab list", "  mta lab list --show ten-two-two > mine.toml    a file to start from"})
public final class LabListCommand implements MtaAction {
    @Option(names = "--show", paramLabel = "NAME", description = "print the file of this scenario instead")
    private String show = "";

    @Option(names = "--json", description = "as JSON")
    private boolean json;

    private record ScenarioView(String name, String title) {}

    private record ScenarioViews(List<ScenarioView> scenarios) {}

    @Override
    public int run(MtaCommand mta) {
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
