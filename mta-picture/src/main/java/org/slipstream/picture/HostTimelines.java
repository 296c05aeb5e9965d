package org.slipstream.picture;

import org.slipstream.picture.RunRecord.ConnectionRecord;
import org.slipstream.picture.RunRecord.HostSample;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/// The coordinates of a run by host: each host has a strip with what is known of it, and below that a row for
/// each connection that it had at once, with the deliveries that the connection carried.
///
/// The rows of [Picture] are numbers of connections, and a number goes from one host to the next. A host that
/// is left alone would be an absence there; here it is a strip without connections.
final class HostTimelines {
    private static final int TOP = 14;
    private static final int HEAD = 20;
    private static final int STRIP = 14;
    private static final int ROW = 10;
    private static final int BAR = 8;
    private static final int BETWEEN = 8;
    private static final int MOST_ROWS = 40;
    /// Of a connection that failed in a few milliseconds.
    private static final int LEAST_MARK = 7;
    private static final Map<String, List<String>> LABELS = Map.of("retry",
            List.of("failed: no connection is tried", "failed"), "due", List.of("due: may be tried", "due"),
            "crowded", List.of("crowded: no further connection", "crowded"), "closed",
            List.of("known to work", "works"), "suspended", List.of("suspended"));

    private final RunRecord record;
    private final List<DeliveryBar> deliveries;
    private final TimeAxis axis;
    private final ToIntFunction<String> color;
    private final List<HostBand> bands = new ArrayList<>();
    private final int bottom;

    /// @param shown rows that have room
    private record HostBand(String host, List<HostSample> samples, List<List<ConnectionRecord>> rows, int shown,
            int y) {}

    HostTimelines(RunRecord record, List<DeliveryBar> deliveries, TimeAxis axis, ToIntFunction<String> color) {
        this.record = record;
        this.deliveries = deliveries;
        this.axis = axis;
        this.color = color;
        int y = TOP;
        int left = MOST_ROWS;
        for (Map.Entry<String, List<HostSample>> host : new TreeMap<>(record.hosts()).entrySet()) {
            List<List<ConnectionRecord>> rows = rows(host.getKey());
            int shown = Math.min(rows.size(), left);
            bands.add(new HostBand(host.getKey(), host.getValue(), rows, shown, y));
            left -= shown;
            y += HEAD + STRIP + shown * ROW + BETWEEN;
        }
        bottom = y;
    }

    /// Whether something is known of one of several hosts.
    static boolean tellMore(RunRecord record) {
        return record.hosts().size() > 1 && record.hosts().values().stream().anyMatch(samples -> !samples.isEmpty());
    }

    int height() {
        return bottom + 38;
    }

    Map<String, Object> values() {
        return Map.of("bands", bands.stream().map(this::band).toList(), "ticks", Picture.ticks(axis, 0, bottom),
                "axis-y", bottom + 32, "gaps", gaps());
    }

    private List<Map<String, Object>> gaps() {
        return axis.gaps().stream().<Map<String, Object>>map(part -> Map.of("x", number(part.left()), "y", 0, "w",
                number(part.right() - part.left()), "h", bottom, "text", Picture.gap(part), "label-x",
                number((part.left() + part.right()) / 2), "label-y", bottom - 4)).toList();
    }

    /// Connections that follow each other share a row.
    private List<List<ConnectionRecord>> rows(String host) {
        List<List<ConnectionRecord>> rows = new ArrayList<>();
        record.connections().stream().filter(each -> each.host().equals(host))
                .sorted(Comparator.comparingLong(ConnectionRecord::fromMillis)).forEach(each -> {
                    Optional<List<ConnectionRecord>> free = rows.stream()
                            .filter(row -> row.getLast().toMillis() <= each.fromMillis()).findFirst();
                    free.orElseGet(() -> {
                        rows.add(new ArrayList<>());
                        return rows.getLast();
                    }).add(each);
                });
        return rows;
    }

