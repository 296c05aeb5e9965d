package org.slipstream.lab.scene;

import org.slipstream.lab.scene.Course.CourseConnection;
import org.slipstream.lab.scene.Course.HostMark;
import org.slipstream.lab.scene.Course.Mark;
import org.slipstream.lab.scene.Course.Passing;
import org.slipstream.lab.scene.Course.Phase;
import org.slipstream.lab.scene.Course.QueueSample;
import org.slipstream.lab.scene.Course.Road;
import org.slipstream.lab.scene.Course.Span;
import org.slipstream.lab.scene.Waits.Wait;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.LongStream;

/// The coordinates of everything in the picture of one run: time goes to the right, each connection has a row, and preemptions stand above
/// the rows. Below them are the queue, who waits behind whom, and a chart of each window, all on the same time axis.
final class Picture {
    static final int WIDTH = 960;
    static final int LEFT = 70;
    static final int RIGHT = WIDTH - 12;
    /// Room for two lines of labels of preemptions and one of their numbers.
    private static final int TOP = 66;
    private static final int LABELS = 3;
    private static final int LABEL_HEIGHT = 14;
    private static final int ROW = 24;
    private static final int BAR = 18;
    private static final int MOST_SLOTS = 40;
    private static final int CHART = 150;
    private static final int CHART_TOP = 24;
    private static final int CHART_BOTTOM = CHART - 38;
    private static final int MOST_CHARTS = 8;
    private static final int MOST_WAITING = 12;
    private static final int LETTER = 7;
    private static final int LEAST_BETWEEN_MARKS = 24;
    private static final double LEAST_WIDTH = 1;

    private final Course course;
    private final List<Stretch> stretches;
    private final ToIntFunction<String> color;
    private final TimeAxis axis;
    private final int slots;
    private final SequencedMap<String, Integer> serverLimits;

    /// @param axis shared by all runs of a page
    /// @param color of a message by its name
    Picture(Course course, List<Stretch> stretches, TimeAxis axis, ToIntFunction<String> color,
            SequencedMap<String, Integer> serverLimits) {
        this.course = course;
        this.stretches = stretches.stream().filter(each -> each.slot() <= MOST_SLOTS).toList();
        this.color = color;
        this.axis = axis;
        this.slots = this.stretches.stream().mapToInt(Stretch::slot).max().orElse(1);
        this.serverLimits = serverLimits;
    }

    Map<String, Object> values() {
        Map<String, Object> values = new TreeMap<>();
        values.put("width", WIDTH);
        values.put("left", LEFT);
        values.put("right", RIGHT);
        values.put("height", height());
        values.put("axis-y", bottom() + 32);
        values.put("slots-y", TOP - 10);
        values.put("ticks", ticks(TOP - 4, bottom()));
        values.put("silences", silences());
        values.put("rows", rows());
        values.put("waits", waits());
        values.put("bars", bars());
        marks(values);
        values.put("chart-height", CHART);
        values.put("chart-axis-y", CHART_BOTTOM + 32);
        values.put("chart-ticks", ticks(CHART_TOP, CHART_BOTTOM));
        values.put("queue", List.of(queue()));
        queueRows(values);
        List<Map<String, Object>> windows = windows();
        values.put("windows", windows);
        values.put("has-windows", windows.isEmpty() ? List.of() : List.of(Map.of()));
        values.put("links", links());
        values.put("link-names", linkNames());
        List<Map<String, Object>> hosts = hosts();
        values.put("hosts", hosts);
        values.put("has-hosts", hosts.isEmpty() ? List.of() : List.of(Map.of()));
        values.put("hosts-height", 8 + hosts.size() * ROW);
        return values;
    }

    int height() {
        return bottom() + 38;
    }

