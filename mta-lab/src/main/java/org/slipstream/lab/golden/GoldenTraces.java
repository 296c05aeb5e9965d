package org.slipstream.lab.golden;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The comparison of the queue manager with recorded traces of Postfix, file by file.
///
/// A trace is equal only if it has every section that the [GoldenIndex] lists for it. A comparison
/// without rows would prove nothing.
public final class GoldenTraces {
    /// The sections that a trace may have.
    static final List<String> SECTIONS = List.of("order", "selections", "feedback", "deferrals", "messages",
            "preemptions", "reads");

    private static final double TOLERANCE = 1e-6;

    private GoldenTraces() {}

    /// The result of one file.
    ///
    /// @param difference the first row that differs; empty when all rows are equal
    public record GoldenResult(String file, int selections, Optional<String> difference) {
        @Override
        public String toString() {
            return difference.map(d -> file + ": FAIL " + d).orElse(file + ": ok, " + selections + " selections");
        }
    }

    /// Runs every `*.json` file of a directory, or one file.
    ///
    /// @param lines receives a line for each file
    /// @param progress receives the position within the files, many times a second
    /// @return the exit code: 0 when all files are equal and complete, 1 when one is not, 2 when
    ///     there is no file to run
    public static int run(Path path, Consumer<String> lines, Consumer<Supplier<String>> progress)
            throws IOException {
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
                ? index.get().gaps(files.stream().map(GoldenTraces::name).toList())
                : List.of();
        gaps.forEach(lines);
        return gaps.size() + differing(files, index.get(), lines, progress) == 0 ? 0 : 1;
    }

    private static int differing(List<Path> files, GoldenIndex index, Consumer<String> lines,
            Consumer<Supplier<String>> progress) throws IOException {
        int differing = 0;
        for (int i = 0; i < files.size(); i++) {
            String position = "trace " + (i + 1) + " of " + files.size() + ", " + name(files.get(i)) + ": ";
            GoldenResult result = result(files.get(i), index,
                    seconds -> progress.accept(() -> position + seconds + " s of simulated time"));
            lines.accept(result.toString());
            differing += result.difference().isPresent() ? 1 : 0;
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

    static GoldenResult result(Path path, GoldenIndex index, LongConsumer reachedSeconds) throws IOException {
        String name = name(path);
        try {
            GoldenFile file = GoldenFile.read(path);
            GoldenTrace trace = GoldenSimulation.run(file, reachedSeconds);
            return new GoldenResult(name, trace.selections.size(),
                    index.difference(name, file.expected()).or(() -> compare(file.expected(), trace)));
        } catch (IllegalArgumentException e) {
            return new GoldenResult(name, 0, Optional.of(e.getMessage()));
        } catch (RuntimeException e) {
            return new GoldenResult(name, 0, Optional.of("the queue manager failed: " + e));
        }
    }

    private record TraceSection(String name, List<List<Object>> rows) {}

    private static Optional<String> compare(JsonNode expected, GoldenTrace trace) {
        List<TraceSection> sections = List.of(new TraceSection("selections", trace.selections),
                new TraceSection("feedback", trace.feedback), new TraceSection("deferrals", trace.deferrals()),
                new TraceSection("messages", trace.messages()), new TraceSection("preemptions", trace.preemptions),
                new TraceSection("reads", trace.reads));
        for (TraceSection section : sections) {
            Optional<String> difference = rows(section.name(), expected).flatMap(rows -> compare(section, rows));
            if (difference.isPresent()) {
                return difference;
            }
        }
        return order(expected, trace);
    }

    // A file without the section "deferrals" states that there were none. Other missing sections
    // are not compared.
    private static Optional<List<JsonNode>> rows(String section, JsonNode expected) {
        return expected.has(section)
                ? Optional.of(GoldenFile.list(expected.get(section)))
                : section.equals("deferrals") ? Optional.of(List.of()) : Optional.empty();
    }

    // The section "order" has the numbers of the messages in one line, `1` for `M001`.
    private static Optional<String> order(JsonNode expected, GoldenTrace trace) {
        String found = trace.selections.stream().map(row -> row.get(2).toString().replaceFirst("^[A-Za-z]+0*", ""))
                .collect(Collectors.joining(" "));
        return expected.has("order") && !expected.get("order").asString().equals(found)
                ? Optional.of("order: expected " + expected.get("order") + ", got " + found)
                : Optional.empty();
    }

    private static Optional<String> compare(TraceSection section, List<JsonNode> expected) {
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
}
