package org.slipstream.cli.frame;

import org.slipstream.core.text.Controls;

import java.util.ArrayList;
import java.util.List;

/// Formats rows as aligned text. Control characters, which may come from remote replies, are
/// replaced.
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... head) {
        rows.add(List.of(head));
    }

    public void add(String... cells) {
        rows.add(List.of(cells).stream().map(Controls::replaced).toList());
    }

    public List<String> lines() {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.size(); i++) {
            line.append(row.get(i));
            if (i < row.size() - 1) {
                line.append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
        }
        return line.toString().stripTrailing();
    }
}
