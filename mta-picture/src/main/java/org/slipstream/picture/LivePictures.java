package org.slipstream.picture;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Pictures of a server at one moment, as parts of a page whose style sheet has the colors.
///
/// A moving part has an id, so that a page which exchanges the picture can let it glide from its old
/// place to the new one.
public final class LivePictures {
    static final int WIDTH = 960;
    private static final int ROW = 28;
    private static final int BAR = 16;
    private static final int TOP = 30;
    private static final int NAME_X = 40;
    private static final int LEVEL_WIDTH = 22;
    private static final int MOST_LEVELS = 8;
    private static final int BAR_X = 330;
    private static final int BAR_WIDTH = 340;
    private static final int SLOTS_X = 700;
    private static final int SLOT = 11;
    private static final int MOST_SLOTS = 16;
    private static final int HALF = 460;
    private static final int CHART = 130;

    private LivePictures() {}

    /// The colors and lines of these pictures, of [FramePicture] and [RunPlayer].
    public static Markup style() {
        return Template.of(LivePictures.class, "/picture/live.css").markup(Map.of());
    }

    /// A job in its order of service.
    ///
    /// @param level 0 for a job that has not passed another
    /// @param passed the id of the job that it passed; empty for none
    /// @param selected deliveries chosen so far
    /// @param left deliveries that wait or may follow
    /// @param balance deliveries whose slots were earned and not spent
    public record JobRow(String id, int level, String passed, int selected, int left, int running, int balance,
            boolean current) {}

    /// A line of a chart, one value for each unit of time, the latest last.
    public record Curve(String name, double[] values) {}

    /// The list of jobs: the next one, the jobs that others have passed, and the slots earned (filled) and
    /// spent (hollow).
    ///
    /// @param list distinguishes the pictures of a page
    /// @param slotCost deliveries that earn one slot; 0 when no job may pass another
    public static Markup jobs(String list, List<JobRow> rows, int slotCost) {
        int height = TOP + Math.max(1, rows.size()) * ROW + 6;
        StringBuilder svg = begin(WIDTH, height, "The jobs of " + list + " in their order of service");
        text(svg, NAME_X, 18, "soft", "job");
        text(svg, BAR_X, 18, "soft", "deliveries: chosen, left");
        text(svg, SLOTS_X, 18, "soft", slotCost > 0 ? "slots: one for " + slotCost + " deliveries" : "no preemption");
        int most = rows.stream().mapToInt(row -> row.selected() + row.left()).max().orElse(1);
        for (int i = 0; i < rows.size(); i++) {
            row(svg, list, rows, i, Math.max(1, most), slotCost);
        }
        if (rows.isEmpty()) {
            text(svg, NAME_X, TOP + 18, "soft", "No job has a delivery that could be chosen.");
        }
        return new Markup(svg.append("</svg>").toString());
    }

    private static void row(StringBuilder svg, String list, List<JobRow> rows, int index, int most, int slotCost) {
        JobRow job = rows.get(index);
        int x = NAME_X + Math.min(job.level(), MOST_LEVELS) * LEVEL_WIDTH;
        String says = job.id() + ": " + job.selected() + " deliveries chosen, " + job.left() + " left, "
                + job.running() + " under way" + (job.passed().isEmpty() ? "" : "; it has passed " + job.passed());
        svg.append("<g class=\"job\" id=\"job-%s-%s\" transform=\"translate(0 %d)\"><title>%s</title>".formatted(
                escaped(list), escaped(job.id()), TOP + index * ROW, escaped(says)));
        if (job.current()) {
            svg.append("<path class=\"current\" d=\"M8 6 l12 8 l-12 8 z\"/>");
        }
        if (job.level() > 0) {
            svg.append("<path class=\"passed\" d=\"M%d 14 h-12 v%d\"/>".formatted(x - 4,
                    passedRow(rows, index) * ROW - 12));
        }
        text(svg, x, 19, job.level() > 0 ? "step" : "", job.id());
        double done = (double) job.selected() / most * BAR_WIDTH;
        double left = (double) job.left() / most * BAR_WIDTH;
        rect(svg, "done", BAR_X, 6, done, BAR);
        rect(svg, "left", BAR_X + done, 6, left, BAR);
        text(svg, BAR_X + 4, 19, "on", job.selected() + " + " + job.left());
        if (slotCost > 0) {
            slots(svg, job.balance(), slotCost);
        }
        svg.append("</g>");
    }

    /// The distance in rows to the job that this one has passed, which is below it.
    private static int passedRow(List<JobRow> rows, int index) {
        for (int i = index + 1; i < rows.size(); i++) {
            if (rows.get(i).id().equals(rows.get(index).passed())) {
                return i - index;
            }
        }
        return 1;
    }

    private static void slots(StringBuilder svg, int balance, int slotCost) {
        int count = Math.abs(balance) / slotCost;
        for (int i = 0; i < Math.min(count, MOST_SLOTS); i++) {
            rect(svg, balance > 0 ? "earned" : "spent", SLOTS_X + i * (SLOT + 2), 8, SLOT, SLOT);
        }
        text(svg, SLOTS_X + Math.min(count, MOST_SLOTS) * (SLOT + 2) + 4, 19, "soft",
                (balance > 0 ? "+" : "") + balance);
    }

