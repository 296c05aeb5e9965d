package org.slipstream.lab.scenario;

import org.slipstream.lab.scenario.ScenarioFile.ScenarioMessage;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;
import org.slipstream.picture.DeliveryBar;
import org.slipstream.picture.RunPictures;
import org.slipstream.picture.RunPictures.DrawnRun;
import org.slipstream.picture.RunRecord;
import org.slipstream.picture.RunRecord.Attempt;
import org.slipstream.picture.RunRecord.PreemptionRecord;
import org.slipstream.picture.SequenceNotation;
import org.slipstream.picture.Template;
import org.slipstream.picture.TimeAxis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// One or two runs of a scenario as a page or as a picture. The file needs no other file.
///
/// The texts are in the templates `page/run.html` and `page/run.svg`; `RunPictures` computes
/// the values of the drawings. Two runs are drawn one above the other, with the same colors and the same time axis.
/// Tables repeat the content of the pictures for readers who cannot see them.
public final class Page {
    private static final int MOST_ROWS = 1_000;

    private final List<ScenarioRun> runs;
    private final RunPictures pictures;

    private Page(List<ScenarioRun> runs) {
        this.runs = runs;
        this.pictures = pictures(runs);
    }

    private static RunPictures pictures(List<ScenarioRun> runs) {
        List<String> names = runs.stream()
                .flatMap(run -> run.file().messages().values().stream().map(ScenarioMessage::name)).toList();
        return new RunPictures(runs.getFirst().file().title().replace("`", ""), names,
                runs.stream().map(Page::drawn).toList());
    }

    private static DrawnRun drawn(ScenarioRun run) {
        return new DrawnRun(run.record(), run.file().variant(), sequence(run), run.file().serverLimits(),
                run.file().hasHosts());
    }

    private static String sequence(ScenarioRun run) {
        return SequenceNotation.text(ExpectationCheck.sequence(run.record(), _ -> true));
    }

    /// @param runs of one scenario
    public static String of(List<ScenarioRun> runs) {
        return Template.of(Page.class, "/page/run.html").fill(new Page(runs).values());
    }

    /// A picture of the timelines and the queue only, with a background.
    ///
    /// @param runs of one scenario
    public static String svg(List<ScenarioRun> runs) {
        return pictures(runs).svg();
    }

    private Map<String, Object> values() {
        Map<String, Object> values = new TreeMap<>();
        ScenarioFile file = runs.getFirst().file();
        values.put("title", file.title().replace("`", ""));
        values.put("story", parts(file.story().strip()));
        values.put("legend", pictures.legend());
        List<Map<String, Object>> all = new ArrayList<>();
        for (ScenarioRun run : runs) {
            all.add(values(run, all.size() + 1));
        }
        values.put("runs", all);
        values.put("has-comparison", runs.size() < 2 ? List.of() : List.of(Map.of()));
        values.put("comparison-titles", Comparison.titles(runs));
        values.put("comparison-rows", rows(Comparison.rows(runs)));
        values.put("message-titles", RunText.MESSAGE_TITLES);
        values.put("destination-titles", RunText.DESTINATION_TITLES);
        values.put("host-titles", RunText.HOST_TITLES);
        values.put("wait-titles", RunText.WAIT_TITLES);
        return values;
    }

    private Map<String, Object> values(ScenarioRun run, int number) {
        List<DeliveryBar> bars = DeliveryBar.of(run.record().attempts());
        Map<String, Object> values = new TreeMap<>(pictures.values(drawn(run)));
        values.put("run", number);
        values.put("variant", runs.size() < 2 ? List.of() : List.of(run.file().variant()));
        values.put("sequence", sequence(run));
        values.put("expected", expected(run));
        values.put("description", description(run));
        values.put("message-rows", rows(RunText.messageRows(run)));
        values.put("destination-rows", rows(RunText.destinationRows(run)));
        values.put("host-rows", rows(RunText.hostRows(run)));
        values.put("wait-rows", rows(RunText.waitRows(run)));
        words(run, bars, values);
        return values;
    }

    /// Splits a text with names between back-ticks into parts that are code and parts that are not.
    private static List<Map<String, List<String>>> parts(String text) {
        List<Map<String, List<String>>> parts = new ArrayList<>();
        String[] pieces = text.split("`", -1);
        for (int i = 0; i < pieces.length; i++) {
            boolean code = i % 2 == 1 && i + 1 < pieces.length;
            parts.add(Map.of("code", code ? List.of(pieces[i]) : List.of(), "plain",
                    code ? List.of() : List.of(pieces[i])));
        }
        return parts;
    }

    private static List<Map<String, String>> expected(ScenarioRun run) {
        List<Map<String, String>> all = new ArrayList<>();
        for (ExpectationCheck.CheckedExpectation check : run.checks()) {
            check.difference()
                    .ifPresent(text -> all.add(Map.of("class", "differs", "text", "Not as expected: " + text)));
        }
        if (all.isEmpty() && !run.checks().isEmpty()) {
            all.add(Map.of("class", "holds", "text", "The run is as the file expects."));
        }
        return all;
    }

    private static String description(ScenarioRun run) {
        RunRecord record = run.record();
        int connections = record.attempts().stream().mapToInt(Attempt::connection).max().orElse(0);
        return "%d deliveries on at most %d connections at a time within %s, with %d preemptions.".formatted(
                record.attempts().size(), connections, TimeAxis.seconds(record.endMillis()),
                record.preemptions().size());
    }

    private static List<Map<String, List<String>>> rows(List<List<String>> rows) {
        return rows.stream().map(row -> Map.of("cells", row)).toList();
    }

    private record TextRow(long fromMillis, String from, String to, String connection, String what) {
        Map<String, String> row() {
            return Map.of("from", from, "to", to, "connection", connection, "what", what);
        }
    }

    private static void words(ScenarioRun run, List<DeliveryBar> bars, Map<String, Object> values) {
        List<TextRow> sentences = new ArrayList<>();
        for (DeliveryBar each : bars) {
            sentences.add(new TextRow(each.selectedMillis(), TimeAxis.seconds(each.selectedMillis()),
                    TimeAxis.seconds(each.endMillis()), "" + each.connection(), each.text()));
        }
        for (PreemptionRecord each : run.record().preemptions()) {
            sentences.add(new TextRow(each.atMillis(), TimeAxis.seconds(each.atMillis()), "", "", each.words()));
        }
        sentences.sort(Comparator.comparingLong(TextRow::fromMillis));
        values.put("run-rows", sentences.stream().limit(MOST_ROWS).map(TextRow::row).toList());
        values.put("run-count", sentences.size() <= MOST_ROWS
                ? sentences.size() + " rows."
                : "The first " + MOST_ROWS + " of " + sentences.size() + " rows; --events prints all.");
    }
}
