package org.slipstream.lab.scene;

import org.slipstream.lab.scene.Course.CourseConnection;
import org.slipstream.lab.scene.Course.Road;
import org.slipstream.lab.scene.Stage.Played;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/// All series of one or more runs as figures, for tools that draw or compute: a table each, as CSV
/// or as JSON.
///
/// Times are milliseconds since the beginning of the scene. Each row says which run it belongs to,
/// from 1. A cell without a value is empty in CSV and `null` in JSON.
public final class SceneSeries {
    private static final String RUN = "run";

    private record Series(List<String> columns, List<List<Object>> rows) {}

    private final SequencedMap<String, Series> all = new LinkedHashMap<>();
    private final List<Played> runs;

    private SceneSeries(List<Played> runs) {
        this.runs = runs;
        add("runs", "title", "settings", "end_ms");
        add("messages", "message", "number", "arrives_ms", "recipients", "entries", "delivered", "failed", "first_ms",
                "last_ms", "alone_ms");
        add("deliveries", "delivery", "message", "destination", "transport", "recipients", "selected_ms", "start_ms",
                "end_ms", "slot", "result");
        add("preemptions", "at_ms", "transport", "passed", "stepping", "level", "balance");
        add("queue", "message", "at_ms", "waiting", "deferred", "under_way");
        add("waits", "message", "from_ms", "to_ms", "behind");
        add("windows", "destination", "at_ms", "event", "window", "server_limit");
        add("connections", "slot", "host", "from_ms", "to_ms", "phase", "deliveries", "end");
        add("hosts", "host", "at_ms", "state");
        for (int i = 0; i < runs.size(); i++) {
            write(i + 1, runs.get(i));
        }
    }

    /// A text for each file name.
    public static SequencedMap<String, String> csv(List<Played> runs) {
        SequencedMap<String, String> files = new LinkedHashMap<>();
        new SceneSeries(runs).all.forEach((name, series) -> files.put(name + ".csv", csv(series)));
        return files;
    }

    public static String json(List<Played> runs) {
        Map<String, Object> json = new LinkedHashMap<>();
        new SceneSeries(runs).all.forEach((name, series) -> json.put(name, objects(series)));
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(json) + "\n";
    }

    private void add(String name, String... columns) {
        List<String> titles = new ArrayList<>(List.of(RUN));
        titles.addAll(List.of(columns));
        all.put(name, new Series(titles, new ArrayList<>()));
    }

    private void row(String name, Object... cells) {
        all.get(name).rows().add(Arrays.asList(cells));
    }

    private void write(int run, Played played) {
        Course course = played.course();
        row("runs", run, played.scene().title(), played.scene().variant(), course.endMillis());
        messages(run, played);
        int delivery = 0;
        for (Course.Attempt each : course.attempts()) {
            row("deliveries", run, ++delivery, each.name(), each.road(), each.transport(), each.recipients(),
                    each.selectedMillis(), cell(each.startMillis()), each.endMillis(), each.slot(),
                    word(each.result()));
        }
        course.passings().forEach(each -> row("preemptions", run, each.atMillis(), each.transport(), each.passed(),
                each.stepping(), each.level(), each.slots()));
        course.queue().forEach((name, samples) -> samples.forEach(each -> row("queue", run, name, each.atMillis(),
                each.waiting(), each.deferred(), each.underWay())));
        WaitSeries.of(course).forEach(
                each -> row("waits", run, each.name(), each.fromMillis(), each.toMillis(), each.words()));
        course.roads().values().forEach(road -> windows(run, road, played.scene().serverLimits().get(road.name())));
        course.links().forEach(link -> connection(run, link));
        course.hosts().forEach((host, marks) -> marks
                .forEach(mark -> row("hosts", run, host, mark.atMillis(), mark.toString())));
    }

    private void messages(int run, Played played) {
        played.course().messages().forEach((id, way) -> {
            var message = played.scene().messages().get(id);
            var mail = played.scene().scenario().mails().get((int) id.value() - 1);
            row("messages", run, message.name(), message.number(), mail.arrivalMillis(), mail.recipients().size(),
                    way.entries(), way.delivered(), way.failed(), cell(way.firstMillis()), cell(way.lastMillis()),
                    played.alone().get(message.name()));
        });
    }

    private void windows(int run, Road road, Integer limit) {
        road.windows().forEach(mark -> row("windows", run, road.name(), mark.atMillis(),
                mark.event().name().toLowerCase(Locale.ROOT), mark.size(), limit));
    }

    private void connection(int run, CourseConnection link) {
        link.spans().forEach(span -> row("connections", run, link.slot(), link.host(), span.fromMillis(),
                span.toMillis(), span.phase().name().toLowerCase(Locale.ROOT), link.deliveries(), link.end()));
    }

    private static String word(Course.MessageResult result) {
        return result.name().toLowerCase(Locale.ROOT);
    }

    private static Object cell(OptionalLong millis) {
        return millis.isPresent() ? (Object) millis.getAsLong() : null;
    }

    private static String csv(Series series) {
        return String.join(",", series.columns()) + "\n" + series.rows().stream()
                .map(row -> row.stream().map(SceneSeries::quoted).collect(Collectors.joining(",")) + "\n")
                .collect(Collectors.joining());
    }

    /// RFC 4180.
    private static String quoted(Object cell) {
        String text = cell == null ? "" : cell.toString();
        return text.matches("[^\",\r\n]*") ? text : "\"" + text.replace("\"", "\"\"") + "\"";
    }

    private static List<Map<String, Object>> objects(Series series) {
        List<Map<String, Object>> objects = new ArrayList<>();
        for (List<Object> row : series.rows()) {
            Map<String, Object> object = new LinkedHashMap<>();
            for (int i = 0; i < row.size(); i++) {
                object.put(series.columns().get(i), row.get(i));
            }
            objects.add(object);
        }
        return objects;
    }
}
