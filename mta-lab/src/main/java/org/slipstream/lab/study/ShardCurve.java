package org.slipstream.lab.study;

import org.slipstream.lab.SaturatedServer;
import org.slipstream.lab.SaturatedServer.LoadFigures;
import org.slipstream.lab.SaturatedServer.SaturatedModel;
import org.slipstream.lab.ShardCosts;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/// The curve of throughput over the number of shards, for model servers with stated costs. It shows
/// which part of a server limits it: the listener, the queue managers, the logs, the disks or the
/// connections.
public final class ShardCurve {
    private static final String COLUMNS = "%6s %12s %10s %8s %8s %8s %13s %14s  %s";

    private static final String SMALL = "10 connections, 20 ms";

    /// The numbers of shards.
    static final List<Integer> SHARDS = List.of(1, 2, 4, 8, 16, 64);

    // Microseconds. An event of the queue manager, a record of the log, and a sync are assumptions;
    // the cost of an arrival is that of docs/performance.md.
    private static final long EVENT = 4;
    private static final long RECORD = 10;
    private static final long SYNC = 1_000;
    private static final long ARRIVAL = 90;
    private static final long MESSAGE = 5;
    private static final int DESTINATIONS = 200;
    private static final int CLIENTS = 1_000;
    private static final int MANY = 64;

    // A server with few messages a second needs a longer window.
    private static final long SHORT = 200_000;
    private static final long LONG = 600_000;

    private static final int WIDTH = 720;
    private static final int HEIGHT = 360;
    private static final int LEFT = 70;
    private static final int TOP = 20;
    private static final int BOTTOM = 320;
    private static final int RIGHT = 470;
    private static final double LEAST = 1_000;
    private static final double MOST = 1_000_000;

    private ShardCurve() {}

    /// The model servers by name.
    static Map<String, SaturatedModel> servers() {
        Map<String, SaturatedModel> servers = new LinkedHashMap<>();
        servers.put("a disk for each shard", model(MANY, 16, CLIENTS, 2_000, SHORT));
        servers.put("one disk for all", model(1, 16, CLIENTS, 2_000, LONG));
        servers.put("2 processors accept", model(MANY, 2, CLIENTS, 2_000, SHORT));
        servers.put("100 connections, 20 ms", model(MANY, 16, 100, 20_000, LONG));
        return servers;
    }

    /// All model servers, also those that are too small for the curve.
    private static SaturatedModel server(String name) {
        return name.equals(SMALL)
                ? new SaturatedModel(new ShardCosts(EVENT, RECORD, SYNC, MANY, ARRIVAL, 16), 100, 10, 10, 20_000,
                        MESSAGE,
                        SHORT)
                : Objects.requireNonNull(servers().get(name));
    }

    private static SaturatedModel model(int disks, int processors, int lanes, long delivery, long window) {
        return new SaturatedModel(new ShardCosts(EVENT, RECORD, SYNC, disks, ARRIVAL, processors), CLIENTS, lanes,
                DESTINATIONS, delivery, MESSAGE, window);
    }

    /// The figures of all servers for these numbers of shards.
    static Map<String, List<LoadFigures>> measure(List<Integer> shards) {
        Map<String, List<LoadFigures>> figures = new LinkedHashMap<>();
        servers().keySet().forEach(name -> figures.put(name, measure(name, shards)));
        return figures;
    }

    /// The figures of one server, in the order of the numbers.
    public static List<LoadFigures> measure(String server, List<Integer> shards) {
        SaturatedModel model = server(server);
        return shards.stream().map(count -> SaturatedServer.run(count, model)).toList();
    }

    /// The names of the model servers.
    public static List<String> names() {
        List<String> names = new ArrayList<>(servers().keySet());
        names.add(SMALL);
        return names;
    }

