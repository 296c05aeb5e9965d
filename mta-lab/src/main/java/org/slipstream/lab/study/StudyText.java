package org.slipstream.lab.study;

import org.slipstream.lab.study.Study.Row;
import org.slipstream.lab.study.Study.StudyResult;
import org.slipstream.lab.study.Study.Variation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/// A study as text: the table with both figures side by side, the variations and the notes.
public final class StudyText {
    private static final String LABEL = "%-10s %-5s";

    private StudyText() {}

    /// Runs the experiments and makes the lines.
    ///
    /// @param progress receives the position before each run
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
        lines.add(cells(LABEL, "", "") + "  " + centred("percentage deferred", 38) + "  "
                + centred("concurrency (deviation)", 27)
                + (timeouts ? "  " + centred("timed out: connect/greeting", 27) : ""));
        lines.add(cells(LABEL, "feedback", secondColumn(study)) + cells("  %9s  %6s  %10s  %7s", "published", "here",
                "in " + study.runs() + " runs", "theory") + cells("  %13s %13s", "published", "here")
                + (hasFinalWindow(study) ? cells("  %7s", "theory") : "")
                + (timeouts ? cells("  %13s %13s", "published", "here") : ""));
        results.forEach(result -> lines.add(line(result, timeouts).stripTrailing()));
        return lines.stream().map(String::stripTrailing).toList();
    }

    private static String line(StudyResult result, boolean timeouts) {
        PublishedFigures published = result.row().published();
        Measurement measured = result.mean();
        int digits = published.deferredPercent() < 2 ? 2 : 1;
        return label(result.row())
                + cells("  %9s  %6s  %10s  %7s", number(published.deferredPercent(), digits),
                        number(measured.deferredPercent(), digits), spread(result, digits), theory(result, digits))
                + cells("  %13s %13s", meanAndDeviation(published.average(), published.deviation()),
                        meanAndDeviation(measured.average(), measured.deviation()))
                + finalWindow(result.row())
                + (timeouts
                        ? cells("  %13s %13s", timeouts(published.connectTimeouts(), published.greetingTimeouts()),
                                timeouts(measured.connectTimeouts(), measured.greetingTimeouts()))
                        : "");
    }

    private static List<String> variations(Study study, Consumer<String> progress) {
        StringBuilder head = new StringBuilder(cells(LABEL, "feedback", "cache") + cells("  %9s", "published"));
        List<StringBuilder> rows = study.rows().stream()
                .map(row -> new StringBuilder(
                        label(row) + cells("  %9s", number(row.published().deferredPercent(), 1))))
                .toList();
        for (Variation variation : study.variations()) {
            head.append(cells("  %14s", variation.label()));
            List<StudyResult> results = study.measure(variation, progress);
            for (int i = 0; i < rows.size(); i++) {
                rows.get(i).append(cells("  %14s", number(results.get(i).mean().deferredPercent(), 1)));
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add("percentage deferred, by " + study.variedCondition());
        lines.add(head.toString());
        rows.forEach(row -> lines.add(row.toString()));
        return lines;
    }

    static String label(Row row) {
        return cells(LABEL, row.experiment().feedback().label, switch (row.experiment().server()) {
            case ServerModel.Balanced(int servers) -> "" + servers;
            case ServerModel.Limited _,ServerModel.Congested _ -> row.experiment().cached() ? "yes" : "no";
        });
    }

    /// The title of the second column.
    private static String secondColumn(Study study) {
        return hasFinalWindow(study) ? "K" : "cache";
    }

    private static boolean hasFinalWindow(Study study) {
        return study.rows().stream().anyMatch(row -> Theory.finalWindow(row.experiment()).isPresent());
    }

    private static String finalWindow(Row row) {
        return Theory.finalWindow(row.experiment()).map(window -> cells("  %7s", window.least() + "-" + window.most()))
                .orElse("");
    }

    /// The condition that tells rows with the same feedback apart; empty where there is none.
    static String servers(Row row) {
        return row.experiment().server() instanceof ServerModel.Balanced(int servers)
                ? " and one bad server of " + servers
                : "";
    }

    private static String spread(StudyResult result, int digits) {
        double least = result.runs().stream().mapToDouble(Measurement::deferredPercent).min().orElseThrow();
        double most = result.runs().stream().mapToDouble(Measurement::deferredPercent).max().orElseThrow();
        return number(least, digits) + "-" + number(most, digits);
    }

    private static String theory(StudyResult result, int digits) {
        OptionalDouble theory = Theory.deferredPercent(result.row().experiment(), result.mean().average());
        return theory.isPresent() ? number(theory.getAsDouble(), digits) : "";
    }

    private static String meanAndDeviation(double average, double deviation) {
        if (Double.isNaN(deviation)) {
            return Double.isNaN(average) ? "-" : "about " + number(average, 0);
        }
        return number(average, 2) + " (" + number(deviation, 2) + ")";
    }

    private static String timeouts(double connect, double greeting) {
        return count(connect) + "/" + count(greeting);
    }

    private static String count(double number) {
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
