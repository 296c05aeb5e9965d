package org.slipstream.lab.scenario;

import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;
import org.slipstream.picture.RunRecord;
import org.slipstream.picture.RunRecord.ConnectionRecord;
import org.slipstream.picture.RunRecord.DestinationRecord;
import org.slipstream.picture.WaitSeries;
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

/// All series of one or more runs as tables, in CSV or JSON, for programs that draw or compute.
///
/// Times are milliseconds since the start of the scenario. Each row has the number of its run, from
/// 1. A cell without a value is empty in CSV and `null` in JSON.
public final class RunSeries {
    private static final String RUN = "run";

    private record Series(List<String> columns, List<List<Object>> rows) {}

    private final SequencedMap<String, Series> all = new LinkedHashMap<>();
    private final List<ScenarioRun> runs;

    private RunSeries(List<ScenarioRun> runs) {
        this.runs = runs;
        add("runs", "title", "settings", "end_ms");
        add("messages", "message", "number", "arrives_ms", "recipients", "entries", "delivered", "failed", "first_ms",
                "last_ms", "alone_ms");
        add("deliveries", "delivery", "message", "destination", "transport", "recipients", "selected_ms", "start_ms",
                "end_ms", "connection", "result");
        add("preemptions", "at_ms", "transport", "passed", "stepping", "level", "balance");
        add("queue", "message", "at_ms", "waiting", "deferred", "under_way");
        add("waits", "message", "from_ms", "to_ms", "behind");
        add("windows", "destination", "at_ms", "event", "window", "server_limit");
        add("connections", "connection", "host", "from_ms", "to_ms", "phase", "deliveries", "end");
        add("hosts", "host", "at_ms", "state");
        for (int i = 0; i < runs.size(); i++) {
            write(i + 1, runs.get(i));
        }
    }

    /// The text of each file by its name.
    public static SequencedMap<String, String> csv(List<ScenarioRun> runs) {
        SequencedMap<String, String> files = new LinkedHashMap<>();
        new RunSeries(runs).all.forEach((name, series) -> files.put(name + ".csv", csv(series)));
        return files;
    }

    public static String json(List<ScenarioRun> runs) {
        Map<String, Object> json = new LinkedHashMap<>();
        new RunSeries(runs).all.forEach((name, series) -> json.put(name, objects(series)));
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

    private void write(int number, ScenarioRun run) {
        RunRecord record = run.record();
        row("runs", number, run.file().title(), run.file().variant(), record.endMillis());
        messages(number, run);
        int delivery = 0;
        for (RunRecord.Attempt each : record.attempts()) {
            row("deliveries", number, ++delivery, each.name(), each.destination(), each.transport(), each.recipients(),
                    each.selectedMillis(), cell(each.startMillis()), each.endMillis(), each.connection(),
                    word(each.result()));
        }
        record.preemptions()
                .forEach(each -> row("preemptions", number, each.atMillis(), each.transport(), each.passed(),
                        each.stepping(), each.level(), each.balance()));
        record.queue().forEach((name, samples) -> samples.forEach(each -> row("queue", number, name, each.atMillis(),
                each.waiting(), each.deferred(), each.underWay())));
        WaitSeries.of(record).forEach(
                each -> row("waits", number, each.name(), each.fromMillis(), each.toMillis(), each.text()));
        record.destinations().values().forEach(
                destination -> windows(number, destination, run.file().serverLimits().get(destination.name())));
        record.connections().forEach(connection -> connection(number, connection));
        record.hosts().forEach((host, marks) -> marks
                .forEach(mark -> row("hosts", number, host, mark.atMillis(), mark.toString())));
    }

    private void messages(int number, ScenarioRun run) {
        run.record().messages().forEach((id, result) -> {
            var message = run.file().messages().get(id);
            var mail = run.file().scenario().mails().get((int) id.value() - 1);
            row("messages", number, message.name(), message.number(), mail.arrivalMillis(), mail.recipients().size(),
                    result.entries(), result.delivered(), result.failed(), cell(result.firstMillis()),
                    cell(result.lastMillis()),
                    run.alone().get(message.name()));
        });
    }

    private void windows(int number, DestinationRecord destination, Integer limit) {
        destination.windows().forEach(mark -> row("windows", number, destination.name(), mark.atMillis(),
                mark.event(), mark.size(), limit));
    }

    private void connection(int number, ConnectionRecord connection) {
        connection.spans()
                .forEach(span -> row("connections", number, connection.number(), connection.host(), span.fromMillis(),
                        span.toMillis(), span.phase().name().toLowerCase(Locale.ROOT), connection.deliveries(),
                        connection.end()));
    }

    private static String word(RunRecord.AttemptOutcome result) {
        return result.name().toLowerCase(Locale.ROOT);
    }

    private static Object cell(OptionalLong millis) {
        return millis.isPresent() ? (Object) millis.getAsLong() : null;
    }

    private static String csv(Series series) {
        return String.join(",", series.columns()) + "\n" + series.rows().stream()
                .map(row -> row.stream().map(RunSeries::quoted).collect(Collectors.joining(",")) + "\n")
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