    private Map<String, Object> band(HostBand host) {
        List<ConnectionRecord> all = host.rows().stream().flatMap(List::stream).toList();
        long failed = all.stream().filter(each -> !each.wasReady()).count();
        int carried = all.stream().mapToInt(ConnectionRecord::deliveries).sum();
        Map<String, Object> band = new TreeMap<>();
        band.put("name", host.host());
        band.put("name-y", host.y() + HEAD - 6);
        band.put("figures", count(all.size(), "connection") + (failed > 0 ? ", " + failed + " failed" : "") + ", "
                + (carried == 0 ? "no delivery" : carried == 1 ? "1 delivery" : carried + " deliveries"));
        band.put("states", states(host.samples(), host.y() + HEAD));
        List<Map<String, Object>> open = new ArrayList<>();
        List<Map<String, Object>> broken = new ArrayList<>();
        List<Map<String, Object>> bars = new ArrayList<>();
        for (int row = 0; row < host.shown(); row++) {
            int top = host.y() + HEAD + STRIP + row * ROW + 2;
            for (ConnectionRecord each : host.rows().get(row)) {
                (each.wasReady() ? open : broken).add(connection(each, top));
                deliveries.stream().filter(bar -> isOf(bar, each)).forEach(bar -> bars.add(delivery(bar, top)));
            }
        }
        band.put("open", open);
        band.put("bars", bars);
        band.put("broken", broken);
        return band;
    }

    private static String count(int number, String one) {
        return number + " " + one + (number == 1 ? "" : "s");
    }

    /// No two open connections have the same number.
    private static boolean isOf(DeliveryBar bar, ConnectionRecord connection) {
        return bar.connection() == connection.number() && bar.startMillis() >= connection.fromMillis()
                && bar.endMillis() <= connection.toMillis();
    }

    private Map<String, Object> connection(ConnectionRecord each, int y) {
        return box(each.fromMillis(), each.toMillis(), y, each.wasReady() ? 1.5 : LEAST_MARK, BAR,
                "connection to " + each.host() + ", " + Picture.times(each.fromMillis(), each.toMillis())
                        + (each.end().isEmpty() ? "" : "; " + each.end()));
    }

    private Map<String, Object> delivery(DeliveryBar bar, int y) {
        Map<String, Object> values = box(bar.startMillis(), bar.endMillis(), y, 1.5, BAR,
                bar.text() + ", " + Picture.times(bar.startMillis(), bar.endMillis()));
        values.put("color", color.applyAsInt(bar.name()));
        values.put("trouble", bar.isTrouble() ? List.of(Map.of()) : List.of());
        return values;
    }

    private List<Map<String, Object>> states(List<HostSample> samples, int y) {
        List<Map<String, Object>> states = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            HostSample sample = samples.get(i);
            long to = i + 1 < samples.size() ? samples.get(i + 1).atMillis() : axis.endMillis();
            if (!sample.state().isEmpty() && sample.atMillis() < axis.endMillis()) {
                Map<String, Object> state = box(sample.atMillis(), to, y, 1.5, STRIP - 2,
                        sample.state() + ", " + Picture.times(sample.atMillis(), to));
                state.put("class", sample.state());
                double width = axis.x(to) - axis.x(sample.atMillis());
                state.put("label", LABELS.getOrDefault(sample.state(), List.of()).stream()
                        .filter(text -> text.length() * Picture.CHARACTER_WIDTH + 6 <= width).limit(1).toList());
                state.put("label-x", number(axis.x(sample.atMillis()) + 4));
                state.put("label-y", y + 10);
                states.add(state);
            }
        }
        return states;
    }

    private Map<String, Object> box(long from, long to, int y, double least, int height, String title) {
        Map<String, Object> box = new TreeMap<>();
        box.put("x", number(axis.x(from)));
        box.put("y", y);
        box.put("w", number(Math.max(least, axis.x(to) - axis.x(from))));
        box.put("h", height);
        box.put("title", title);
        return box;
    }

    private static String number(double value) {
        return TimeAxis.number(value);
    }
}
