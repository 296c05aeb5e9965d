package org.slipstream.lab.scene;

import org.slipstream.lab.scene.SceneText.MessageRow;
import org.slipstream.lab.scene.Stage.Played;

import java.util.ArrayList;
import java.util.List;

/// Two or more runs of one scene as one table: when each message was delivered to its last
/// recipient, and its inflation.
public final class Comparison {
    private Comparison() {}

    /// The table as text.
    public static List<String> lines(List<Played> runs) {
        Columns columns = new Columns(titles(runs));
        rows(runs).forEach(columns::row);
        return columns.lines();
    }

    static List<String> titles(List<Played> runs) {
        List<String> titles = new ArrayList<>(List.of("message", "recipients"));
        runs.forEach(run -> titles.add("last, " + run.scene().variant()));
        runs.forEach(run -> titles.add("inflation, " + run.scene().variant()));
        return titles;
    }

    static List<List<String>> rows(List<Played> runs) {
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
                .map(row -> row.cells().get(SceneText.MESSAGE_TITLES.indexOf(title))).orElse("–");
    }
}
