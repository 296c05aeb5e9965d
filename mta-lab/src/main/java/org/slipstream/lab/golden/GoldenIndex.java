package org.slipstream.lab.golden;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeSet;

/// The file `index.txt` beside the traces, with a line `name: section section …` for each trace.
///
/// A comparison skips a section that a file does not have. Without the index, a lost file or a lost
/// section would pass as equal.
///
/// @param sections of each trace, by its name without `.json`
record GoldenIndex(SequencedMap<String, List<String>> sections) {
    static final String NAME = "index.txt";

    /// The index of a folder; empty when the folder has none.
    static Optional<GoldenIndex> in(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        SequencedMap<String, List<String>> sections = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank()) {
                String[] parts = line.strip().split(":? +");
                sections.put(parts[0], List.of(parts).subList(1, parts.length));
            }
        }
        return Optional.of(new GoldenIndex(sections));
    }

    /// The differences between the index and the files of the folder, a sentence each.
    ///
    /// @param names of the traces in the folder
    List<String> gaps(List<String> names) {
        List<String> gaps = new ArrayList<>();
        sections.keySet().stream().filter(name -> !names.contains(name))
                .forEach(name -> gaps.add(name + ": FAIL named in " + NAME + ", but the file is missing"));
        names.stream().filter(name -> !sections.containsKey(name))
                .forEach(name -> gaps.add(name + ": FAIL not named in " + NAME));
        return gaps;
    }

    /// The first difference between the sections of a trace and those that the index lists.
    Optional<String> difference(String name, JsonNode expected) {
        List<String> listed = sections.getOrDefault(name, List.of());
        List<String> found = new ArrayList<>(expected.propertyNames());
        Optional<String> lost = listed.stream().filter(section -> !found.contains(section)).findFirst();
        Optional<String> extra = found.stream().filter(section -> !listed.contains(section)).findFirst();
        return lost.map(section -> "section " + section + " is missing")
                .or(() -> extra.map(section -> "section " + section + " is not named in " + NAME))
                .or(() -> unknown(listed));
    }

    private static Optional<String> unknown(List<String> listed) {
        TreeSet<String> unknown = new TreeSet<>(listed);
        unknown.removeAll(GoldenTraces.SECTIONS);
        return unknown.isEmpty() ? Optional.empty() : Optional.of("unknown section " + unknown.first());
    }
}
