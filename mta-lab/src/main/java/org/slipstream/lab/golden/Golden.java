package org.slipstream.lab.golden;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Runs golden files and says of each whether the queue manager decides as the original did.
///
/// A trace counts when the [GoldenIndex] beside it names it with its sections: a comparison that
/// finds nothing to compare proves nothing.
public final class Golden {
    /// All that a trace may record.
    static final List<String> SECTIONS = List.of("order", "selections", "feedback", "deferrals", "messages",
            "preemptions", "reads");

    private static final double TOLERANCE = 1e-6;

    private Golden() {}

    /// The result of one file.
    ///
    /// @param difference the first differing row; empty when all are equal
    public record GoldenVerdict(String file, int selections, Optional<String> difference) {
        @Override
        public String toString() {
            return difference.map(d -> file + ": FAIL " + d).orElse(file + ": ok, " + selections + " selections");
        }
    }

    /// Every `*.json` of a directory, or one file, a line each.
    ///
    /// @return the exit code: 0 when all are equal and none is missing, 1 when one is not, 2 when
    ///     there is nothing to run
    public static int run(Path path, Consumer<String> lines) throws IOException {
        List<Path> files = files(path);
        if (files.isEmpty()) {
            lines.accept(path + ": no golden files (*.json) here");
            return 2;
        }
        Path folder = Files.isDirectory(path) ? path : path.toAbsolutePath().getParent();
        Optional<GoldenIndex> index = GoldenIndex.in(folder);
        if (index.isEmpty()) {
            lines.accept(folder + ": no " + GoldenIndex.NAME
                    + " here; write a line \"name: section section …\" for each file that has to be there");
            return 2;
        }
        List<String> gaps = Files.isDirectory(path)
                ? index.get().gaps(files.stream().map(Golden::name).toList())
                : List.of();
        gaps.forEach(lines);
        return gaps.size() + differing(files, index.get(), lines) == 0 ? 0 : 1;
    }

    private static int differing(List<Path> files, GoldenIndex index, Consumer<String> lines) throws IOException {
        int differing = 0;
        for (Path file : files) {
            GoldenVerdict verdict = judge(file, index);
            lines.accept(verdict.toString());
            differing += verdict.difference().isPresent() ? 1 : 0;
        }
        lines.accept((files.size() - differing) + " of " + files.size() + " ok");
        return differing;
    }

    public static List<Path> files(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return Files.isRegularFile(path) ? List.of(path) : List.of();
        }
        try (Stream<Path> all = Files.list(path)) {
            return all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        }
    }

    private static String name(Path file) {
        return file.getFileName().toString().replaceFirst("\\.json$", "");
    }

    static GoldenVerdict judge(Path path, GoldenIndex index) throws IOException {
        String name = name(path);
        try {
            GoldenFile file = GoldenFile.read(path);
            Trace trace = GoldenWorld.live(file);
            return new GoldenVerdict(name, trace.selections.size(),
                    index.difference(name, file.expected()).or(() -> compare(file.expected(), trace)));
        } catch (IllegalArgumentException e) {
            return new GoldenVerdict(name, 0, Optional.of(e.getMessage()));
        } catch (RuntimeException e) {
            return new GoldenVerdict(name, 0, Optional.of("the queue manager broke: " + e));
        }
    }

    private record Section(String name, List<List<Object>> rows) {}

    private static Optional<String> compare(JsonNode expected, Trace trace) {
        List<Section> sections = List.of(new Section("selections", trace.selections),
                new Section("feedback", trace.feedback), new Section("deferrals", trace.deferrals()),
                new Section("messages", trace.messages()), new Section("preemptions", trace.preemptions),
                new Section("reads", trace.reads));
        for (Section section : sections) {
            Optional<String> difference = rows(section.name(), expected).flatMap(rows -> compare(section, rows));
            if (difference.isPresent()) {
                return difference;
            }
        }
        return order(expected, trace);
    }

    // A file without deferrals says that there were none; what else it leaves out, it says nothing
    // about.
    private static Optional<List<JsonNode>> rows(String section, JsonNode expected) {
        return expected.has(section)
                ? Optional.of(GoldenFile.list(expected.get(section)))
                : section.equals("deferrals") ? Optional.of(List.of()) : Optional.empty();
    }

    // The numbers of the messages, as `1` for `M001`, in one line.
    private static Optional<String> order(JsonNode expected, Trace trace) {
        String found = trace.selections.stream().map(row -> row.get(2).toString().replaceFirst("^[A-Za-z]+0*", ""))
                .collect(Collectors.joining(" "));
        return expected.has("order") && !expected.get("order").asString().equals(found)
                ? Optional.of("order: expected " + expected.get("order") + ", got " + found)
                : Optional.empty();
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
