package org.slipstream.picture;

import org.slipstream.picture.RunRecord.DestinationRecord;
import org.slipstream.picture.RunRecord.QueueSample;
import org.slipstream.picture.RunRecord.WindowChange;
import org.slipstream.picture.RunRecord.WindowSample;
import org.slipstream.picture.WaitSeries.SeriesWait;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.LongStream;

/// The coordinates of the charts below the timeline of one run: the length of the queue, the waits
/// of messages behind each other, and each window. All charts have the time axis of the [Picture].
final class Charts {
    static final int HEIGHT = 150;
    private static final int TOP = 24;
    private static final int BOTTOM = HEIGHT - 38;
    private static final int MOST_WAITING = 12;
    private static final double LEAST_WIDTH = 1;

    private final RunRecord record;
    private final TimeAxis axis;
    private final ToIntFunction<String> color;
    private final SequencedMap<String, Integer> serverLimits;

    Charts(RunRecord record, TimeAxis axis, ToIntFunction<String> color, SequencedMap<String, Integer> serverLimits) {
        this.record = record;
        this.axis = axis;
        this.color = color;
        this.serverLimits = serverLimits;
    }

    Map<String, Object> values() {
        Map<String, Object> values = new TreeMap<>();
        values.put("chart-height", HEIGHT);
        values.put("chart-axis-y", BOTTOM + 32);
        values.put("chart-ticks", Picture.ticks(axis, TOP, BOTTOM));
        values.put("queue", List.of(queue()));
        queueRows(values);
        List<Map<String, Object>> windows = windows();
        values.put("windows", windows);
        values.put("has-windows", windows.isEmpty() ? List.of() : List.of(Map.of()));
        return values;
    }

    private double x(long millis) {
        return axis.x(millis);
    }

    private static String number(double value) {
        return Picture.number(value);
    }

    // ---- the queue