    static int chartHeight() {
        return CHART;
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

    private static String number(double value) {
        return TimeAxis.number(value);
    }

    // ---- the rows

    private List<Map<String, Object>> ticks(int top, int bottom) {
        return axis.ticks().stream()
                .<Map<String, Object>>map(tick -> Map.of("x", number(tick.x()), "top", top, "bottom", bottom,
                        "label-y", bottom + 16, "label", Times.seconds(tick.atMillis())))
                .toList();
    }

    private List<Map<String, Object>> silences() {
        List<Map<String, Object>> silences = new ArrayList<>();
        for (TimeAxis.Part part : axis.silences()) {
            Map<String, Object> silence = new TreeMap<>();
            silence.put("x", number(part.left()));
            silence.put("y", TOP - 4);
            silence.put("w", number(part.right() - part.left()));
            silence.put("h", bottom() - TOP + 4);
            silence.put("title", "cut short: nothing is under way, " + times(part.fromMillis(), part.toMillis()));
            silence.put("label-x", number((part.left() + part.right()) / 2));
            silence.put("label-y", (TOP + bottom()) / 2 + 4);
            long seconds = (part.toMillis() - part.fromMillis()) / 1_000;
            silence.put("text", seconds < 10_000 ? "⋯ " + seconds + "s" : "⋯ " + seconds / 3_600 + "h");
            silences.add(silence);
        }
        return silences;
    }

    private List<Map<String, Object>> rows() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int slot = 1; slot <= slots; slot++) {
            rows.add(Map.of("label-x", LEFT - 8, "y", number(y(slot) + 13), "label", "slot " + slot));
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
            bar.put("label-x", number(x(each.startMillis()) + width / 2));
            bar.put("label-y", number(y(each.slot()) + 13));
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
        box.put("x", number(x(from)));
        box.put("y", number(y(slot)));
        box.put("w", number(Math.max(1.5, x(to) - x(from))));
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
                names.add(Map.of("x", number(x(link.fromMillis()) + width / 2), "y",
                        number(y(link.slot()) + 13), "text", link.host()));
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
                rows.add(Map.of("name", host.getKey(), "label-x", LEFT, "label-y", number(y + 10), "states",
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
                states.add(Map.of("x", number(x(from)), "y", number(y), "w",
                        number(Math.max(1.5, x(to) - x(from))), "class", marks.get(i).state(), "title",
                        marks.get(i).state() + ", " + times(from, to)));
            }
        }
        return states;
    }

    // ---- preemptions

    /// Preemptions that stand too close to each other to be told apart share a mark.
    private List<List<Passing>> groups() {
        List<List<Passing>> groups = new ArrayList<>();
        for (Passing each : course.passings()) {
            if (groups.isEmpty()
                    || x(each.atMillis()) - x(groups.getLast().getFirst().atMillis()) >= LEAST_BETWEEN_MARKS) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(each);
        }
        return groups;
    }

    /// Each mark has a label: in words where there is room, otherwise a number that is explained below the picture.
    private void marks(Map<String, Object> values) {
        List<Map<String, Object>> marks = new ArrayList<>();
        List<Map<String, Object>> keys = new ArrayList<>();
        double[] free = new double[LABELS];
        for (List<Passing> group : groups()) {
            String text = group.size() == 1
                    ? group.getFirst().stepping() + " before " + group.getFirst().passed()
                    : group.size() + " preemptions";
            String words = words(group);
            double x = x(group.getFirst().atMillis());
            int line = freeLine(free, x, text);
            String label = line > 0 ? text : Integer.toString(keys.size() + 1);
            if (line == 0) {
                keys.add(Map.of("number", label, "text", words));
            }
            double shifted = Math.clamp(x, 4 + label.length() * LETTER / 2.0,
                    WIDTH - 4 - label.length() * LETTER / 2.0);
            free[line] = shifted + label.length() * LETTER / 2.0 + LETTER;
            marks.add(Map.of("x", number(x), "y", TOP - 2, "title", words, "text", label, "label-x", number(shifted),
                    "label-y", TOP - 14 - line * LABEL_HEIGHT));
        }
        values.put("marks", marks);
        values.put("mark-keys", keys);
        values.put("has-mark-keys", keys.isEmpty() ? List.of() : List.of(Map.of()));
    }

    private static int freeLine(double[] free, double x, String text) {
        double half = text.length() * LETTER / 2.0;
        for (int line = 1; line < LABELS; line++) {
            if (Math.clamp(x, 4 + half, WIDTH - 4 - half) - half >= free[line]) {
                return line;
            }
        }
        return 0;
    }

