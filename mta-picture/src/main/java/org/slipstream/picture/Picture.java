package org.slipstream.picture;

import org.slipstream.picture.RunRecord.ConnectionRecord;
import org.slipstream.picture.RunRecord.HostSample;
import org.slipstream.picture.RunRecord.Phase;
import org.slipstream.picture.RunRecord.PreemptionRecord;
import org.slipstream.picture.RunRecord.Span;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/// The coordinates of the picture of one run. Time goes to the right, each connection has a row, and
/// preemptions are marked above the rows. The [Charts] below have the same time axis.
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
    private static final int MAX_ROWS = 40;
    static final int MOST_CHARTS = 8;
    static final int CHARACTER_WIDTH = 7;
    private static final int LEAST_BETWEEN_MARKS = 24;

    private final RunRecord record;
    private final List<DeliveryBar> deliveries;
    private final ToIntFunction<String> color;
    private final TimeAxis axis;
    private final int rowCount;
    private final SequencedMap<String, Integer> serverLimits;

    /// @param axis shared by all runs of a page
    /// @param color of a message by its name
    Picture(RunRecord record, List<DeliveryBar> deliveries, TimeAxis axis, ToIntFunction<String> color,
            SequencedMap<String, Integer> serverLimits) {
        this.record = record;
        this.deliveries = deliveries.stream().filter(each -> each.connection() <= MAX_ROWS).toList();
        this.color = color;
        this.axis = axis;
        this.rowCount = this.deliveries.stream().mapToInt(DeliveryBar::connection).max().orElse(1);
        this.serverLimits = serverLimits;
    }

    Map<String, Object> values() {
        Map<String, Object> values = new TreeMap<>();
        values.put("width", WIDTH);
        values.put("left", LEFT);
        values.put("right", RIGHT);
        values.put("height", height());
        values.put("axis-y", bottom() + 32);
        values.put("rows-y", TOP - 10);
        values.put("ticks", ticks(axis, TOP - 4, bottom()));
        values.put("gaps", gaps());
        values.put("rows", rows());
        values.put("waits", waits());
        values.put("bars", bars());
        marks(values);
        values.putAll(new Charts(record, axis, color, serverLimits).values());
        values.put("connections", connections());
        values.put("connection-names", connectionNames());
        List<Map<String, Object>> hosts = hosts();
        values.put("hosts", hosts);
        values.put("has-hosts", hosts.isEmpty() ? List.of() : List.of(Map.of()));
        int hostsBottom = 8 + hosts.size() * ROW;
        values.put("hosts-height", hostsBottom + 38);
        values.put("hosts-axis-y", hostsBottom + 32);
        values.put("hosts-ticks", ticks(axis, 0, hostsBottom));
        return values;
    }

    int height() {
        return bottom() + 38;
    }

    private int bottom() {
        return TOP + rowCount * ROW;
    }

    private double x(long millis) {
        return axis.x(millis);
    }

    private static double y(int row) {
        return TOP + (row - 1) * (double) ROW + (ROW - BAR) / 2.0;
    }

    static String number(double value) {
        return TimeAxis.number(value);
    }

    // ---- the rows

    static List<Map<String, Object>> ticks(TimeAxis axis, int top, int bottom) {
        return axis.ticks().stream()
                .<Map<String, Object>>map(tick -> Map.of("x", number(tick.x()), "top", top, "bottom", bottom,
                        "label-y", bottom + 16, "label", TimeAxis.seconds(tick.atMillis())))
                .toList();
    }

    private List<Map<String, Object>> gaps() {
        List<Map<String, Object>> gaps = new ArrayList<>();
        for (TimeAxis.Part part : axis.gaps()) {
            Map<String, Object> gap = new TreeMap<>();
            gap.put("x", number(part.left()));
            gap.put("y", TOP - 4);
            gap.put("w", number(part.right() - part.left()));
            gap.put("h", bottom() - TOP + 4);
            gap.put("title", "shortened: no delivery is under way, " + times(part.fromMillis(), part.toMillis()));
            gap.put("label-x", number((part.left() + part.right()) / 2));
            gap.put("label-y", (TOP + bottom()) / 2 + 4);
            gap.put("text", gap(part));
            gaps.add(gap);
        }
        return gaps;
    }

    static String gap(TimeAxis.Part part) {
        long seconds = (part.toMillis() - part.fromMillis()) / 1_000;
        return seconds < 10_000 ? "⋯ " + seconds + "s" : "⋯ " + seconds / 3_600 + "h";
    }

    private List<Map<String, Object>> rows() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int row = 1; row <= rowCount; row++) {
            rows.add(Map.of("label-x", LEFT - 8, "y", number(y(row) + 13), "label", row));
        }
        return rows;
    }

    private List<Map<String, Object>> waits() {
        return deliveries.stream().filter(each -> each.startMillis() > each.selectedMillis())
                .map(each -> box(each.connection(), each.selectedMillis(), each.startMillis(),
                        each.name() + " waits for a connection, " + times(each.selectedMillis(), each.startMillis())))
                .toList();
    }

    private List<Map<String, Object>> bars() {
        List<Map<String, Object>> bars = new ArrayList<>();
        for (DeliveryBar each : deliveries) {
            Map<String, Object> bar = box(each.connection(), each.startMillis(), each.endMillis(),
                    each.text() + ", " + times(each.startMillis(), each.endMillis()));
            bar.put("color", color.applyAsInt(each.name()));
            bar.put("trouble", each.isTrouble() ? List.of(Map.of()) : List.of());
            double width = x(each.endMillis()) - x(each.startMillis());
            bar.put("label", label(each, width));
            bar.put("label-x", number(x(each.startMillis()) + width / 2));
            bar.put("label-y", number(y(each.connection()) + 13));
            bars.add(bar);
        }
        return bars;
    }

    // The longest label that fits: name and count, name, or nothing.
    private static List<Map<String, String>> label(DeliveryBar bar, double width) {
        for (String text : List.of(bar.label(), bar.name())) {
            if (text.length() * CHARACTER_WIDTH + 4 <= width) {
                return List.of(Map.of("text", text));
            }
        }
        return List.of();
    }

    private Map<String, Object> box(int row, long from, long to, String title) {
        Map<String, Object> box = new TreeMap<>();
        box.put("x", number(x(from)));
        box.put("y", number(y(row)));
        box.put("w", number(Math.max(1.5, x(to) - x(from))));
        box.put("h", BAR);
        box.put("title", title);
        return box;
    }

    static String times(long from, long to) {
        return TimeAxis.seconds(from) + " to " + TimeAxis.seconds(to);
    }

    // ---- connections and hosts

    /// One bar for each phase of a connection, in the row of its number.
    private List<Map<String, Object>> connections() {
        List<Map<String, Object>> bars = new ArrayList<>();
        for (ConnectionRecord connection : record.connections()) {
            for (Span span : connection.number() <= MAX_ROWS ? connection.spans() : List.<Span>of()) {
                Map<String, Object> bar = box(connection.number(), span.fromMillis(), span.toMillis(),
                        "connection " + connection.number() + " to " + connection.host() + ": " + word(span.phase())
                                + ", "
                                + times(span.fromMillis(), span.toMillis())
                                + (span == connection.spans().getLast() && !connection.end().isEmpty()
                                        ? "; " + connection.end()
                                        : ""));
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

    /// The host of each connection, if its bar has room for the name.
    private List<Map<String, Object>> connectionNames() {
        List<Map<String, Object>> names = new ArrayList<>();
        for (ConnectionRecord connection : record.connections()) {
            double width = x(connection.toMillis()) - x(connection.fromMillis());
            if (connection.number() <= MAX_ROWS && connection.host().length() * CHARACTER_WIDTH + 4 <= width) {
                names.add(Map.of("x", number(x(connection.fromMillis()) + width / 2), "y",
                        number(y(connection.number()) + 13), "text", connection.host()));
            }
        }
        return names;
    }

    /// A row for each host with a known state.
    private List<Map<String, Object>> hosts() {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (var host : record.hosts().entrySet()) {
            if (!host.getValue().isEmpty() && rows.size() < MOST_CHARTS) {
                double y = 4 + rows.size() * (double) ROW;
                rows.add(Map.of("name", host.getKey(), "label-x", LEFT, "label-y", number(y + 10), "states",
                        states(host.getValue(), y + 14)));
            }
        }
        return rows;
    }

    private List<Map<String, Object>> states(List<HostSample> samples, double y) {
        List<Map<String, Object>> states = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            long from = samples.get(i).atMillis();
            long to = i + 1 < samples.size() ? samples.get(i + 1).atMillis() : axis.endMillis();
            if (!samples.get(i).state().isEmpty() && from < axis.endMillis()) {
                states.add(Map.of("x", number(x(from)), "y", number(y), "w",
                        number(Math.max(1.5, x(to) - x(from))), "class", samples.get(i).state(), "title",
                        samples.get(i).state() + ", " + times(from, to)));
            }
        }
        return states;
    }

    // ---- preemptions

    /// Groups preemptions that are too close to each other for a label each; a group has one mark.
    private List<List<PreemptionRecord>> groups() {
        List<List<PreemptionRecord>> groups = new ArrayList<>();
        for (PreemptionRecord each : record.preemptions()) {
            if (groups.isEmpty()
                    || x(each.atMillis()) - x(groups.getLast().getFirst().atMillis()) >= LEAST_BETWEEN_MARKS) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(each);
        }
        return groups;
    }

    /// Each mark has a label. The label is a text if there is room for it, and otherwise a number
    /// with an explanation below the picture.
    private void marks(Map<String, Object> values) {
        List<Map<String, Object>> marks = new ArrayList<>();
        List<Map<String, Object>> keys = new ArrayList<>();
        double[] free = new double[LABELS];
        for (List<PreemptionRecord> group : groups()) {
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
            double shifted = Math.clamp(x, 4 + label.length() * CHARACTER_WIDTH / 2.0,
                    WIDTH - 4 - label.length() * CHARACTER_WIDTH / 2.0);
            free[line] = shifted + label.length() * CHARACTER_WIDTH / 2.0 + CHARACTER_WIDTH;
            marks.add(Map.of("x", number(x), "y", TOP - 2, "title", words, "text", label, "label-x", number(shifted),
                    "label-y", TOP - 14 - line * LABEL_HEIGHT));
        }
        values.put("marks", marks);
        values.put("mark-keys", keys);
        values.put("has-mark-keys", keys.isEmpty() ? List.of() : List.of(Map.of()));
    }

    private static int freeLine(double[] free, double x, String text) {
        double half = text.length() * CHARACTER_WIDTH / 2.0;
        for (int line = 1; line < LABELS; line++) {
            if (Math.clamp(x, 4 + half, WIDTH - 4 - half) - half >= free[line]) {
                return line;
            }
        }
        return 0;
    }

    private static String words(List<PreemptionRecord> group) {
        return group.getFirst().words() + ", at " + TimeAxis.seconds(group.getFirst().atMillis())
                + (group.size() == 1
                        ? ""
                        : "; the last of " + group.size() + ": " + group.getLast().words() + ", at "
                                + TimeAxis.seconds(group.getLast().atMillis()));
    }
}
