package org.slipstream.lab.scenario;

import org.slipstream.lab.scenario.RunText.MessageRow;
import org.slipstream.lab.scenario.ScenarioRunner.ScenarioRun;

import java.util.ArrayList;
import java.util.List;

/// One table for two or more runs of a scenario: the time of the last delivery of each message, and
/// its inflation.
public final class Comparison {
    private Comparison() {}

    /// The table as text.
    public static List<String> lines(List<ScenarioRun> runs) {
        Columns columns = new Columns(titles(runs));
        rows(runs).forEach(columns::row);
        return columns.lines();
    }

    public static List<String> titles(List<ScenarioRun> runs) {
        List<String> titles = new ArrayList<>(List.of("message", "recipients"));
        runs.forEach(run -> titles.add("last, " + run.file().variant()));
        runs.forEach(run -> titles.add("inflation, " + run.file().variant()));
        return titles;
    }

    public static List<List<String>> rows(List<ScenarioRun> runs) {
        List<List<MessageRow>> all = runs.stream().map(MessageRow::of).toList();
        List<List<String>> rows = new ArrayList<>();
        for (MessageRow row : all.getFirst()) {
            List<String> cells = new ArrayList<>(List.of(row.name(), "" + row.recipients()));
            all.forEach(run -> cells.add(cell(run, row.name(), "last")));
            all.forEach(run -> cells.add(cell(run, row.name(), "inflation")));
            rows.add(cells);
        }
        return rows;
    }

    private static String cell(List<MessageRow> rows, String name, String title) {
        return rows.stream().filter(row -> row.name().equals(name)).findFirst()
                .map(row -> row.cells().get(RunText.MESSAGE_TITLES.indexOf(title))).orElse("–");
    }
}
