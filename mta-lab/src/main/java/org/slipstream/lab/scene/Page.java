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

/// How a scene went, as a page: one file of HTML that needs nothing from anywhere.
///
/// The words are in the template `page/scene.html`; here is what goes into its holes. The picture is drawn on a grid of one row
/// per connection; what it shows is said again in tables, for those who do not see it.
public final class Page {
    private static final int MOST_ROWS = 1_000;
    private static final int COLORS = 8;

    private final Played played;
    private final Map<String, Integer> colors = new LinkedHashMap<>();
    private final List<Stretch> stretches;
    private final Picture picture;

    private Page(Played played) {
        this.played = played;
        this.stretches = Stretch.of(played.course().attempts());
        played.scene().messages().values().forEach(message -> color(message.name()));
        played.course().attempts().forEach(attempt -> color(attempt.name()));
        this.picture = new Picture(played.course(), stretches, this::color);
    }

    public static String of(Played played) {
        return template().fill(new Page(played).values());
    }

    private static Template template() {
        try (InputStream stream = Page.class.getResourceAsStream("/page/scene.html")) {
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
        Map<String, Object> values = new TreeMap<>(picture.values());
        values.put("title", played.scene().title());
        values.put("story", played.scene().story().strip());
        values.put("sequence", Runs.text(Verdicts.sequence(played.course(), _ -> true)));
        values.put("expected", expected());
        values.put("description", description());
        values.put("legend", colors.entrySet().stream()
                .map(each -> Map.of("name", each.getKey(), "color", each.getValue())).toList());
        values.put("message-titles", SceneText.MESSAGE_TITLES);
        values.put("message-rows", rows(SceneText.messageRows(played)));
        values.put("road-titles", SceneText.ROAD_TITLES);
        values.put("road-rows", rows(SceneText.roadRows(played)));
        values.put("host-titles", SceneText.HOST_TITLES);
        values.put("host-rows", rows(SceneText.hostRows(played)));
        words(values);
        return values;
    }

    private List<Map<String, String>> expected() {
        List<Map<String, String>> all = new ArrayList<>();
        for (Verdicts.Verdict verdict : played.verdicts()) {
            verdict.difference()
                    .ifPresent(text -> all.add(Map.of("class", "differs", "text", "Not as expected: " + text)));
        }
        if (all.isEmpty() && !played.verdicts().isEmpty()) {
            all.add(Map.of("class", "holds", "text", "This is what the file expects."));
        }
        return all;
    }

    private String description() {
        Course course = played.course();
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

    private void words(Map<String, Object> values) {
        List<Sentence> sentences = new ArrayList<>();
        for (Stretch each : stretches) {
            sentences.add(new Sentence(each.selectedMillis(), Times.seconds(each.selectedMillis()),
                    Times.seconds(each.endMillis()), "" + each.slot(), each.words()));
        }
        for (Passing each : played.course().passings()) {
            sentences.add(new Sentence(each.atMillis(), Times.seconds(each.atMillis()), "", "", words(each)));
        }
        sentences.sort(Comparator.comparingLong(Sentence::fromMillis));
        values.put("run-rows", sentences.stream().limit(MOST_ROWS).map(Sentence::row).toList());
        values.put("run-count", sentences.size() <= MOST_ROWS
                ? sentences.size() + " rows."
                : "The first " + MOST_ROWS + " of " + sentences.size() + " rows; `--events` prints everything.");
    }

    static String words(Passing passing) {
        return passing.stepping() + " steps in front of " + passing.passed() + ", level " + passing.level();
    }
}
