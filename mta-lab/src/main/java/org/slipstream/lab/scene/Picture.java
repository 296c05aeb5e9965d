package org.slipstream.lab.scene;

import org.slipstream.lab.scene.Course.CourseConnection;
import org.slipstream.lab.scene.Course.HostMark;
import org.slipstream.lab.scene.Course.Mark;
import org.slipstream.lab.scene.Course.Passing;
import org.slipstream.lab.scene.Course.Phase;
import org.slipstream.lab.scene.Course.Road;
import org.slipstream.lab.scene.Course.Span;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/// Where everything stands in the picture of a scene: time goes to the right, each connection has a row, preemptions stand above the rows,
/// and below each window has a chart of its own on the same time axis.
final class Picture {
    private static final int WIDTH = 960;
    private static final int LEFT = 70;
    private static final int RIGHT = WIDTH - 12;
    private static final int TOP = 40;
    private static final int ROW = 24;
    private static final int BAR = 18;
    private static final int MOST_SLOTS = 40;
    private static final int CHART = 110;
    private static final int MOST_CHARTS = 8;
    private static final int LETTER = 7;

    private final Course course;
    private final List<Stretch> stretches;
    private final ToIntFunction<String> color;
    private final TimeAxis axis;
    private final int slots;

    Picture(Course course, List<Stretch> stretches, ToIntFunction<String> color) {
        this.course = course;
        this.stretches = stretches.stream().filter(each -> each.slot() <= MOST_SLOTS).toList();
        this.color = color;
        this.axis = new TimeAxis(stretches, LEFT, RIGHT);
        this.slots = this.stretches.stream().mapToInt(Stretch::slot).max().orElse(1);
    }

    Map<String, Object> values() {
        Map<String, Object> values = new TreeMap<>();
        values.put("width", WIDTH);
        values.put("left", LEFT);
        values.put("right", RIGHT);
        values.put("height", bottom() + 24);
        values.put("ticks", ticks());
        values.put("silences", silences());
        values.put("rows", rows());
        values.put("waits", waits());
        values.put("bars", bars());
        values.put("marks", marks());
        List<Map<String, Object>> windows = windows();
        values.put("windows", windows);
        values.put("has-windows", windows.isEmpty() ? List.of() : List.of(Map.of()));
        values.put("chart-height", CHART);
        values.put("links", links());
        values.put("link-names", linkNames());
        List<Map<String, Object>> hosts = hosts();
        values.put("hosts", hosts);
        values.put("has-hosts", hosts.isEmpty() ? List.of() : List.of(Map.of()));
        values.put("hosts-height", 8 + hosts.size() * ROW);
        return values;
    }

    private int bottom() {
        return TOP + slots * ROW;
    }

    private double x(long millis) {
        return axis.x(millis);
    }

    private static double y(int slot) {
        return TOP + (slot - 1) * (double) ROW + (ROW - BAR) / 2.0;
    }

    // ---- the rows

    private List<Map<String, Object>> ticks() {
        return axis.ticks().stream()
                .<Map<String, Object>>map(tick -> Map.of("x", TimeAxis.number(tick.x()), "top", TOP - 4,
                        "bottom", bottom(), "label-y", bottom() + 16, "label", Times.seconds(tick.atMillis())))
                .toList();
    }

    private List<Map<String, Object>> silences() {
        return axis.silences().stream()
                .<Map<String, Object>>map(part -> Map.of("x", TimeAxis.number(part.left()), "y", TOP - 4,
                        "w", TimeAxis.number(part.right() - part.left()), "h", bottom() - TOP + 4, "title",
                        "cut short: nothing is under way, " + times(part.fromMillis(), part.toMillis()), "label-x",
                        TimeAxis.number((part.left() + part.right()) / 2), "label-y", (TOP + bottom()) / 2 + 4, "text",
                        "⋯"))
                .toList();
    }

