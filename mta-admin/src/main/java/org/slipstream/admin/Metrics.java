package org.slipstream.admin;

import org.slipstream.admin.operations.Metric;
import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.ShardLine;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/// The figures of a server in the text format of Prometheus: each [Metric], and series for each
/// destination and shard.
final class Metrics {
    private final StringBuilder text = new StringBuilder();

    private Metrics() {}

    static String text(Activity now) {
        Metrics metrics = new Metrics();
        for (Metric each : Metric.values()) {
            each.of(now).ifPresent(value -> metrics.add(each.series(), each.type, value));
        }
        metrics.perDestination(now);
        metrics.perShard(now);
        return metrics.text.toString();
    }

    private void add(String name, String type, long value) {
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n').append(name).append(' ')
                .append(value).append('\n');
    }

    private void perDestination(Activity now) {
        perDestination(now, "mta_destination_connections", BusyDestination::connections);
        perDestination(now, "mta_destination_waiting", BusyDestination::waiting);
        perDestination(now, "mta_destination_window", BusyDestination::window);
    }

    private void perDestination(Activity now, String name, ToLongFunction<BusyDestination> value) {
        text.append("# TYPE ").append(name).append(" gauge\n");
        for (BusyDestination each : now.destinations()) {
            if (!each.state().equals("idle")) {
                text.append(name).append("{transport=\"").append(label(each.transport())).append("\",destination=\"")
                        .append(label(each.nextHop())).append("\"} ").append(value.applyAsLong(each)).append('\n');
            }
        }
    }

    /// The shared segments of indimail's queue scheduler (IM-12, IM-13).
    private void perShard(Activity now) {
        if (now.shards().isEmpty()) {
            return;
        }
        add("mta_shards", "gauge", now.shards().size());
        add("mta_shards_configured", "gauge", now.configuredShards());
        text.append("# TYPE mta_shard_mode gauge\n");
        now.shards().forEach(each -> line("mta_shard_mode", each, ",mode=\"" + each.mode() + "\"", 1));
        perShard(now, "mta_shard_available", each -> Optional.of(each.fault().isEmpty() ? 1L : 0L));
        perSide(now, "mta_shard_concurrency_in_use", UseView::used);
        perSide(now, "mta_shard_concurrency_configured", UseView::limit);
        perShard(now, "mta_shard_stored_messages", ShardLine::messages);
        perShard(now, "mta_shard_held_messages", ShardLine::held);
        perShard(now, "mta_shard_active_messages", each -> known(each, each.active()));
        perShard(now, "mta_shard_connections", each -> known(each, each.connections()));
    }

    private static Optional<Long> known(ShardLine each, int figure) {
        return each.fault().isEmpty() ? Optional.of((long) figure) : Optional.empty();
    }

    private void perSide(Activity now, String name, ToLongFunction<UseView> figure) {
        text.append("# TYPE ").append(name).append(" gauge\n");
        for (ShardLine each : now.shards()) {
            line(name, each, ",side=\"local\"", figure.applyAsLong(each.local()));
            line(name, each, ",side=\"remote\"", figure.applyAsLong(each.remote()));
        }
    }

    private void perShard(Activity now, String name, Function<ShardLine, Optional<Long>> figure) {
        text.append("# TYPE ").append(name).append(" gauge\n");
        now.shards().forEach(each -> figure.apply(each).ifPresent(value -> line(name, each, "", value)));
    }

    private void line(String name, ShardLine shard, String labels, long value) {
        text.append(name).append("{shard=\"").append(shard.shard()).append('"').append(labels).append("} ")
                .append(value).append('\n');
    }

    private static String label(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
