package org.slipstream.lab.study;

import org.slipstream.lab.study.RunStatistics.FeedbackSample;
import org.slipstream.lab.study.Study.Row;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/// Studies as one self-contained HTML page: each table, and below it the window over time for each
/// feedback, from one run.
public final class StudyPage {
    private static final int WIDTH = 900;
    private static final int HEIGHT = 180;
    private static final int MARGIN = 36;
    private static final long SEED = 1;

    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Slipstream lab: studies</title>
            <style>
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem;
              color: #1b1b1b; background: #fff }
            pre { font: 13px/1.45 ui-monospace, monospace; overflow-x: auto; background: #f5f5f2; padding: 1rem }
            svg { width: 100%; height: auto; font: 12px system-ui, sans-serif }
            svg text { fill: currentColor }
            .axis { stroke: #999; fill: none }
            .window { stroke: #0b5fa5; fill: none; stroke-width: 1.2 }
            .limit { stroke: #b03a2e; stroke-dasharray: 4 3 }
            @media (prefers-color-scheme: dark) {
              body { color: #e8e8e8; background: #1b1b1b } pre { background: #262626 } .window { stroke: #7bb8ec } }
            </style>
            </head>
            <body>
            <h1>Studies of servers that limit concurrency</h1>
            """;

    private StudyPage() {}

    /// Runs the experiments and makes the page.
    ///
    /// @param progress receives the position before each run
    public static String html(List<Study> studies, Consumer<String> progress) {
        StringBuilder page = new StringBuilder(HEAD);
        for (Study study : studies) {
            List<String> lines = StudyText.lines(study, progress);
            page.append("<h2>").append(escaped(study.title())).append("</h2>\n<pre>")
                    .append(escaped(String.join("\n", lines.subList(2, lines.size())))).append("</pre>\n");
            study.rows().stream().filter(row -> !row.experiment().cached()).forEach(row -> page.append(figure(row)));
        }
        return page.append("</body>\n</html>\n").toString();
    }

    private static String figure(Row row) {
        List<FeedbackSample> samples = StudySimulation.run(row.experiment(), SEED).samples();
        Chart chart = Chart.of(row.experiment(), samples);
        List<FeedbackSample> first = samples.stream().filter(sample -> sample.millis() <= chart.millis()).toList();
        String title = "Window with feedback " + row.experiment().feedback().label + StudyText.servers(row) + ", first "
                + chart.millis() / 1_000
                + " s of the run with seed " + SEED;
        return "<figure><svg viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\" role=\"img\" aria-label=\"" + title
                + "\">\n" + chart.axes() + limit(row.experiment(), chart) + "<polyline class=\"window\" points=\""
                + String.join(" ", steps(first, row.experiment().initialConcurrency(), chart))
                + "\"/>\n</svg><figcaption>"
                + title + "</figcaption></figure>\n";
    }

    // There is a sample for each delivery; the line needs only those at which the window changes.
    private static List<String> steps(List<FeedbackSample> samples, int initial, Chart chart) {
        List<String> points = new ArrayList<>();
        int window = initial;
        points.add(chart.point(0, window));
        for (FeedbackSample sample : samples) {
            if (sample.window() != window) {
                points.add(chart.point(sample.millis(), window));
                window = sample.window();
                points.add(chart.point(sample.millis(), window));
            }
        }
        points.add(chart.point(chart.millis(), window));
        return points;
    }

    private static String limit(Experiment experiment, Chart chart) {
        return switch (experiment.server()) {
            case ServerModel.Limited(int connections) ->
                limit(connections, "limit of the server: " + connections + " connections", chart);
            case ServerModel.Balanced(int servers) -> limit(servers, "number of servers: " + servers, chart);
            case ServerModel.Congested congested -> limit(congested.processes(),
                    "limit of the server: " + congested.processes() + " processes", chart);
        };
    }

    private static String limit(int window, String label, Chart chart) {
        return "<path class=\"limit\" d=\"M" + MARGIN + " " + chart.y(window) + "H" + (WIDTH - MARGIN)
                + "\"/>\n<text text-anchor=\"end\" x=\"" + (WIDTH - MARGIN) + "\" y=\"" + chart.above(window) + "\">"
                + label + "</text>\n";
    }

    /// A coordinate system, given by the upper ends of its axes.
    private record Chart(long millis, int top) {
        private static final int TICKS = 4;

        // The cycle of a limiter takes seconds; congestion acts over one or more timeouts.
        static Chart of(Experiment experiment, List<FeedbackSample> samples) {
            long whole = samples.getLast().millis();
            return switch (experiment.server()) {
                case ServerModel.Limited(int connections) -> new Chart(Math.min(whole, 60_000), 2 * connections);
                case ServerModel.Balanced _ -> new Chart(Math.min(whole, 300_000), Experiment.CLIENT_LIMIT);
                case ServerModel.Congested _ -> new Chart(Math.min(whole, 1_200_000), Experiment.CLIENT_LIMIT);
            };
        }

        String axes() {
            StringBuilder axes = new StringBuilder("<text x=\"8\" y=\"16\">window: concurrent deliveries</text>\n"
                    + "<text text-anchor=\"end\" x=\"" + (WIDTH - MARGIN) + "\" y=\"" + (HEIGHT - 22)
                    + "\">time since the start of the run</text>\n<path class=\"axis\" d=\"M" + x(0) + " " + y(top)
                    + "V" + y(0) + "H" + x(millis) + "\"/>\n");
            for (int window = 0; window <= top; window += 5) {
                axes.append("<text x=\"8\" y=\"").append(y(window)).append("\">").append(window).append("</text>\n");
            }
            for (int i = 0; i <= TICKS; i++) {
                long at = millis * i / TICKS;
                axes.append("<text text-anchor=\"middle\" x=\"").append(x(at)).append("\" y=\"").append(HEIGHT - 8)
                        .append("\">").append(at / 1_000).append(" s</text>\n");
            }
            return axes.toString();
        }

        String point(long at, int window) {
            return x(at) + "," + y(window);
        }

        String x(long at) {
            return String.format(Locale.ROOT, "%.1f", MARGIN + (double) at / millis * (WIDTH - 2 * MARGIN));
        }

        String y(int window) {
            return String.format(Locale.ROOT, "%.1f", height(window));
        }

        /// The position of a label above the line of a window.
        String above(int window) {
            return String.format(Locale.ROOT, "%.1f", height(window) - 4);
        }

        private double height(int window) {
            return HEIGHT - MARGIN - (double) window / top * (HEIGHT - 2 * MARGIN);
        }
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("`", "");
    }
}
