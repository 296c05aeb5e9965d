package org.slipstream.lab.golden;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Runs golden files and says of each whether the queue manager decides as the original did.
public final class Golden {
    private static final double TOLERANCE = 1e-6;

    private Golden() {}

    /// What came of one file.
    ///
    /// @param difference the first differing row; empty when all are equal
    public record Verdict(String file, int selections, Optional<String> difference) {
        @Override
        public String toString() {
            return difference.map(d -> file + ": FAIL " + d).orElse(file + ": ok, " + selections + " selections");
        }
    }

    /// Every `*.json` of a directory, or one file, a line each.
    ///
    /// @return the exit code: 0 when all are equal, 1 when one is not, 2 when there is nothing to run
    public static int run(Path path, Consumer<String> lines) throws IOException {
        List<Path> files = files(path);
        if (files.isEmpty()) {
            lines.accept(path + ": no golden files (*.json) here");
            return 2;
        }
        int failed = 0;
        for (Path file : files) {
            Verdict verdict = judge(file);
            lines.accept(verdict.toString());
            failed += verdict.difference().isPresent() ? 1 : 0;
        }
        lines.accept((files.size() - failed) + " of " + files.size() + " ok");
        return failed == 0 ? 0 : 1;
    }

    public static List<Path> files(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return Files.isRegularFile(path) ? List.of(path) : List.of();
        }
        try (Stream<Path> all = Files.list(path)) {
            return all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        }
    }

    public static Verdict judge(Path path) throws IOException {
        String name = path.getFileName().toString().replaceFirst("\\.json$", "");
        try {
            GoldenFile file = GoldenFile.read(path);
            Trace trace = GoldenWorld.live(file);
            return new Verdict(name, trace.selections.size(), compare(file.expected(), trace));
        } catch (IllegalArgumentException e) {
            return new Verdict(name, 0, Optional.of(e.getMessage()));
        } catch (RuntimeException e) {
            return new Verdict(name, 0, Optional.of("the queue manager broke: " + e));
        }
    }

    private record Section(String name, List<List<Object>> rows) {}

    private static Optional<String> compare(JsonNode expected, Trace trace) {
        List<Section> sections = List.of(new Section("selections", trace.selections),
                new Section("feedback", trace.feedback), new Section("deferrals", trace.deferrals()),
                new Section("messages", trace.messages()), new Section("preemptions", trace.preemptions),
                new Section("reads", trace.reads));
        for (Section section : sections) {
            if (expected.has(section.name())) {
                Optional<String> difference = compare(section, GoldenFile.list(expected.get(section.name())));
                if (difference.isPresent()) {
                    return difference;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<String> compare(Section section, List<JsonNode> expected) {
        List<List<Object>> rows = section.rows();
        for (int i = 0; i < Math.max(rows.size(), expected.size()); i++) {
            String wanted = i < expected.size() ? expected.get(i).toString() : "nothing";
            String found = i < rows.size() ? rows.get(i).toString() : "nothing";
            if (i >= expected.size() || i >= rows.size() || !same(GoldenFile.list(expected.get(i)), rows.get(i))) {
                return Optional.of(section.name() + " row " + (i + 1) + ": expected " + wanted + ", got " + found);
            }
        }
        return Optional.empty();
    }

    private static boolean same(List<JsonNode> expected, List<Object> row) {
        if (expected.size() != row.size()) {
            return false;
        }
        List<Boolean> equal = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            JsonNode wanted = expected.get(i);
            equal.add(row.get(i) instanceof Number found
                    ? wanted.isNumber() && Math.abs(wanted.asDouble() - found.doubleValue()) <= TOLERANCE
                    : wanted.asString().equals(row.get(i)));
        }
        return !equal.contains(false);
    }

    /// `Golden DIR`
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1) {
            System.err.println("usage: golden DIR-OR-FILE");
            System.exit(2);
        }
        System.exit(run(Path.of(arguments[0]), System.out::println));
    }
}
