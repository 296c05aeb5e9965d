package org.slipstream.bench.load.sustain;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;

/// The lines of the run and their summary. Tables of Markdown.
final class SustainReport {
    private static final double SETTLING_MINUTES = 2;

    private final PrintStream out;
    private final List<Line> lines = new ArrayList<>();

    /// @param minute of the run, at its end
    private record Line(double minute, Map<SustainFigure, Double> figures) {
        double of(SustainFigure figure) {
            return Objects.requireNonNull(figures.get(figure));
        }
    }

    SustainReport(PrintStream out) {
        this.out = out;
    }

    void head() {
        out.println(
                "| s | " + Arrays.stream(SustainFigure.values()).map(figure -> figure.words)
                        .collect(Collectors.joining(" | "))
                        + " |");
        out.println("|---|" + "---|".repeat(SustainFigure.values().length));
    }

    void add(double minute, Map<SustainFigure, Double> figures) {
        Line line = new Line(minute, new EnumMap<>(figures));
        lines.add(line);
        out.printf(Locale.ROOT, "| %.0f | %s |%n", minute * 60, Arrays.stream(SustainFigure.values())
                .map(figure -> text(figure, line.of(figure))).collect(Collectors.joining(" | ")));
        out.flush();
    }

    /// First minute, last minute, slope and trend for each figure. @return true when nothing grows
    /// that should not
    boolean conclude() {
        double end = lines.getLast().minute();
        double from = end > 2 * SETTLING_MINUTES ? SETTLING_MINUTES : end / 5;
        out.printf(Locale.ROOT, "%n| | first minute | last minute | after the first %.1f minutes, a minute |"
                + " in all [± standard error] | |%n|---|---|---|---|---|---|%n", from);
        List<String> growing = new ArrayList<>();
        boolean enough = true;
        for (SustainFigure figure : SustainFigure.values()) {
            Trend trend = trend(figure, from);
            Trend.TrendDirection direction = trend.direction(figure.negligible);
            out.printf(Locale.ROOT, "| %s | %s | %s | %+.4f | %+.3f [%.3f] | %s |%n", name(figure),
                    text(figure, mean(figure, 0, Math.min(1, end / 2))),
                    text(figure, mean(figure, Math.max(end - 1, end / 2), end)),
                    trend.perMinute(), trend.gain(), trend.error(), direction.words);
            enough &= direction != Trend.TrendDirection.TOO_SHORT;
            if (direction == Trend.TrendDirection.GROWS && figure.isCost()) {
                growing.add(name(figure));
            }
        }
        out.println(!enough
                ? "\nThe run was too short to say whether anything grows."
                : growing.isEmpty() ? "\nNothing grows." : "\nGrowing: " + String.join("; ", growing) + ".");
        return growing.isEmpty();
    }

    private Trend trend(SustainFigure figure, double from) {
        List<Line> settled = lines.stream().filter(line -> line.minute() > from).toList();
        return Trend.of(settled.stream().mapToDouble(Line::minute).toArray(),
                settled.stream().mapToDouble(line -> line.of(figure)).toArray());
    }

    /// For maxima of ten seconds, the maximum of the minute.
    private double mean(SustainFigure figure, double from, double to) {
        DoubleUnaryOperator known = value -> Double.isNaN(value) ? 0 : value;
        double[] values = lines.stream().filter(line -> line.minute() > from && line.minute() <= to)
                .mapToDouble(line -> line.of(figure)).map(known).toArray();
        return figure == SustainFigure.TO_250_MOST || figure == SustainFigure.TO_SINK_MOST
                ? Arrays.stream(values).max().orElse(Double.NaN)
                : Arrays.stream(values).average().orElse(Double.NaN);
    }

    private static String name(SustainFigure figure) {
        return switch (figure) {
            case TO_250_99, TO_250_MOST -> "to 250, " + figure.words + " ms";
            case TO_SINK_99, TO_SINK_MOST -> "to the sink, " + figure.words + " ms";
            default -> figure.words;
        };
    }

    private static String text(SustainFigure figure, double value) {
        return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, "%,." + figure.decimals + "f", value);
    }
}
