package org.slipstream.cli.shard;

import org.slipstream.admin.operations.Metric;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.cli.frame.DisplayUnits;
import org.slipstream.cli.frame.Table;
import org.slipstream.core.text.Controls;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One frame of `top`: totals, rates, the shards when there are several, and the busiest destinations.
///
/// @param before the frame before, for the rates; without one they are averages since the start
public record TopFrame(Activity now, Optional<Activity> before) {
    /// Lines above the first destination of a server with one shard.
    public static final int HEAD_LINES = 6;

    /// Lines above the first destination.
    public int headLines() {
        int shards = ShardTable.lines(now.shards()).size();
        return HEAD_LINES + (shards == 0 ? 0 : shards + 1) + now.trouble().size();
    }

    /// @param rows the number of destinations, at most
    public List<String> lines(int rows, int columns) {
        Instant time = Instant.parse(now.at());
        List<String> lines = new ArrayList<>();
        lines.add(now.hostname() + "  " + now.at().substring(0, 19).replace('T', ' ') + " UTC, up "
                + DisplayUnits.age(now.started(), time));
        lines.add(queue());
        lines.add(
                "rates     " + rate(Metric.RECEIVED_MESSAGES, "in") + ", " + rate(Metric.TRANSMITTED_RECIPIENTS, "out")
                        + ", "
                        + rate(Metric.DEFERRED_RECIPIENTS, "deferred") + ", "
                        + rate(Metric.FAILED_RECIPIENTS, "failed"));
        suspensions().ifPresent(lines::add);
        now.trouble()
                .forEach(each -> lines.add("TROUBLE   " + each.what() + ": " + each.meaning() + "; " + each.reason()));
        lines.add("");
        List<String> shards = ShardTable.lines(now.shards());
        if (!shards.isEmpty()) {
            lines.addAll(shards);
            lines.add("");
        }
        Table table = new Table("DESTINATION", "STATE", "WINDOW", "CONN", "RUN", "WAIT", "OLDEST", "LAST ERROR");
        now.destinations().stream().limit(rows).forEach(each -> table.add(each.nextHop(), state(each, time),
                window(each), Integer.toString(each.connections()), Integer.toString(each.running()),
                Integer.toString(each.waiting()), DisplayUnits.since(each.oldest(), time), error(each, time)));
        lines.addAll(table.lines());
        if (now.destinations().size() > rows) {
            lines.add(now.destinations().size() - rows + " more");
        }
        return lines.stream().map(Controls::replaced)
                .map(line -> line.length() > columns ? line.substring(0, columns) : line).toList();
    }

    private Optional<String> suspensions() {
        Optional<SuspensionView> freeze = now.suspensions().stream().filter(each -> each.scope().equals("everything"))
                .findFirst();
        return now.suspensions().isEmpty()
                ? Optional.empty()
                : Optional.of(freeze.map(each -> "frozen    by " + each.author() + ": " + each.reason())
                        .orElse("suspended " + now.suspensions().size() + "; mta suspend list"));
    }

    private String queue() {
        String states = now.messages().isEmpty()
                ? "active " + now.active() + "; the queue index cannot be read"
                : now.messages().get() + ": active " + now.active() + ", deferred "
                        + Math.max(0, now.messages().get() - now.active() - held()) + ", held " + held();
        return "queue     " + states + "; connections " + now.connections().open() + " of " + now.connections().most();
    }

    private long held() {
        return now.held().orElse(0L);
    }

    private String rate(Metric counter, String word) {
        long more = counter.of(now).orElse(0L) - before.flatMap(counter::of).orElse(0L);
        String from = before.map(Activity::at).orElse(now.started());
        double seconds = Math.max(1, Duration.between(Instant.parse(from), Instant.parse(now.at())).toMillis())
                / 1000.0;
        return word + " " + String.format(Locale.ROOT, "%.1f", Math.max(0, more) / seconds) + "/s";
    }

    private static String state(BusyDestination each, Instant time) {
        return each.until().isEmpty() ? each.state() : each.state() + " " + DisplayUnits.rest(each.until(), time);
    }

    private static String window(BusyDestination each) {
        return each.state().equals("idle") ? "-" : each.window() + (each.limit() == 0 ? "" : "/" + each.limit());
    }

    private static String error(BusyDestination each, Instant time) {
        return each.lastError().isEmpty()
                ? "-"
                : each.lastErrorAt().isEmpty()
                        ? each.lastError()
                        : DisplayUnits.age(each.lastErrorAt(), time) + " ago: " + each.lastError();
    }
}