    private static String words(List<Passing> group) {
        return Page.words(group.getFirst()) + ", at " + Times.seconds(group.getFirst().atMillis())
                + (group.size() == 1
                        ? ""
                        : "; the last of " + group.size() + ": " + Page.words(group.getLast()) + ", at "
                                + Times.seconds(group.getLast().atMillis()));
    }

    // ---- the queue

    /// Recipients that wait, one area for each message on top of the other.
    private Map<String, Object> queue() {
        TreeSet<Long> times = new TreeSet<>(List.of(0L, axis.endMillis()));
        course.queue().values().forEach(samples -> samples.forEach(each -> times.add(each.atMillis())));
        List<Long> drawn = drawn(List.copyOf(times));
        long[] sums = new long[drawn.size()];
        List<Map<String, Object>> areas = new ArrayList<>();
        List<long[]> edges = new ArrayList<>();
        edges.add(sums.clone());
        course.queue().forEach((_, samples) -> {
            for (boolean deferred : List.of(false, true)) {
                add(sums, drawn, samples, deferred);
                edges.add(sums.clone());
            }
        });
        long most = Math.max(1, LongStream.of(sums).max().orElse(1));
        int i = 0;
        for (String name : course.queue().keySet()) {
            for (boolean deferred : List.of(false, true)) {
                if (!Arrays.equals(edges.get(i), edges.get(i + 1))) {
                    areas.add(Map.of("path", area(drawn, edges.get(i), edges.get(i + 1), most), "color",
                            color.applyAsInt(name), "class", deferred ? "deferred" : "waiting", "title",
                            name + (deferred ? ": until the time of the next attempt" : ": for a delivery")));
                }
                i++;
            }
        }
        return Map.of("areas", areas, "levels", levels(List.of(0L, most), most));
    }

    /// One time for each unit of the picture.
    private List<Long> drawn(List<Long> times) {
        List<Long> drawn = new ArrayList<>();
        for (long time : times) {
            if (time <= axis.endMillis()) {
                if (!drawn.isEmpty() && x(time) - x(drawn.getLast()) < LEAST_WIDTH / 2) {
                    drawn.removeLast();
                }
                drawn.add(time);
            }
        }
        return drawn;
    }

    private static void add(long[] sums, List<Long> times, List<QueueSample> samples, boolean deferred) {
        int next = 0;
        int value = 0;
        for (int i = 0; i < sums.length; i++) {
            while (next < samples.size() && samples.get(next).atMillis() <= times.get(i)) {
                value = deferred ? samples.get(next).deferred() : samples.get(next).waiting();
                next++;
            }
            sums[i] += value;
        }
    }

    private String area(List<Long> times, long[] below, long[] above, long most) {
        StringBuilder path = new StringBuilder(
                "M" + number(x(times.getFirst())) + " " + number(chartY(above[0], most)));
        for (int i = 1; i < times.size(); i++) {
            path.append(" H").append(number(x(times.get(i))));
            if (above[i] != above[i - 1]) {
                path.append(" V").append(number(chartY(above[i], most)));
            }
        }
        path.append(" V").append(number(chartY(below[times.size() - 1], most)));
        for (int i = times.size() - 2; i >= 0; i--) {
            if (below[i] != below[i + 1]) {
                path.append(" V").append(number(chartY(below[i], most)));
            }
            path.append(" H").append(number(x(times.get(i))));
        }
        return path.append(" z").toString();
    }

    private static List<Map<String, Object>> levels(List<Long> levels, long most) {
        return levels.stream().distinct()
                .<Map<String, Object>>map(level -> Map.of("y", number(chartY(level, most)), "label-x", LEFT - 8,
                        "label-y", number(chartY(level, most) + 4), "label", level))
                .toList();
    }

    private static double chartY(long size, long most) {
        return CHART_BOTTOM - (double) Math.max(0, size) / most * (CHART_BOTTOM - CHART_TOP);
    }

    // ---- who waits behind whom

