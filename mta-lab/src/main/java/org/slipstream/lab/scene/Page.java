package org.slipstream.lab.scene;

import org.slipstream.lab.scene.Course.Attempt;
import org.slipstream.lab.scene.Course.Passing;
import org.slipstream.lab.scene.Stage.Played;

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

/// One or two runs of a scene as a page or as a picture: one file that needs nothing from
/// elsewhere.
///
/// The texts are in the templates `page/scene.html` and `page/scene.svg`; this class fills their
/// holes. Two runs are drawn one above the other, with the same colors on the same time axis.
/// Tables repeat the content of the pictures, for readers who do not see pictures.
public final class Page {
    private static final int MOST_ROWS = 1_000;
    private static final int COLORS = 8;
    private static final int HEAD = 96;
    private static final int RUN_HEAD = 26;
    private static final int LETTER = 7;

    private final List<Played> runs;
    private final Map<String, Integer> colors = new LinkedHashMap<>();
    private final TimeAxis axis;

    private Page(List<Played> runs) {
        this.runs = runs;
        for (Played run : runs) {
            run.scene().messages().values().forEach(message -> color(message.name()));
            run.course().attempts().forEach(attempt -> color(attempt.name()));
        }
        this.axis = new TimeAxis(
                runs.stream().flatMap(run -> Stretch.of(run.course().attempts()).stream())
                        .sorted(Comparator.comparingLong(Stretch::selectedMillis)).toList(),
                Picture.LEFT, Picture.RIGHT);
    }

    /// @param runs of one scene
    public static String of(List<Played> runs) {
        return template("scene.html").fill(new Page(runs).values());
    }

    /// The timelines and the queue only, as a picture with a background of its own.
    ///
    /// @param runs of one scene
    public static String svg(List<Played> runs) {
        return template("scene.svg").fill(new Page(runs).pictureValues());
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
        Scene scene = runs.getFirst().scene();
        values.put("title", scene.title().replace("`", ""));
        values.put("story", parts(scene.story().strip()));
        values.put("legend", legend());
        List<Map<String, Object>> all = new ArrayList<>();
        for (Played run : runs) {
            all.add(values(run, all.size() + 1));
        }
        values.put("runs", all);
        values.put("has-comparison", runs.size() < 2 ? List.of() : List.of(Map.of()));
        values.put("comparison-titles", Comparison.titles(runs));
        values.put("comparison-rows", rows(Comparison.rows(runs)));
        values.put("message-titles", SceneText.MESSAGE_TITLES);
        values.put("road-titles", SceneText.ROAD_TITLES);
        values.put("host-titles", SceneText.HOST_TITLES);
        values.put("wait-titles", SceneText.WAIT_TITLES);
        return values;
    }

    private List<Map<String, Object>> legend() {
        return colors.entrySet().stream()
                .<Map<String, Object>>map(each -> Map.of("name", each.getKey(), "color", each.getValue())).toList();
    }

    private Map<String, Object> values(Played run, int number) {
        List<Stretch> stretches = Stretch.of(run.course().attempts());
        Map<String, Object> values = new TreeMap<>(picture(run, stretches).values());
        values.put("run", number);
        values.put("variant", runs.size() < 2 ? List.of() : List.of(run.scene().variant()));
        values.put("sequence", Runs.text(Verdicts.sequence(run.course(), _ -> true)));
        values.put("expected", expected(run));
        values.put("description", description(run));
        values.put("message-rows", rows(SceneText.messageRows(run)));
        values.put("road-rows", rows(SceneText.roadRows(run)));
        values.put("host-rows", rows(SceneText.hostRows(run)));
        values.put("wait-rows", rows(SceneText.waitRows(run)));
        words(run, stretches, values);
        return values;
    }

    private Picture picture(Played run, List<Stretch> stretches) {
        return new Picture(run.course(), stretches, axis, this::color, run.scene().serverLimits());
    }

    /// The timelines and the queues one above the other.
    private Map<String, Object> pictureValues() {
        List<Map<String, Object>> all = new ArrayList<>();
        int y = HEAD;
        for (Played run : runs) {
            Picture picture = picture(run, Stretch.of(run.course().attempts()));
            Map<String, Object> values = new TreeMap<>(picture.values());
            values.put("run-y", y);
            values.put("run-text-y", y + 16);
            values.put("timeline-y", y + RUN_HEAD);
            values.put("queue-y", y + RUN_HEAD + picture.height() + 8);
            values.put("variant", run.scene().variant());
            values.put("sequence", Runs.text(Verdicts.sequence(run.course(), _ -> true)));
            all.add(values);
            y += RUN_HEAD + picture.height() + Charts.HEIGHT + 24;
        }
        List<Map<String, Object>> legend = new ArrayList<>();
        int x = Picture.LEFT;
        for (var each : colors.entrySet()) {
            legend.add(Map.of("name", each.getKey(), "color", each.getValue(), "x", x, "text-x", x + 20));
            x += 44 + each.getKey().length() * LETTER;
        }
        Map<String, Object> values = new TreeMap<>();
        values.put("title", runs.getFirst().scene().title().replace("`", ""));
        values.put("runs", all);
        values.put("legend", legend);
        values.put("picture-width", Picture.WIDTH + 16);
        values.put("picture-height", y);
        return values;
    }

    /// A text with names between back-ticks, as parts that are code and parts that are not.
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

    private static List<Map<String, String>> expected(Played run) {
        List<Map<String, String>> all = new ArrayList<>();
        for (Verdicts.SceneVerdict verdict : run.verdicts()) {
            verdict.difference()
                    .ifPresent(text -> all.add(Map.of("class", "differs", "text", "Not as expected: " + text)));
        }
        if (all.isEmpty() && !run.verdicts().isEmpty()) {
            all.add(Map.of("class", "holds", "text", "This is what the file expects."));
        }
        return all;
    }

    private static String description(Played run) {
        Course course = run.course();
        int slots = course.attempts().stream().mapToInt(Attempt::slot).max().orElse(0);
        return "%d deliveries on at most %d connections at a time within %s, with %d preemptions.".formatted(
                course.attempts().size(), slots, Times.seconds(course.endMillis()), course.passings().size());
    }

    private static List<Map<String, List<String>>> rows(List<List<String>> rows) {
        return rows.stream().map(row -> Map.of("cells", row)).toList();
    }

    private record Sentence(long fromMillis, String from, String to, String slot, String what) {
        Map<String, String> row() {
            return Map.of("from", from, "to", to, "slot", slot, "what", what);
        }
    }

    private static void words(Played run, List<Stretch> stretches, Map<String, Object> values) {
        List<Sentence> sentences = new ArrayList<>();
        for (Stretch each : stretches) {
            sentences.add(new Sentence(each.selectedMillis(), Times.seconds(each.selectedMillis()),
                    Times.seconds(each.endMillis()), "" + each.slot(), each.words()));
        }
        for (Passing each : run.course().passings()) {
            sentences.add(new Sentence(each.atMillis(), Times.seconds(each.atMillis()), "", "", words(each)));
        }
        sentences.sort(Comparator.comparingLong(Sentence::fromMillis));
        values.put("run-rows", sentences.stream().limit(MOST_ROWS).map(Sentence::row).toList());
        values.put("run-count", sentences.size() <= MOST_ROWS
                ? sentences.size() + " rows."
                : "The first " + MOST_ROWS + " of " + sentences.size() + " rows; --events prints all.");
    }

    static String words(Passing passing) {
        return passing.stepping() + " steps in front of " + passing.passed() + ", level " + passing.level();
    }
}