    /// Recipients that wait, with one stacked area for each message.
    private Map<String, Object> queue() {
        TreeSet<Long> times = new TreeSet<>(List.of(0L, axis.endMillis()));
        record.queue().values().forEach(samples -> samples.forEach(each -> times.add(each.atMillis())));
        List<Long> drawn = drawn(List.copyOf(times));
        long[] sums = new long[drawn.size()];
        List<Map<String, Object>> areas = new ArrayList<>();
        List<long[]> edges = new ArrayList<>();
        edges.add(sums.clone());
        record.queue().forEach((_, samples) -> {
            for (boolean deferred : List.of(false, true)) {
                add(sums, drawn, samples, deferred);
                edges.add(sums.clone());
            }
        });
        long most = Math.max(1, LongStream.of(sums).max().orElse(1));
        int i = 0;
        for (String name : record.queue().keySet()) {
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

    /// At most one time for each half pixel of the picture.
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
                .<Map<String, Object>>map(level -> Map.of("y", number(chartY(level, most)), "label-x", Picture.LEFT - 8,
                        "label-y", number(chartY(level, most) + 4), "label", level))
                .toList();
    }

    private static double chartY(long size, long most) {
        return BOTTOM - (double) Math.max(0, size) / most * (BOTTOM - TOP);
    }

    // ---- waits behind other messages

    private void queueRows(Map<String, Object> values) {
        List<SeriesWait> all = WaitSeries.of(record);
        List<Map<String, Object>> names = new ArrayList<>();
        List<Map<String, Object>> shares = new ArrayList<>();
        record.queue().keySet().stream().filter(name -> all.stream().anyMatch(wait -> wait.name().equals(name)))
                .limit(MOST_WAITING).forEach(name -> {
                    double y = TOP + names.size() * (double) Picture.ROW;
                    names.add(Map.of("label-x", Picture.LEFT - 8, "y", number(y + 16), "label", name));
                    drawn(all.stream().filter(wait -> wait.name().equals(name)).toList(), y + 3, shares);
                });
        int bottom = TOP + names.size() * Picture.ROW;
        values.put("behind-names", names);
        values.put("behind-shares", shares);
        values.put("has-behind", names.isEmpty() ? List.of() : List.of(Map.of()));
        values.put("behind-height", bottom + 38);
        values.put("behind-axis-y", bottom + 32);
        values.put("behind-ticks", Picture.ticks(axis, TOP - 4, bottom));
    }

    /// Joins waits that are too short to be visible. Each message has its share of the time in the
    /// joined bar.
    private void drawn(List<SeriesWait> waits, double y, List<Map<String, Object>> shares) {
        SequencedMap<String, Double> sums = new TreeMap<>();
        long from = 0;
        String text = "";
        for (int i = 0; i < waits.size(); i++) {
            SeriesWait wait = waits.get(i);
            if (sums.isEmpty()) {
                from = wait.fromMillis();
                text = wait.text();
            } else {
                text = "several in turn";
            }
            WaitSeries.millisBehind(List.of(wait), wait.name())
                    .forEach((name, millis) -> sums.merge(name, millis, Double::sum));
            boolean last = i + 1 == waits.size() || waits.get(i + 1).fromMillis() > wait.toMillis();
            if (last || x(wait.toMillis()) - x(from) >= LEAST_WIDTH) {
                shares(wait, from, text, sums, y, shares);
                sums.clear();
            }
        }
    }

    private void shares(SeriesWait wait, long from, String text, SequencedMap<String, Double> sums, double top,
            List<Map<String, Object>> shares) {
        double all = sums.values().stream().mapToDouble(Double::doubleValue).sum();
        double y = top;
        for (var each : sums.entrySet()) {
            double height = Picture.BAR * each.getValue() / all;
            shares.add(Map.of("x", number(x(from)), "y", number(y), "w",
                    number(Math.max(LEAST_WIDTH, x(wait.toMillis()) - x(from))), "h", number(height), "class",
                    each.getKey().isEmpty() ? "wait" : "c" + color.applyAsInt(each.getKey()), "title",
                    wait.name() + " waits behind " + text + ", " + Picture.times(from, wait.toMillis())));
            y += height;
        }
    }

    // ---- windows

    private List<Map<String, Object>> windows() {
        List<Map<String, Object>> charts = new ArrayList<>();
        for (DestinationRecord destination : record.destinations().values()) {
            if (destination.isInformative() && charts.size() < Picture.MOST_CHARTS) {
                charts.add(chart(destination, charts.size() + 1));
            }
        }
        return charts;
    }

    private Map<String, Object> chart(DestinationRecord destination, int number) {
        int limit = serverLimits.getOrDefault(destination.name(), 0);
        int most = Math.max(Math.max(1, limit),
                destination.windows().stream().mapToInt(WindowSample::size).max().orElse(1));
        Map<String, Object> chart = new TreeMap<>();
        chart.put("number", number);
        chart.put("name", destination.name());
        chart.put("sizes", SequenceNotation.text(destination.sizes()));
        chart.put("levels", levels(List.of(0L, (long) most), most));
        chart.put("limit", limit == 0
                ? List.of()
                : List.of(Map.of("y", number(chartY(limit, most)), "label-y", number(chartY(limit, most) - 4), "text",
                        "limit of the server: " + limit + (limit == 1 ? " session" : " sessions"))));
        chart.put("path", path(destination, most));
        chart.put("dead-times", deadTimes(destination, most));
        return chart;
    }

    // A step line, interrupted where the destination was forgotten.
    private String path(DestinationRecord destination, int most) {
        StringBuilder path = new StringBuilder();
        boolean drawing = false;
        for (WindowSample sample : destination.windows()) {
            String x = number(x(sample.atMillis()));
            String y = number(chartY(sample.size(), most));
            boolean forgotten = isForgotten(sample);
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

    private static boolean isForgotten(WindowSample sample) {
        return sample.change() == WindowChange.FORGOTTEN;
    }

    private List<Map<String, Object>> deadTimes(DestinationRecord destination, int most) {
        List<Map<String, Object>> deadTimes = new ArrayList<>();
        List<WindowSample> samples = destination.windows();
        for (int i = 0; i < samples.size(); i++) {
            if (samples.get(i).size() == 0 && !isForgotten(samples.get(i))) {
                long from = samples.get(i).atMillis();
                long to = i + 1 < samples.size() ? samples.get(i + 1).atMillis() : axis.endMillis();
                double width = x(to) - x(from);
                Map<String, Object> dead = new TreeMap<>();
                dead.put("x", number(x(from)));
                dead.put("y", TOP);
                dead.put("w", number(Math.max(1.5, width)));
                dead.put("h", BOTTOM - TOP);
                dead.put("title", "dead, " + Picture.times(from, to));
                dead.put("text", width > 4 * Picture.CHARACTER_WIDTH ? "dead" : "");
                dead.put("label-x", number((x(from) + x(to)) / 2));
                dead.put("label-y", TOP + 14);
                deadTimes.add(dead);
            }
        }
        return deadTimes;
    }
}
