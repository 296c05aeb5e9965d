package org.slipstream.lab.study;

import org.slipstream.lab.study.Study.Row;
import org.slipstream.lab.study.Study.StudyResult;
import org.slipstream.lab.study.Study.Variation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/// A study as text: the table with both figures side by side, the variations, the notes.
public final class StudyText {
    private static final String LEFT = "%-10s %-5s";

    private StudyText() {}

    /// Measures and prints.
    ///
    /// @param progress receives a sentence before each run
    public static List<String> lines(Study study, Consumer<String> progress) {
        return lines(study, study.measure(progress), progress);
    }

    static List<String> lines(Study study, List<StudyResult> results) {
        return lines(study, results, _ -> {});
    }

    private static List<String> lines(Study study, List<StudyResult> results, Consumer<String> progress) {
        List<String> lines = new ArrayList<>();
        lines.add(study.name() + ": " + study.title());
        lines.add("");
        lines.addAll(table(study, results));
        if (!study.variations().isEmpty()) {
            lines.add("");
            lines.addAll(variations(study, progress));
        }
        lines.add("");
        lines.addAll(study.notes());
        return lines;
    }

    private static List<String> table(Study study, List<StudyResult> results) {
        boolean timeouts = results.stream().map(StudyResult::row).map(Row::published)
                .anyMatch(row -> row.connectTimeouts() + row.greetingTimeouts() > 0);
        List<String> lines = new ArrayList<>();
        lines.add(cells(LEFT, "", "") + "  " + centred("percentage deferred", 38) + "  "
                + centred("concurrency (deviation)", 27)
                + (timeouts ? "  " + centred("timed out: connect/greeting", 27) : ""));
        lines.add(cells(LEFT, "feedback", second(study)) + cells("  %9s  %6s  %10s  %7s", "published", "here",
                "in " + study.runs() + " runs", "theory") + cells("  %13s %13s", "published", "here")
                + (hasWindows(study) ? cells("  %7s", "theory") : "")
                + (timeouts ? cells("  %13s %13s", "published", "here") : ""));
        results.forEach(result -> lines.add(line(result, timeouts).stripTrailing()));
        return lines.stream().map(String::stripTrailing).toList();
    }

    private static String line(StudyResult result, boolean timeouts) {
        Published then = result.row().published();
        Measured here = result.mean();
        int digits = then.deferredPercent() < 2 ? 2 : 1;
        return left(result.row())
                + cells("  %9s  %6s  %10s  %7s", number(then.deferredPercent(), digits),
                        number(here.deferredPercent(), digits), spread(result, digits), theory(result, digits))
                + cells("  %13s %13s", both(then.average(), then.deviation()), both(here.average(), here.deviation()))
                + windows(result.row())
                + (timeouts
                        ? cells("  %13s %13s", pair(then.connectTimeouts(), then.greetingTimeouts()),
                                pair(here.connectTimeouts(), here.greetingTimeouts()))
                        : "");
    }

    private static List<String> variations(Study study, Consumer<String> progress) {
        StringBuilder head = new StringBuilder(cells(LEFT, "feedback", "cache") + cells("  %9s", "published"));
        List<StringBuilder> rows = study.rows().stream()
                .map(row -> new StringBuilder(left(row) + cells("  %9s", number(row.published().deferredPercent(), 1))))
                .toList();
        for (Variation variation : study.variations()) {
            head.append(cells("  %14s", variation.label()));
            List<StudyResult> results = study.measure(variation, progress);
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i).append(cells("  %14s", number(results.get(i).mean().deferredPercent(), 1)));
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add("percentage deferred, by " + study.variedBy());
        lines.add(head.toString());
        rows.forEach(row -> lines.add(row.toString()));
        return lines;
    }

    static String left(Row row) {
        return cells(LEFT, row.setup().style().label, switch (row.setup().door()) {
            case Door.Balanced(int servers) -> "" + servers;
            case Door.Limiter _,Door.Congested _ -> row.setup().cached() ? "yes" : "no";
        });
    }

    /// The title of the second column.
    private static String second(Study study) {
        return hasWindows(study) ? "K" : "cache";
    }

    private static boolean hasWindows(Study study) {
        return study.rows().stream().anyMatch(row -> Theory.stall(row.setup()).isPresent());
    }

    private static String windows(Row row) {
        return Theory.stall(row.setup()).map(stall -> cells("  %7s", stall.least() + "-" + stall.most())).orElse("");
    }

    /// Which of a study's rows it is, where the feedback does not say so.
    static String among(Row row) {
        return row.setup().door() instanceof Door.Balanced(int servers) ? " and one bad server of " + servers : "";
    }

    private static String spread(StudyResult result, int digits) {
        double least = result.runs().stream().mapToDouble(Measured::deferredPercent).min().orElseThrow();
        double most = result.runs().stream().mapToDouble(Measured::deferredPercent).max().orElseThrow();
        return number(least, digits) + "-" + number(most, digits);
    }

    private static String theory(StudyResult result, int digits) {
        OptionalDouble theory = Theory.deferredPercent(result.row().setup(), result.mean().average());
        return theory.isPresent() ? number(theory.getAsDouble(), digits) : "";
    }

    private static String both(double average, double deviation) {
        if (Double.isNaN(deviation)) {
            return Double.isNaN(average) ? "-" : "about " + number(average, 0);
        }
        return number(average, 2) + " (" + number(deviation, 2) + ")";
    }

    private static String pair(double connect, double greeting) {
        return dash(connect) + "/" + dash(greeting);
    }

    private static String dash(double number) {
        return number == 0 ? "-" : number(number, 0);
    }

    static String number(double number, int digits) {
        return Double.isNaN(number) ? "-" : cells("%." + digits + "f", number);
    }

    private static String centred(String text, int width) {
        return " ".repeat((width - text.length()) / 2) + text + " ".repeat((width - text.length() + 1) / 2);
    }

    private static String cells(String format, Object... cells) {
        return String.format(Locale.ROOT, format, cells);
    }
}
