package org.slipstream.server.pictures;

import org.slipstream.lab.scenario.BundledScenarios;
import org.slipstream.lab.scenario.Page;
import org.slipstream.lab.scenario.ScenarioReader;
import org.slipstream.lab.scenario.ScenarioReader.Reading;
import org.slipstream.lab.scenario.ScenarioRunner;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;

import java.util.List;

/// A preemption and the same mail without one:
/// `./mta lab run ten-two-two --compare order=fifo --svg`.
final class LabPicture {
    private static final String SCENARIO = "ten-two-two";

    private LabPicture() {}

    static String svg() {
        return Page.svg(List.of(run(List.of()), run(List.of("order=fifo"))));
    }

    private static ScenarioRun run(List<String> changes) {
        String text = BundledScenarios.find(SCENARIO).orElseThrow();
        return ScenarioRunner
                .run(((Reading.Good) ScenarioReader.read(BundledScenarios.file(SCENARIO), text, changes)).file());
    }
}