    private void queueRows(Map<String, Object> values) {
        List<Wait> all = Waits.of(course);
        List<Map<String, Object>> names = new ArrayList<>();
        List<Map<String, Object>> shares = new ArrayList<>();
        course.queue().keySet().stream().filter(name -> all.stream().anyMatch(wait -> wait.name().equals(name)))
                .limit(MOST_WAITING).forEach(name -> {
                    double y = CHART_TOP + names.size() * (double) ROW;
                    names.add(Map.of("label-x", LEFT - 8, "y", number(y + 16), "label", name));
                    drawn(all.stream().filter(wait -> wait.name().equals(name)).toList(), y + 3, shares);
                });
        int bottom = CHART_TOP + names.size() * ROW;
        values.put("behind-names", names);
        values.put("behind-shares", shares);
        values.put("has-behind", names.isEmpty() ? List.of() : List.of(Map.of()));
        values.put("behind-height", bottom + 38);
        values.put("behind-axis-y", bottom + 32);
        values.put("behind-ticks", ticks(CHART_TOP - 4, bottom));
    }

    /// Waits that are too short to be seen are drawn as one, in which each message has its share of the time.
    private void drawn(List<Wait> waits, double y, List<Map<String, Object>> shares) {
        SequencedMap<String, Double> sums = new TreeMap<>();
        long from = 0;
        String words = "";
        for (int i = 0; i < waits.size(); i++) {
            Wait wait = waits.get(i);
            if (sums.isEmpty()) {
                from = wait.fromMillis();
                words = wait.words();
            } else {
                words = "several in turn";
            }
            Waits.millisBehind(List.of(wait), wait.name())
                    .forEach((name, millis) -> sums.merge(name, millis, Double::sum));
            boolean last = i + 1 == waits.size() || waits.get(i + 1).fromMillis() > wait.toMillis();
            if (last || x(wait.toMillis()) - x(from) >= LEAST_WIDTH) {
                shares(wait, from, words, sums, y, shares);
                sums.clear();
            }
        }
    }

    private void shares(Wait wait, long from, String words, SequencedMap<String, Double> sums, double top,
            List<Map<String, Object>> shares) {
        double all = sums.values().stream().mapToDouble(Double::doubleValue).sum();
        double y = top;
        for (var each : sums.entrySet()) {
            double height = BAR * each.getValue() / all;
            shares.add(Map.of("x", number(x(from)), "y", number(y), "w",
                    number(Math.max(LEAST_WIDTH, x(wait.toMillis()) - x(from))), "h", number(height), "class",
                    each.getKey().isEmpty() ? "wait" : "c" + color.applyAsInt(each.getKey()), "title",
                    wait.name() + " waits behind " + words + ", " + times(from, wait.toMillis())));
            y += height;
        }
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
        int limit = serverLimits.getOrDefault(road.name(), 0);
        int most = Math.max(Math.max(1, limit), road.windows().stream().mapToInt(Mark::size).max().orElse(1));
        Map<String, Object> chart = new TreeMap<>();
        chart.put("number", number);
        chart.put("name", road.name());
        chart.put("sizes", Runs.text(Verdicts.windows(road)));
        chart.put("levels", levels(List.of(0L, (long) most), most));
        chart.put("limit", limit == 0
                ? List.of()
                : List.of(Map.of("y", number(chartY(limit, most)), "label-y", number(chartY(limit, most) - 4), "text",
                        "limit of the server: " + limit + (limit == 1 ? " session" : " sessions"))));
        chart.put("path", path(road, most));
        chart.put("deaths", deaths(road, most));
        return chart;
    }

    // Steps; a gap where nothing is remembered of the destination.
    private String path(Road road, int most) {
        StringBuilder path = new StringBuilder();
        boolean drawing = false;
        for (Mark mark : road.windows()) {
            String x = number(x(mark.atMillis()));
            String y = number(chartY(mark.size(), most));
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
                double width = x(to) - x(from);
                Map<String, Object> death = new TreeMap<>();
                death.put("x", number(x(from)));
                death.put("y", CHART_TOP);
                death.put("w", number(Math.max(1.5, width)));
                death.put("h", CHART_BOTTOM - CHART_TOP);
                death.put("title", "dead, " + times(from, to));
                death.put("text", width > 4 * LETTER ? "dead" : "");
                death.put("label-x", number((x(from) + x(to)) / 2));
                death.put("label-y", CHART_TOP + 14);
                deaths.add(death);
            }
        }
        return deaths;
    }
}
