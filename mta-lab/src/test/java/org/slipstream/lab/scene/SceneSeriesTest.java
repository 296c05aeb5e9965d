package org.slipstream.lab.scene;

import org.junit.jupiter.api.Test;
import org.slipstream.lab.scene.Stage.Played;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class SceneSeriesTest {
    private static Played play(String name) {
        return Stage.play(ShelfTest.scene(name));
    }

    @Test
    void everySeriesHasAFileWithAHeadingAndSaysWhichRunARowBelongsTo() {
        List<Played> runs = List.of(play("ten-two-two"), play("ten-two-two"));

        assertThat(SceneSeries.csv(runs)).containsOnlyKeys("runs.csv", "messages.csv", "deliveries.csv",
                "preemptions.csv", "queue.csv", "waits.csv", "windows.csv", "connections.csv", "hosts.csv")
                .allSatisfy((_, text) -> assertThat(text).startsWith("run,"));
        assertThat(SceneSeries.csv(runs).get("preemptions.csv").lines()).hasSize(5)
                .contains("1,4000,smtp,1,2,1,0", "2,4000,smtp,1,2,1,0");
    }

    @Test
    void aCellWithACommaIsQuotedAsRfc4180HasIt() {
        assertThat(SceneSeries.csv(List.of(play("ten-two-two"))).get("runs.csv"))
                .contains("\"Ten, two, two: small mail goes first when its way is paid\"");
    }

    @Test
    void jsonHasTheSameRowsAsObjects() {
        JsonNode json = JsonMapper.builder().build().readTree(SceneSeries.json(List.of(play("limited-server"))));

        assertThat(json.path("windows")).isNotEmpty()
                .allSatisfy(row -> assertThat(row.path("server_limit").isInt()).isTrue());
        assertThat(json.path("deliveries").path(0).path("selected_ms").isInt()).isTrue();
    }
}