    private List<Map<String, Object>> rows() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int slot = 1; slot <= slots; slot++) {
            rows.add(Map.of("label-x", LEFT - 8, "y", TimeAxis.number(y(slot) + 13), "label", "slot " + slot));
        }
        return rows;
    }

    private List<Map<String, Object>> waits() {
        return stretches.stream().filter(each -> each.startMillis() > each.selectedMillis())
                .map(each -> box(each.slot(), each.selectedMillis(), each.startMillis(),
                        each.name() + " waits for a connection, " + times(each.selectedMillis(), each.startMillis())))
                .toList();
    }

    private List<Map<String, Object>> bars() {
        List<Map<String, Object>> bars = new ArrayList<>();
        for (Stretch each : stretches) {
            Map<String, Object> bar = box(each.slot(), each.startMillis(), each.endMillis(),
                    each.words() + ", " + times(each.startMillis(), each.endMillis()));
            bar.put("color", color.applyAsInt(each.name()));
            bar.put("trouble", each.isTrouble() ? List.of(Map.of()) : List.of());
            double width = x(each.endMillis()) - x(each.startMillis());
            bar.put("label", label(each, width));
            bar.put("label-x", TimeAxis.number(x(each.startMillis()) + width / 2));
            bar.put("label-y", TimeAxis.number(y(each.slot()) + 13));
            bars.add(bar);
        }
        return bars;
    }

    // The longest that fits: name and number, name, nothing.
    private static List<Map<String, String>> label(Stretch stretch, double width) {
        for (String text : List.of(stretch.label(), stretch.name())) {
            if (text.length() * LETTER + 4 <= width) {
                return List.of(Map.of("text", text));
            }
        }
        return List.of();
    }

    private Map<String, Object> box(int slot, long from, long to, String title) {
        Map<String, Object> box = new TreeMap<>();
        box.put("x", TimeAxis.number(x(from)));
        box.put("y", TimeAxis.number(y(slot)));
        box.put("w", TimeAxis.number(Math.max(1.5, x(to) - x(from))));
        box.put("h", BAR);
        box.put("title", title);
        return box;
    }

    private static String times(long from, long to) {
        return Times.seconds(from) + " to " + Times.seconds(to);
    }

    // ---- connections and hosts

    /// One bar for each time of a connection, in the rows of the slots.
    private List<Map<String, Object>> links() {
        List<Map<String, Object>> bars = new ArrayList<>();
        for (CourseConnection link : course.links()) {
            for (Span span : link.slot() <= MOST_SLOTS ? link.spans() : List.<Span>of()) {
                Map<String, Object> bar = box(link.slot(), span.fromMillis(), span.toMillis(),
                        "slot " + link.slot() + " to " + link.host() + ": " + word(span.phase()) + ", "
                                + times(span.fromMillis(), span.toMillis())
                                + (span == link.spans().getLast() && !link.end().isEmpty() ? "; " + link.end() : ""));
                bar.put("class", span.phase().name().toLowerCase(Locale.ROOT));
                bars.add(bar);
            }
        }
        return bars;
    }

    private static String word(Phase phase) {
        return switch (phase) {
            case OPENING -> "opening";
            case BUSY -> "busy";
            case IDLE -> "idle";
        };
    }

    /// The host of each connection, where its bar has room for the name.
    private List<Map<String, Object>> linkNames() {
        List<Map<String, Object>> names = new ArrayList<>();
        for (CourseConnection link : course.links()) {
            double width = x(link.toMillis()) - x(link.fromMillis());
            if (link.slot() <= MOST_SLOTS && link.host().length() * LETTER + 4 <= width) {
                names.add(Map.of("x", TimeAxis.number(x(link.fromMillis()) + width / 2), "y",
                        TimeAxis.number(y(link.slot()) + 13), "text", link.host()));
            }
        }
        return names;
    }

    /// A row for each host of which something is known.
    private List<Map<String, Object>> hosts() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (var host : course.hosts().entrySet()) {
            if (!host.getValue().isEmpty() && rows.size() < MOST_CHARTS) {
                double y = 4 + rows.size() * (double) ROW;
                rows.add(Map.of("name", host.getKey(), "label-x", LEFT, "label-y", TimeAxis.number(y + 10), "states",
                        states(host.getValue(), y + 14)));
            }
        }
        return rows;
    }

    private List<Map<String, Object>> states(List<HostMark> marks, double y) {
        List<Map<String, Object>> states = new ArrayList<>();
        for (int i = 0; i < marks.size(); i++) {
            long from = marks.get(i).atMillis();
            long to = i + 1 < marks.size() ? marks.get(i + 1).atMillis() : axis.endMillis();
            if (!marks.get(i).state().isEmpty() && from < axis.endMillis()) {
                states.add(Map.of("x", TimeAxis.number(x(from)), "y", TimeAxis.number(y), "w",
                        TimeAxis.number(Math.max(1.5, x(to) - x(from))), "class", marks.get(i).state(), "title",
                        marks.get(i).state() + ", " + times(from, to)));
            }
        }
        return states;
    }

    // ---- preemptions

    private List<Map<String, Object>> marks() {
        List<Map<String, Object>> marks = new ArrayList<>();
        double free = 0;
        for (Passing each : course.passings()) {
            String text = each.stepping() + " before " + each.passed();
            double half = text.length() * LETTER / 2.0;
            double x = x(each.atMillis());
            boolean fits = x - half >= free && x + half <= WIDTH;
            free = fits ? x + half + LETTER : free;
            marks.add(Map.of("x", TimeAxis.number(x), "y", TOP - 2, "title",
                    Page.words(each) + ", at " + Times.seconds(each.atMillis()), "label",
                    fits ? List.of(Map.of("text", text)) : List.of(), "label-x", TimeAxis.number(x), "label-y",
                    TOP - 14));
        }
        return marks;
    }

    // ---- windows

    private List<Map<String, Object>> windows() {
        List<Map<String, Object>> charts = new ArrayList<>();
        for (Road road : course.roads().values()) {
            if (road.isTelling() && charts.size() < MOST_CHARTS) {
                charts.add(chart(road, charts.size() + 1));
            }
        }
        return charts;
    }

    private Map<String, Object> chart(Road road, int number) {
        int most = Math.max(1, road.windows().stream().mapToInt(Mark::size).max().orElse(1));
        Map<String, Object> chart = new TreeMap<>();
        chart.put("number", number);
        chart.put("name", road.name());
        chart.put("sizes", Runs.text(Verdicts.windows(road)));
        chart.put("levels",
                List.of(0, most).stream()
                        .map(level -> Map.of("y", TimeAxis.number(chartY(level, most)), "label-x", LEFT - 8,
                                "label-y", TimeAxis.number(chartY(level, most) + 4), "label", level))
                        .toList());
        chart.put("path", path(road, most));
        chart.put("deaths", deaths(road, most));
        return chart;
    }

    private static double chartY(int size, int most) {
        return CHART - 10 - (double) Math.max(0, size) / most * (CHART - 34);
    }

    // Steps; a gap where nothing is remembered of the destination.
    private String path(Road road, int most) {
        StringBuilder path = new StringBuilder();
        boolean drawing = false;
        for (Mark mark : road.windows()) {
            String x = TimeAxis.number(x(mark.atMillis()));
            String y = TimeAxis.number(chartY(mark.size(), most));
            boolean forgotten = isForgotten(mark);
            if (drawing) {
                path.append(" H").append(x);
            }
            if (!forgotten) {
                path.append(drawing ? " V" + y : " M" + x + " " + y);
            }
            drawing = !forgotten;
        }
        return path.isEmpty() ? "M0 0" : path.substring(1);
    }

    private static boolean isForgotten(Mark mark) {
        return switch (mark.event()) {
            case FORGET, TIMER_REVIVE_FORGET, RESUME_FORGET -> true;
            case NEW, OK, FAIL, FAIL_DEAD, OK_REVIVE, TIMER_REVIVE, SUSPEND, RESUME -> false;
        };
    }

    private List<Map<String, Object>> deaths(Road road, int most) {
        List<Map<String, Object>> deaths = new ArrayList<>();
        List<Mark> marks = road.windows();
        for (int i = 0; i < marks.size(); i++) {
            if (marks.get(i).size() == 0 && !isForgotten(marks.get(i))) {
                long from = marks.get(i).atMillis();
                long to = i + 1 < marks.size() ? marks.get(i + 1).atMillis() : axis.endMillis();
                double y = chartY(most, most);
                deaths.add(Map.of("x", TimeAxis.number(x(from)), "y", TimeAxis.number(y), "w",
                        TimeAxis.number(Math.max(1.5, x(to) - x(from))),
                        "h",
                        TimeAxis.number(chartY(0, most) - y), "title", "dead, " + times(from, to), "text",
                        x(to) - x(from) > 4 * LETTER ? "dead" : "", "label-x", TimeAxis.number((x(from) + x(to)) / 2),
                        "label-y",
                        TimeAxis.number(y + 14)));
            }
        }
        return deaths;
    }
}
