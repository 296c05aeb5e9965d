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

/// The file `index.txt` beside the traces: a line `name: section section …` for each of them.
///
/// A comparison skips what is not there. Without the index a lost file, or a section lost from a
/// file, would count as equal.
///
/// @param sections of each trace, by its name without `.json`
record GoldenIndex(SequencedMap<String, List<String>> sections) {
    static final String NAME = "index.txt";

    /// Empty where the folder has no index.
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

    /// The faults of the set of traces, a sentence each.
    ///
    /// @param names of the traces that are there
    List<String> gaps(List<String> names) {
        List<String> gaps = new ArrayList<>();
        sections.keySet().stream().filter(name -> !names.contains(name))
                .forEach(name -> gaps.add(name + ": FAIL named in " + NAME + ", and there is no such file"));
        names.stream().filter(name -> !sections.containsKey(name))
                .forEach(name -> gaps.add(name + ": FAIL not named in " + NAME));
        return gaps;
    }

    /// How the sections of a trace differ from those that are listed for it.
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
        unknown.removeAll(Golden.SECTIONS);
        return unknown.isEmpty() ? Optional.empty() : Optional.of("no section is called " + unknown.first());
    }
}
