package org.slipstream.lab.picture;

import org.slipstream.lab.scenario.Comparison;
import org.slipstream.lab.scenario.ExpectationCheck;
import org.slipstream.lab.scenario.RunRecord;
import org.slipstream.lab.scenario.RunRecord.Attempt;
import org.slipstream.lab.scenario.RunRecord.PreemptionRecord;
import org.slipstream.lab.scenario.RunText;
import org.slipstream.lab.scenario.ScenarioFile;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;
import org.slipstream.lab.scenario.SequenceNotation;
import org.slipstream.lab.scenario.Times;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// One or two runs of a scenario as a page or as a picture. The file needs no other file.
///
/// The texts are in the templates `page/run.html` and `page/run.svg`; this class computes their
/// values. Two runs are drawn one above the other, with the same colors and the same time axis.
/// Tables repeat the content of the pictures for readers who cannot see them.
public final class Page {
    private static final int MOST_ROWS = 1_000;
    private static final int COLORS = 8;
    private static final int HEAD = 96;
    private static final int RUN_HEAD = 26;
    private static final int CHARACTER_WIDTH = 7;

    private final List<ScenarioRun> runs;
    private final Map<String, Integer> colors = new LinkedHashMap<>();
    private final TimeAxis axis;

    private Page(List<ScenarioRun> runs) {
        this.runs = runs;
        for (ScenarioRun run : runs) {
            run.file().messages().values().forEach(message -> color(message.name()));
            run.record().attempts().forEach(attempt -> color(attempt.name()));
        }
        this.axis = new TimeAxis(
                runs.stream().flatMap(run -> DeliveryBar.of(run.record().attempts()).stream())
                        .sorted(Comparator.comparingLong(DeliveryBar::selectedMillis)).toList(),
                Picture.LEFT, Picture.RIGHT);
    }

    /// @param runs of one scenario
    public static String of(List<ScenarioRun> runs) {
        return template("run.html").fill(new Page(runs).values());
    }

    /// A picture of the timelines and the queue only, with a background.
    ///
    /// @param runs of one scenario
    public static String svg(List<ScenarioRun> runs) {
        return template("run.svg").fill(new Page(runs).pictureValues());
    }

    private static Template template(String name) {
        try (InputStream stream = Page.class.getResourceAsStream("/page/" + name)) {
            return Template.of(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private int color(String name) {
        colors.putIfAbsent(name, colors.size() % COLORS);
        return colors.get(name);
    }

    private Map<String, Object> values() {
        Map<String, Object> values = new TreeMap<>();
        ScenarioFile file = runs.getFirst().file();
        values.put("title", file.title().replace("`", ""));
        values.put("story", parts(file.story().strip()));
        values.put("legend", legend());
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

    private List<Map<String, Object>> legend() {
        return colors.entrySet().stream()
                .<Map<String, Object>>map(each -> Map.of("name", each.getKey(), "color", each.getValue())).toList();
    }

    private Map<String, Object> values(ScenarioRun run, int number) {
        List<DeliveryBar> bars = DeliveryBar.of(run.record().attempts());
        Map<String, Object> values = new TreeMap<>(picture(run, bars).values());
        values.put("run", number);
        values.put("variant", runs.size() < 2 ? List.of() : List.of(run.file().variant()));
        values.put("sequence", SequenceNotation.text(ExpectationCheck.sequence(run.record(), _ -> true)));
        values.put("expected", expected(run));
        values.put("description", description(run));
        values.put("message-rows", rows(RunText.messageRows(run)));
        values.put("destination-rows", rows(RunText.destinationRows(run)));
        values.put("host-rows", rows(RunText.hostRows(run)));
        values.put("wait-rows", rows(RunText.waitRows(run)));
        words(run, bars, values);
        return values;
    }

    private Picture picture(ScenarioRun run, List<DeliveryBar> bars) {
        return new Picture(run.record(), bars, axis, this::color, run.file().serverLimits());
    }

    /// The timelines and the queues, one above the other.
    private Map<String, Object> pictureValues() {
        List<Map<String, Object>> all = new ArrayList<>();
        int y = HEAD;
        for (ScenarioRun run : runs) {
            Picture picture = picture(run, DeliveryBar.of(run.record().attempts()));
            Map<String, Object> values = new TreeMap<>(picture.values());
            values.put("run-y", y);
            values.put("run-text-y", y + 16);
            values.put("timeline-y", y + RUN_HEAD);
            values.put("queue-y", y + RUN_HEAD + picture.height() + 8);
            values.put("variant", run.file().variant());
            values.put("sequence", SequenceNotation.text(ExpectationCheck.sequence(run.record(), _ -> true)));
            all.add(values);
            y += RUN_HEAD + picture.height() + Charts.HEIGHT + 24;
        }
        List<Map<String, Object>> legend = new ArrayList<>();
        int x = Picture.LEFT;
        for (var each : colors.entrySet()) {
            legend.add(Map.of("name", each.getKey(), "color", each.getValue(), "x", x, "text-x", x + 20));
            x += 44 + each.getKey().length() * CHARACTER_WIDTH;
        }
        Map<String, Object> values = new TreeMap<>();
        values.put("title", runs.getFirst().file().title().replace("`", ""));
        values.put("runs", all);
        values.put("legend", legend);
        values.put("picture-width", Picture.WIDTH + 16);
        values.put("picture-height", y);
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
                record.attempts().size(), connections, Times.seconds(record.endMillis()), record.preemptions().size());
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
            sentences.add(new TextRow(each.selectedMillis(), Times.seconds(each.selectedMillis()),
                    Times.seconds(each.endMillis()), "" + each.connection(), each.text()));
        }
        for (PreemptionRecord each : run.record().preemptions()) {
            sentences.add(new TextRow(each.atMillis(), Times.seconds(each.atMillis()), "", "", words(each)));
        }
        sentences.sort(Comparator.comparingLong(TextRow::fromMillis));
        values.put("run-rows", sentences.stream().limit(MOST_ROWS).map(TextRow::row).toList());
        values.put("run-count", sentences.size() <= MOST_ROWS
                ? sentences.size() + " rows."
                : "The first " + MOST_ROWS + " of " + sentences.size() + " rows; --events prints all.");
    }

    static String words(PreemptionRecord preemption) {
        return preemption.stepping() + " preempts " + preemption.passed() + ", level " + preemption.level();
    }
}
