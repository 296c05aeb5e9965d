package org.slipstream.lab.study;

import org.slipstream.lab.study.Study.Row;
import org.slipstream.lab.study.Tally.Sample;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Studies as one self-contained page: each table, and below it the window over time of one run per feedback.
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

    /// Measures and writes.
    public static String html(List<Study> studies) {
        StringBuilder page = new StringBuilder(HEAD);
        for (Study study : studies) {
            List<String> lines = StudyText.lines(study);
            page.append("<h2>").append(escaped(study.title())).append("</h2>\n<pre>")
                    .append(escaped(String.join("\n", lines.subList(2, lines.size())))).append("</pre>\n");
            study.rows().stream().filter(row -> !row.setup().cached()).forEach(row -> page.append(figure(row)));
        }
        return page.append("</body>\n</html>\n").toString();
    }

    private static String figure(Row row) {
        List<Sample> samples = StudyWorld.run(row.setup(), SEED).samples();
        long millis = shown(row.setup(), samples);
        List<Sample> first = samples.stream().filter(sample -> sample.millis() <= millis).toList();
        String title = "Window with feedback " + row.setup().style().label + ", first " + millis / 1_000
                + " s of the run with seed " + SEED;
        return "<figure><svg viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\" role=\"img\" aria-label=\"" + title
                + "\">\n" + axes(millis) + limit(row.setup()) + "<polyline class=\"window\" points=\""
                + String.join(" ", steps(first, row.setup().initialConcurrency(), millis)) + "\"/>\n</svg><figcaption>"
                + title + "</figcaption></figure>\n";
    }

    // A limiter's cycle takes seconds, congestion acts over one or more timeouts.
    private static long shown(Setup setup, List<Sample> samples) {
        long whole = samples.getLast().millis();
        return switch (setup.door()) {
            case Door.Limiter _ -> Math.min(whole, 60_000);
            case Door.Congested _ -> Math.min(whole, 1_200_000);
        };
    }

    private static List<String> steps(List<Sample> samples, int initial, long millis) {
        List<String> points = new ArrayList<>();
        int window = initial;
        points.add(point(0, window, millis));
        for (Sample sample : samples) {
            points.add(point(sample.millis(), window, millis));
            window = sample.window();
            points.add(point(sample.millis(), window, millis));
        }
        return points;
    }

    private static String axes(long millis) {
        StringBuilder axes = new StringBuilder("<path class=\"axis\" d=\"M" + x(0, millis) + " " + y(Setup.CLIENT_LIMIT)
                + "V" + y(0) + "H" + x(millis, millis) + "\"/>\n");
        for (int window = 0; window <= Setup.CLIENT_LIMIT; window += 5) {
            axes.append("<text x=\"8\" y=\"").append(y(window)).append("\">").append(window).append("</text>\n");
        }
        for (int i = 0; i <= 4; i++) {
            long at = millis * i / 4;
            axes.append("<text text-anchor=\"middle\" x=\"").append(x(at, millis)).append("\" y=\"")
                    .append(HEIGHT - 8).append("\">").append(at / 1_000).append(" s</text>\n");
        }
        return axes.toString();
    }

    private static String limit(Setup setup) {
        return switch (setup.door()) {
            case Door.Limiter(int most) -> "<path class=\"limit\" d=\"M" + MARGIN + " " + y(most) + "H"
                    + (WIDTH - MARGIN) + "\"/>\n";
            case Door.Congested _ -> "";
        };
    }

    private static String point(long at, int window, long millis) {
        return x(at, millis) + "," + y(window);
    }

    private static String x(long at, long millis) {
        return String.format(Locale.ROOT, "%.1f", MARGIN + (double) at / millis * (WIDTH - 2 * MARGIN));
    }

    private static String y(int window) {
        return String.format(Locale.ROOT, "%.1f",
                HEIGHT - MARGIN - (double) window / Setup.CLIENT_LIMIT * (HEIGHT - 2 * MARGIN));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
