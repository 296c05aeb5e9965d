package org.slipstream.it.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/// The report of a run: `faults.txt` with the transcript as it grows, and `faults.html` with figures and
/// transcript.
final class FaultReport {
    private final Path folder;
    private final String arguments;
    private final PrintWriter text;
    private final List<String> lines = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final StringBuilder tables = new StringBuilder();

    FaultReport(Path folder, String arguments) {
        this.folder = folder;
        this.arguments = arguments;
        try {
            text = new PrintWriter(Files.newBufferedWriter(folder.resolve("faults.txt")), true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        line("arguments: " + arguments);
    }

    void line(String line) {
        lines.add(line);
        text.println(line);
        System.out.println(line);
    }

    void violation(String what) {
        violations.add(what);
        line("VIOLATION: " + what);
    }

    boolean isGood() {
        return violations.isEmpty();
    }

    /// The figures of the whole run.
    void figures(FaultyCluster cluster, List<FaultRecord> faults, HistoryCheck check) {
        check.violations().forEach(this::violation);
        MailHistory history = cluster.history();
        int further = check.furtherCopies().values().stream().mapToInt(Integer::intValue).sum();
        table("Run", List.of("", ""), List.of(
                List.of("faults", String.valueOf(faults.size())),
                List.of("messages with a 250", String.valueOf(history.acknowledged().size())),
                List.of("without an outcome", String.valueOf(history.open().size())),
                List.of("transactions without a 250", String.valueOf(history.refused().size())),
                List.of("copies repeated by a fault", String.valueOf(further)),
                List.of("terms of shards", String.valueOf(cluster.claims().size())),
                List.of("most connections to a host, those about to end too, limit " + FaultyCluster.LANES,
                        String.valueOf(
                                cluster.hosts().values().stream().flatMap(host -> host.overlaps().stream())
                                        .mapToInt(each -> each.from().size()).max().orElse(0))),
                List.of("promises broken", String.valueOf(violations.size()))));
        Map<FaultKind, List<FaultRecord>> kinds = new EnumMap<>(FaultKind.class);
        faults.forEach(fault -> kinds.computeIfAbsent(fault.kind(), _ -> new ArrayList<>()).add(fault));
        List<List<String>> rows = new ArrayList<>();
        kinds.forEach((kind, all) -> rows.add(List.of(kind.words(), String.valueOf(all.size()),
                spread(all.stream().filter(each -> each.goesOn().isPresent())
                        .mapToLong(each -> each.goesOn().getAsLong())),
                spread(all, FaultRecord::silence),
                spread(all, each -> (each.settled() - each.ended()) / 1_000_000),
                String.valueOf(all.stream().mapToLong(FaultRecord::refused).sum()),
                all.stream().mapToInt(each -> check.furtherCopies().getOrDefault(each.number(), 0)).sum() + " / "
                        + all.stream().mapToInt(each -> check.furtherCopies().getOrDefault(each.number(), 0)).max()
                                .orElse(0))));
        table("Faults (times in seconds: median / longest)", List.of("fault", "times",
                "until another node delivers its mail", "longest time without a 250 at other nodes",
                "from its end until all works", "no 250", "copies: all / most of one"), rows);
    }

    private static String spread(List<FaultRecord> faults, ToLongFunction<FaultRecord> millis) {
        return spread(faults.stream().mapToLong(millis));
    }

    private static String spread(LongStream millis) {
        long[] sorted = millis.sorted().toArray();
        return sorted.length == 0
                ? "–"
                : String.format(Locale.ROOT, "%.1f / %.1f",
                        sorted[sorted.length / 2] / 1e3, sorted[sorted.length - 1] / 1e3);
    }

    private void table(String title, List<String> head, List<List<String>> rows) {
        tables.append("<h2>").append(escaped(title)).append("</h2>\n<table>\n");
        row("th", head);
        line("");
        line(title);
        line(String.join(" | ", head));
        for (List<String> row : rows) {
            row("td", row);
            line(String.join(" | ", row));
        }
        tables.append("</table>\n");
    }

    private void row(String cell, List<String> values) {
        tables.append("<tr>");
        values.forEach(value -> tables.append('<').append(cell).append('>').append(escaped(value)).append("</")
                .append(cell).append('>'));
        tables.append("</tr>\n");
    }

    /// Writes the page.
    Path write() {
        text.close();
        StringBuilder page = new StringBuilder("""
                <!DOCTYPE html>
                <html lang="en"><head><meta charset="utf-8"><title>Faults of a cluster</title><style>
                body { font: 16px/1.5 sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
                table { border-collapse: collapse } td, th { border: 1px solid #999; padding: .2rem .6rem;
                text-align: left } .good { color: #064 } .bad { color: #a00 } pre { overflow-x: auto }
                </style></head><body><main><h1>Faults of a cluster</h1>
                """);
        page.append("<p>Arguments: <code>").append(escaped(arguments)).append("</code></p>\n");
        page.append(isGood()
                ? "<p class=\"good\">All promises were kept.</p>\n"
                : "<p class=\"bad\">Promises were broken:</p>\n<ul>\n");
        violations.forEach(each -> page.append("<li>").append(escaped(each)).append("</li>\n"));
        page.append(isGood() ? "" : "</ul>\n").append(tables).append("<h2>Transcript</h2>\n<pre>\n");
        lines.forEach(each -> page.append(escaped(each)).append('\n'));
        page.append("</pre></main></body></html>\n");
        try {
            return Files.writeString(folder.resolve("faults.html"), page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
