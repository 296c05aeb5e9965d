package org.slipstream.lab.study;

import org.junit.jupiter.api.Test;
import org.slipstream.lab.SaturatedServer.LoadFigures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/// `docs/shards.md` has the table of the curve between markers, and its picture. A build with
/// `-Dslipstream.long=true` compares them, because the run takes minutes; to accept an intended
/// change, run `mvn -pl mta-lab test -Dtest=ShardCurveTest -Dslipstream.golden=write`.
class ShardCurveTest {
    private static final Path PAGE = Path.of("../docs/shards.md");
    private static final Path PICTURE = Path.of("../docs/pictures/shards.svg");
    private static final String BEGIN = "<!-- curve: written by ShardCurveTest -->\n";
    private static final String END = "<!-- end of curve -->\n";
    private static final String HEAD = """

            | Server | shards | messages a second | listener | manager | log | disk | connections | lease orders a message | limit |
            |---|---|---|---|---|---|---|---|---|---|
            """;

    private static List<String> rows(List<Integer> shards, Map<String, List<LoadFigures>> figures) {
        List<String> rows = new ArrayList<>();
        figures.forEach((server, each) -> rows.addAll(ShardCurve.rows(server, shards, each)));
        return rows;
    }

    @Test
    void thePageHasTheCurve() throws IOException {
        boolean writes = System.getProperty("slipstream.golden", "").equals("write");
        if (!writes && !Boolean.getBoolean("slipstream.long")) {
            // The whole curve takes minutes.
            String quick = "100 connections, 20 ms";
            assertThat(Files.readAllLines(PAGE))
                    .containsAll(ShardCurve.rows(quick, List.of(1), ShardCurve.measure(quick, List.of(1))));
            return;
        }
        List<Integer> shards = ShardCurve.SHARDS;
        Map<String, List<LoadFigures>> figures = ShardCurve.measure(shards);
        String page = Files.readString(PAGE);
        if (writes) {
            String table = HEAD + String.join("\n", rows(shards, figures)) + "\n\n";
            Files.writeString(PAGE, page.substring(0, page.indexOf(BEGIN) + BEGIN.length()) + table
                    + page.substring(page.indexOf(END)));
            Files.writeString(PICTURE, ShardCurve.svg(shards, figures));
            return;
        }
        assertThat(page.lines()).containsAll(rows(shards, figures));
        assertThat(Files.readString(PICTURE)).isEqualTo(ShardCurve.svg(shards, figures));
    }
}
