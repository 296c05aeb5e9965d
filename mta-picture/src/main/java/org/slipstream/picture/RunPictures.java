package org.slipstream.picture;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/// The pictures of one or two runs, one above the other, with the same colors and the same time axis.
public final class RunPictures {
    private static final int COLORS = 8;
    private static final int HEAD = 96;
    private static final int RUN_HEAD = 26;

    /// A run to draw.
    ///
    /// @param variant the title of this run
    /// @param sequence the messages in the order of their deliveries, in the notation of [SequenceNotation]
    /// @param serverLimits sessions that the server of a destination accepts at once
    /// @param hasHosts whether its connections lead to hosts; without them they lead to destinations
    public record DrawnRun(RunRecord record, String variant, String sequence,
            SequencedMap<String, Integer> serverLimits, boolean hasHosts) {
        private boolean isByHost() {
            return hasHosts && HostTimelines.tellMore(record);
        }
    }

    private final String title;
    private final List<DrawnRun> runs;
    private final Map<String, Integer> colors = new LinkedHashMap<>();
    private final TimeAxis axis;

    /// @param names of the messages, in the order of their colors
    public RunPictures(String title, List<String> names, List<DrawnRun> runs) {
        this.title = title;
        this.runs = List.copyOf(runs);
        names.forEach(this::color);
        runs.forEach(run -> run.record().attempts().forEach(attempt -> color(attempt.name())));
        this.axis = new TimeAxis(
                runs.stream().flatMap(run -> DeliveryBar.of(run.record().attempts()).stream())
                        .map(each -> new TimeAxis.Busy(each.selectedMillis(), each.endMillis()))
                        .sorted(Comparator.comparingLong(TimeAxis.Busy::fromMillis)).toList(),
                Picture.LEFT, Picture.RIGHT);
    }

    private int color(String name) {
        colors.putIfAbsent(name, colors.size() % COLORS);
        return colors.get(name);
    }

    /// The coordinates of all pictures of a run, for a template.
    public Map<String, Object> values(DrawnRun run) {
        return picture(run).values();
    }

    public List<Map<String, Object>> legend() {
        return colors.entrySet().stream()
                .<Map<String, Object>>map(each -> Map.of("name", each.getKey(), "color", each.getValue())).toList();
    }

    private Picture picture(DrawnRun run) {
        return new Picture(run.record(), DeliveryBar.of(run.record().attempts()), axis, this::color,
                run.serverLimits());
    }

    /// The timelines and the queues only, with a background. A run in which something becomes known of one of
    /// several hosts has the timelines of its hosts instead.
    public String svg() {
        return Template.of(RunPictures.class, "/picture/run.svg").fill(svgValues());
    }

    private Map<String, Object> svgValues() {
        List<Map<String, Object>> all = new ArrayList<>();
        int y = HEAD;
        for (DrawnRun run : runs) {
            if (run.isByHost()) {
                y += addHosts(run, y, all);
                continue;
            }
            Picture picture = picture(run);
            Map<String, Object> values = new TreeMap<>(picture.values());
            values.put("run-y", y);
            values.put("run-text-y", y + 16);
            values.put("timeline-y", y + RUN_HEAD);
            values.put("queue-y", y + RUN_HEAD + picture.height() + 8);
            values.put("variant", run.variant());
            values.put("sequence", run.sequence());
            values.put("by-host", List.of());
            values.put("by-connection", List.of(Map.of()));
            all.add(values);
            y += RUN_HEAD + picture.height() + Charts.HEIGHT + 24;
        }
        List<Map<String, Object>> legend = new ArrayList<>();
        int x = Picture.LEFT;
        for (var each : colors.entrySet()) {
            legend.add(Map.of("name", each.getKey(), "color", each.getValue(), "x", x, "text-x", x + 20));
            x += 44 + each.getKey().length() * Picture.CHARACTER_WIDTH;
        }
        Map<String, Object> values = new TreeMap<>();
        values.put("title", title);
        values.put("runs", all);
        values.put("has-hosts", runs.stream().anyMatch(DrawnRun::isByHost)
                ? List.of(Map.of())
                : List.of());
        values.put("legend", legend);
        values.put("picture-width", Picture.WIDTH + 16);
        values.put("picture-height", y);
        return values;
    }

    private int addHosts(DrawnRun run, int y, List<Map<String, Object>> all) {
        List<DeliveryBar> bars = DeliveryBar.of(run.record().attempts());
        HostTimelines rows = new HostTimelines(run.record(), bars, axis, this::color);
        all.add(Map.of("run-text-y", y + 16, "variant", run.variant(), "sequence", run.sequence(), "right",
                Picture.RIGHT, "timeline-y", y + RUN_HEAD + 8, "by-host", List.of(rows.values()), "by-connection",
                List.of()));
        return RUN_HEAD + rows.height() + 24;
    }
}
