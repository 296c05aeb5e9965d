package org.slipstream.lab.scene;

import org.slipstream.lab.scene.Course.CourseConnection;
import org.slipstream.lab.scene.Course.HostMark;
import org.slipstream.lab.scene.Course.Passing;
import org.slipstream.lab.scene.Course.Phase;
import org.slipstream.lab.scene.Course.Span;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/// The coordinates of everything in the picture of one run: time goes to the right, each connection
/// has a row, and preemptions stand above the rows. The [Charts] below them have the same time
/// axis.
final class Picture {
    static final int WIDTH = 960;
    static final int LEFT = 70;
    static final int RIGHT = WIDTH - 12;
    /// Room for two lines of labels of preemptions and one of their numbers.
    private static final int TOP = 66;
    private static final int LABELS = 3;
    private static final int LABEL_HEIGHT = 14;
    static final int ROW = 24;
    static final int BAR = 18;
    private static final int MOST_SLOTS = 40;
    static final int MOST_CHARTS = 8;
    static final int LETTER = 7;
    private static final int LEAST_BETWEEN_MARKS = 24;

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
        values.put("ticks", ticks(axis, TOP - 4, bottom()));
        values.put("silences", silences());
        values.put("rows", rows());
        values.put("waits", waits());
        values.put("bars", bars());
        marks(values);
        values.putAll(new Charts(course, axis, color, serverLimits).values());
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

    private int bottom() {
        return TOP + slots * ROW;
    }

    private double x(long millis) {
        return axis.x(millis);
    }

    private static double y(int slot) {
        return TOP + (slot - 1) * (double) ROW + (ROW - BAR) / 2.0;
    }

    static String number(double value) {
        return TimeAxis.number(value);
    }

    // ---- the rows

    static List<Map<String, Object>> ticks(TimeAxis axis, int top, int bottom) {
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

    static String times(long from, long to) {
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

    /// Preemptions that are too close to each other for a label each share a mark.
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

    /// Each mark has a label: in words where there is room, otherwise a number that is explained
    /// below the picture.
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
}
