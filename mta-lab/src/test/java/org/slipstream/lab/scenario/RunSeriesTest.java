package org.slipstream.lab.scenario;

import org.junit.jupiter.api.Test;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class RunSeriesTest {
    private static ScenarioRun play(String name) {
        return ScenarioRunner.run(BundledScenariosTest.file(name));
    }

    @Test
    void everySeriesHasAFileWithAHeadingAndSaysWhichRunARowBelongsTo() {
        List<ScenarioRun> runs = List.of(play("ten-two-two"), play("ten-two-two"));

        assertThat(RunSeries.csv(runs)).containsOnlyKeys("runs.csv", "messages.csv", "deliveries.csv",
                "preemptions.csv", "queue.csv", "waits.csv", "windows.csv", "connections.csv", "hosts.csv")
                .allSatisfy((_, text) -> assertThat(text).startsWith("run,"));
        assertThat(RunSeries.csv(runs).get("preemptions.csv").lines()).hasSize(5)
                .contains("1,4000,smtp,1,2,1,0", "2,4000,smtp,1,2,1,0");
    }

    @Test
    void aCellWithACommaIsQuotedAsRfc4180HasIt() {
        assertThat(RunSeries.csv(List.of(play("ten-two-two"))).get("runs.csv"))
                .contains("\"Ten, two, two: small messages pass when the slots are earned\"");
    }

    @Test
    void jsonHasTheSameRowsAsObjects() {
        JsonNode json = JsonMapper.builder().build().readTree(RunSeries.json(List.of(play("limited-server"))));

        assertThat(json.path("windows")).isNotEmpty()
                .allSatisfy(row -> assertThat(row.path("server_limit").isInt()).isTrue());
        assertThat(json.path("deliveries").path(0).path("selected_ms").isInt()).isTrue();
    }
}