    /// The figures of one server as text, a line for each number of shards.
    ///
    /// @param progress receives a line before each run
    public static List<String> lines(String server, List<Integer> shards, Consumer<String> progress) {
        List<String> lines = new ArrayList<>(List.of(server, "", String.format(Locale.ROOT, COLUMNS, "shards",
                "messages/s", "listener", "brain", "log", "disk", "connections", "lease orders", "limit")));
        for (int count : shards) {
            progress.accept(count + " shards");
            LoadFigures each = measure(server, List.of(count)).getFirst();
            lines.add(String.format(Locale.ROOT, COLUMNS, count, String.format(Locale.ROOT, "%,.0f",
                    each.messagesPerSecond()), percent(each.listener()), percent(each.manager()), percent(each.log()),
                    percent(each.disk()), percent(each.lanes()), String.format(Locale.ROOT, "%.1f",
                            each.leaseOrders()),
                    each.limit()));
        }
        return lines;
    }

    /// The rows of a table in Markdown, one for each server and number of shards.
    static List<String> rows(String server, List<Integer> shards, List<LoadFigures> figures) {
        List<String> rows = new ArrayList<>();
        for (int i = 0; i < shards.size(); i++) {
            LoadFigures each = figures.get(i);
            rows.add(String.format(Locale.ROOT, "| %s | %d | %,.0f | %s | %s | %s | %s | %s | %.1f | %s |", server,
                    shards.get(i), each.messagesPerSecond(), percent(each.listener()), percent(each.manager()),
                    percent(each.log()), percent(each.disk()), percent(each.lanes()), each.leaseOrders(),
                    each.limit()));
        }
        return rows;
    }

    private static String percent(double share) {
        return Math.round(share * 100) + " %";
    }

    /// The picture: both axes are logarithmic.
    static String svg(List<Integer> shards, Map<String, List<LoadFigures>> figures) {
        StringBuilder picture = new StringBuilder("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + WIDTH
                + " " + HEIGHT + "\" role=\"img\" aria-label=\"Messages a second by the number of shards\">\n<style>"
                + "text{font:12px system-ui,sans-serif;fill:#333} .axis{stroke:#ccc} polyline{fill:none;"
                + "stroke-width:2}</style>\n<rect width=\"" + WIDTH + "\" height=\"" + HEIGHT
                + "\" fill=\"#fff\"/>\n");
        for (double value = LEAST; value <= MOST; value *= 10) {
            picture.append(String.format(Locale.ROOT, "<path class=\"axis\" d=\"M%d %dH%d\"/>"
                    + "<text text-anchor=\"end\" x=\"%d\" y=\"%d\">%,.0f</text>\n", LEFT, y(value), RIGHT, LEFT - 6,
                    y(value) + 4, value));
        }
        shards.forEach(count -> picture.append("<text text-anchor=\"middle\" x=\"" + x(count) + "\" y=\""
                + (BOTTOM + 18) + "\">" + count + "</text>\n"));
        picture.append("<text text-anchor=\"middle\" x=\"" + (LEFT + RIGHT) / 2 + "\" y=\"" + (BOTTOM + 36)
                + "\">shards</text>\n");
        List<String> colours = List.of("#0b5fa5", "#b03a2e", "#2e7d32", "#8a6d00");
        int line = 0;
        for (var server : figures.entrySet()) {
            String colour = colours.get(line % colours.size());
            List<String> points = new ArrayList<>();
            for (int i = 0; i < shards.size(); i++) {
                points.add(x(shards.get(i)) + "," + y(server.getValue().get(i).messagesPerSecond()));
            }
            picture.append("<polyline stroke=\"" + colour + "\" points=\"" + String.join(" ", points) + "\"/>\n")
                    .append("<path stroke=\"" + colour + "\" stroke-width=\"2\" d=\"M" + (RIGHT + 20) + " "
                            + (TOP + 30 + line * 22) + "h24\"/><text x=\"" + (RIGHT + 50) + "\" y=\""
                            + (TOP + 34 + line * 22) + "\">" + server.getKey() + "</text>\n");
            line++;
        }
        return picture.append("</svg>\n").toString();
    }

    private static long x(int shards) {
        return Math.round(LEFT + 20 + (RIGHT - LEFT - 40) * Math.log(shards) / Math.log(MANY));
    }

    private static long y(double perSecond) {
        return Math.round(BOTTOM - (BOTTOM - TOP) * Math.log(Math.max(LEAST, perSecond) / LEAST)
                / Math.log(MOST / LEAST));
    }
}
