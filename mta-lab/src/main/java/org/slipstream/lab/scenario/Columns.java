package org.slipstream.lab.scenario;

import java.util.ArrayList;
import java.util.List;

/// A table as text. The first column is aligned to the left, the others to the right.
final class Columns {
    private final List<List<String>> rows = new ArrayList<>();

    Columns(List<String> titles) {
        rows.add(titles);
    }

    void row(List<String> cells) {
        rows.add(cells);
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                int width = width(i);
                String pad = " ".repeat(width - row.get(i).length());
                line.append(i == 0 ? "" : "  ")
                        .append(i > 0 ? pad + row.get(i) : row.get(i) + pad);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }
}