    /// The window of a destination: deliveries under way, the window, and its limit.
    ///
    /// @param limit 0 for none
    public static Markup window(int window, int limit, int running, int waiting) {
        StringBuilder svg = begin(HALF, 62, running + " deliveries under way, window " + window
                + (limit > 0 ? ", limit " + limit : "") + ", " + waiting + " waiting");
        double scale = (HALF - 20.0) / Math.max(1, Math.max(limit, Math.max(window, running)));
        rect(svg, "limit", 10, 10, Math.max(limit, window) * scale, 20);
        rect(svg, "window", 10, 10, window * scale, 20);
        rect(svg, "running", 10, 14, running * scale, 12);
        text(svg, 10, 50, "soft", running + " under way, window " + (window == 0 ? "closed" : window)
                + (limit > 0 ? ", limit " + limit : "") + ", " + waiting + " waiting");
        return new Markup(svg.append("</svg>").toString());
    }

    /// The number of messages of each age.
    public static Markup ages(List<String> names, long[] counts) {
        StringBuilder svg = begin(HALF, CHART, "Messages by age: " + series(names, counts));
        long most = Math.max(1, Arrays.stream(counts).max().orElse(1));
        double wide = (HALF - 10.0) / names.size();
        for (int i = 0; i < names.size(); i++) {
            double high = (double) counts[i] / most * (CHART - 52);
            rect(svg, "age a" + i, 5 + i * wide + 2, CHART - 24 - high, wide - 4, high);
            if (counts[i] > 0) {
                middle(svg, 5 + (i + 0.5) * wide, CHART - 28 - high, "", Long.toString(counts[i]));
            }
            middle(svg, 5 + (i + 0.5) * wide, CHART - 8, "soft", names.get(i));
        }
        return new Markup(svg.append("</svg>").toString());
    }

    private static String series(List<String> names, long[] counts) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < counts.length; i++) {
            text.append(i == 0 ? "" : ", ").append(names.get(i)).append(' ').append(counts[i]);
        }
        return text.toString();
    }

    /// Lines over the same time.
    public static Markup curves(List<Curve> curves, String title) {
        return new Markup(drawn(curves, title, 0).append("</svg>").toString());
    }

    /// The same with a mark at a moment.
    ///
    /// @param length of the time, which the values may cover in part
    /// @param mark as a share of the time, from 0 to 1
    public static Markup curves(List<Curve> curves, String title, int length, double mark) {
        double x = 5 + mark * (HALF - 10);
        return new Markup(drawn(curves, title, length)
                .append(String.format(Locale.ROOT, "<line class=\"mark\" x1=\"%.1f\" y1=\"16\" x2=\"%.1f\" y2=\"%d\"/>",
                        x, x, CHART - 22))
                .append("</svg>").toString());
    }

    /// @param length of the time in units of a value; at least that of each curve
    private static StringBuilder drawn(List<Curve> curves, String title, int length) {
        StringBuilder svg = begin(HALF, CHART, title);
        double most = Math.max(1, curves.stream().flatMapToDouble(each -> Arrays.stream(each.values())).max()
                .orElse(1));
        text(svg, 5, 12, "soft", String.format(Locale.ROOT, "%.0f", most));
        svg.append("<line class=\"axis\" x1=\"5\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>".formatted(CHART - 22, HALF - 5,
                CHART - 22));
        int x = 5;
        for (int i = 0; i < curves.size(); i++) {
            svg.append(
                    "<polyline class=\"curve k%d\" points=\"%s\"/>".formatted(i, points(curves.get(i), most, length)));
            text(svg, x, CHART - 7, "k" + i, curves.get(i).name());
            x += curves.get(i).name().length() * 8 + 14;
        }
        text(svg, x, CHART - 7, "soft", title);
        return svg;
    }

    /// One point for each pixel at most: the greatest of the values there.
    private static String points(Curve curve, double most, int length) {
        StringBuilder points = new StringBuilder();
        int wide = Math.min(curve.values().length, HALF - 10);
        double right = HALF - 10.0;
        if (length > curve.values().length) {
            right = right * curve.values().length / length;
        }
        double[] drawn = new double[wide];
        for (int i = 0; i < wide; i++) {
            int from = i * curve.values().length / wide;
            int to = Math.max(from + 1, (i + 1) * curve.values().length / wide);
            drawn[i] = Arrays.stream(curve.values(), from, to).max().orElse(0);
        }
        for (int i = 0; i < wide; i++) {
            // A point between two of the same height changes nothing.
            if (i == 0 || i == wide - 1 || drawn[i] != drawn[i - 1] || drawn[i] != drawn[i + 1]) {
                points.append(points.isEmpty() ? "" : " ").append(TimeAxis.number(5 + i * right / wide))
                        .append(',').append(TimeAxis.number(CHART - 22 - drawn[i] / most * (CHART - 42)));
            }
        }
        return points.toString();
    }

    // ---- elements

    private static StringBuilder begin(int width, int height, String title) {
        return new StringBuilder().append(
                "<svg class=\"picture\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s\">"
                        .formatted(width, height, width, height, escaped(title)));
    }

    private static void rect(StringBuilder svg, String style, double x, double y, double wide, double high) {
        if (wide > 0 && high > 0) {
            svg.append(String.format(Locale.ROOT,
                    "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", style, x, y, wide,
                    high));
        }
    }

    private static void text(StringBuilder svg, double x, double y, String style, String text) {
        text(svg, x, y, style, "start", text);
    }

    private static void middle(StringBuilder svg, double x, double y, String style, String text) {
        text(svg, x, y, style, "middle", text);
    }

    private static void text(StringBuilder svg, double x, double y, String style, String anchor, String text) {
        svg.append(String.format(Locale.ROOT,
                "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>", style, x, y, anchor,
                escaped(text)));
    }

    private static String escaped(String text) {
        return Template.escaped(text);
    }
}
