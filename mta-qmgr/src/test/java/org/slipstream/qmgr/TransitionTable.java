package org.slipstream.qmgr;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// The table of states in the comment of a class: the documentation that a test walks cell by cell.
public final class TransitionTable {
    private TransitionTable() {}

    /// By state and call, as written.
    public static Map<String, Map<String, String>> of(Class<?> documented) throws IOException {
        List<String[]> rows = Files
                .readAllLines(Path.of("src/main/java", documented.getName().replace('.', '/') + ".java")).stream()
                .filter(line -> line.startsWith("/// | ")).map(line -> line.substring(6).split(" *\\| *")).toList();
        Map<String, Map<String, String>> table = new LinkedHashMap<>();
        for (String[] row : rows.subList(1, rows.size())) {
            Map<String, String> cells = new LinkedHashMap<>();
            IntStream.range(1, row.length).forEach(i -> cells.put(rows.getFirst()[i], row[i]));
            table.put(row[0], cells);
        }
        return table;
    }
}
