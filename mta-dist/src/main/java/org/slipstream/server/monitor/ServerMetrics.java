package org.slipstream.server.monitor;

import org.slipstream.admin.operations.Metric;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.ShardLine;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.monitor.MetricFamilies;
import org.slipstream.monitor.MetricFamilies.Series;
import org.slipstream.qmgr.QueueQueries.DeliveryCounts;
import org.slipstream.qmgr.trace.ProviderFigures;
import org.slipstream.qmgr.wake.ProviderSettings;
import org.slipstream.server.shard.ClusterFigures;
import org.slipstream.smtpin.SmtpListener.ListenerFigures;
import org.slipstream.spool.SpoolFigures;
import org.slipstream.spool.SpoolFigures.Distribution;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/// All metrics of the server, read from what it knows anyway, at the moment of a scrape. The table of
/// docs/metrics.md is written from these texts.
///
/// Labels are words of the program, names of ports and of sources, numbers of shards, and the names of at most 200
/// destinations, each cut at 255 characters.
final class ServerMetrics {
    /// All kinds of troubles, so that each series exists before its first trouble.
    static final List<String> TROUBLES = List.of("account", "answer", "certificate", "cluster-database",
            "cluster-limits", "cluster-node", "cluster-orders", "cluster-shard", "copies", "corrupt", "events", "index",
            "inodes", "kept-here", "log",
            "login-attack",
            "logins", "making", "movement", "oldest", "reports", "rspamd", "shard", "shards", "source", "space",
            "stall",
            "stuck", "webhook");

    private final ServerFacts facts;
    private final MetricFamilies out = new MetricFamilies();

    private ServerMetrics(ServerFacts facts) {
        this.facts = facts;
    }

    /// @param activity empty while no queue manager answers
    static MetricFamilies read(ServerFacts facts, Optional<Activity> activity, Optional<DeliveryCounts> deliveries) {
        ServerMetrics metrics = new ServerMetrics(facts);
        activity.ifPresent(metrics::queue);
        deliveries.ifPresent(metrics::deliveries);
        metrics.traffic();
        metrics.connections(activity);
        activity.ifPresent(metrics::destinations);
        metrics.log();
        activity.ifPresent(metrics::shards);
        facts.cluster().get().ifPresent(metrics::cluster);
        metrics.troubles(activity);
        ProcessMetrics.add(metrics.out);
        return metrics.out;
    }

    // ---- the queue

    private void queue(Activity now) {
        for (Metric each : Metric.values()) {
            each.of(now).ifPresent(value -> {
                if (each.type.equals("counter")) {
                    out.counter(each.series(), each.meaning, value);
                } else {
                    out.gauge(each.series(), each.meaning, value);
                }
            });
        }
        if (now.messages().isPresent() && now.held().isPresent()) {
            out.gauge("mta_deferred_messages", "Messages that wait on disk for their next attempt.",
                    Math.max(0, now.messages().get() - now.held().get() - now.active()));
        }
    }

    private void deliveries(DeliveryCounts counts) {
        out.gauges("mta_waiting_deliveries",
                "Deliveries in memory that wait, by the gate that refused the latest one of their destination"
                        + " (docs/explain.md); `none`: no gate did.",
                series -> {
                    for (QueuePhase.Code gate : QueuePhase.GATES) {
                        series.add(counts.waiting().getOrDefault(gate, 0L), "gate", gate.word());
                    }
                    series.add(counts.open(), "gate", "none");
                });
        out.gauge("mta_running_deliveries", "Deliveries under way.", counts.running());
        provider(counts, "mta_provider_waiting",
                "Waiting deliveries to a known provider, with mail or a limit; `other`:"
                        + " to none of them.",
                ProviderFigures::waiting);
        provider(counts, "mta_provider_connections", "Connections to a known provider, with mail or a limit; `other`:"
                + " to none of them.", ProviderFigures::connections);
    }

    private void provider(DeliveryCounts counts, String name, String help, ToLongFunction<ProviderFigures> figure) {
        out.gauges(name, help, series -> counts.providers().stream()
                .filter(each -> each.destinations() > 0 || each.name().equals(ProviderTable.OTHER)
                        || !each.limits().equals(ProviderSettings.NONE))
                .forEach(each -> series.add(figure.applyAsLong(each), "provider", each.name())));
    }

    private void traffic() {
        out.counters("mta_replies_total",
                "Final replies for recipients, by their class (2, 4, 5) and the subject of their enhanced status.",
                series -> facts.traffic().replies()
                        .each((kind, subject, count) -> series.add(count, "class", kind, "subject", subject)));
        out.add(facts.traffic().timeInQueue());
        out.counters("mta_sender_verdicts_total",
                "Verdicts about senders: SPF of MAIL FROM and DMARC for each message, DKIM for each signature.",
                facts.verdicts()::each);
        out.counters("mta_shaping_triggers_total", "Times that a rule from replies was complete, by rule.",
                series -> facts.shaping().eachTriggered((rule, count) -> series.add(count, "rule", rule)));
        out.counter("mta_shaping_missed_total", "Refusals that no rule counted, because too many came at once.",
                facts.shaping().missed());
        out.counter("mta_failed_logins_total", "Logins that failed.", facts.failedLogins().getAsLong());
    }

    // ---- connections

    private void connections(Optional<Activity> activity) {
        Map<String, ListenerFigures> listeners = facts.listeners().get();
        listeners(listeners, "mta_group_inbound_associations", "Sessions of clients now.",
                ListenerFigures::open, out::gauges);
        listeners(listeners, "mta_group_accumulated_inbound_associations_total",
                "Sessions of clients since the port was opened.", ListenerFigures::accepted, out::counters);
        listeners(listeners, "mta_group_rejected_inbound_associations_total",
                "Clients that were refused at connect.", ListenerFigures::refused, out::counters);
        out.counter("mta_group_accumulated_outbound_associations_total",
                "Connections to other servers that were begun.",
                facts.traffic().openedConnections());
        out.counter("mta_group_failed_outbound_associations_total",
                "Connections to other servers that failed before a delivery.", facts.traffic().failedConnections());
        activity.ifPresent(now -> out.gauge("mta_outbound_associations_limit",
                "Connections to other servers that may be open (`queue.lanes`).", now.connections().most()));
        out.counters("mta_source_deliveries_total", "Deliveries that were begun by each source (docs/sources.md).",
                series -> facts.sources().each((source, count) -> series.add(count, "source", source)));
        out.gauges("mta_source_suspended", "1 for a source that sends no mail now, 0 for another one.",
                series -> facts.sources().eachSuspended((source, yes) -> series.add(yes ? 1 : 0, "source", source)));
    }

    private interface FamilyWriter {
        void add(String name, String help, Consumer<Series> series);
    }

    private static void listeners(Map<String, ListenerFigures> listeners, String name, String help,
            ToLongFunction<ListenerFigures> figure, FamilyWriter out) {
        out.add(name, help, series -> listeners
                .forEach((listener, figures) -> series.add(figure.applyAsLong(figures), "listener", listener)));
    }

    private void destinations(Activity now) {
        String busiest = " of the 200 busiest destinations in memory; `(others)` is the sum of the rest.";
        destinations(now, "mta_destination_connections", "Connections" + busiest, BusyDestination::connections);
        destinations(now, "mta_destination_waiting", "Waiting deliveries" + busiest, BusyDestination::waiting);
        destinations(now, "mta_destination_window",
                "Deliveries that may run at once, of the 200 busiest destinations in memory.", BusyDestination::window);
    }

    private void destinations(Activity now, String name, String help, ToLongFunction<BusyDestination> value) {
        out.gauges(name, help, series -> now.destinations().stream().filter(each -> !each.state().equals("idle"))
                .forEach(each -> series.add(value.applyAsLong(each), "transport", each.transport(), "destination",
                        each.nextHop())));
    }

    // ---- log and index

    private void log() {
        Map<String, SpoolFigures> figures = new LinkedHashMap<>();
        facts.shards().get()
                .forEach(shard -> figures.put(Integer.toString(shard.number()), shard.spool().figures()));
        distribution(figures, "mta_log_group_records", "Records that one sync of the message log made durable.",
                SpoolFigures::groupSizes);
        distribution(figures, "mta_log_sync_seconds", "Time of each sync of the message log.",
                SpoolFigures::syncSeconds);
        out.counters("mta_log_messages_total", "Messages that were committed to the message log.",
                series -> figures.forEach((shard, each) -> series.add(each.newMessages(), "shard", shard)));
        spool(figures, "mta_index_behind_subjects",
                "Messages and other subjects whose records the queue index does not have yet.", SpoolFigures::behind);
        spool(figures, "mta_index_behind_ratio",
                "Part of the memory for them in use: from 0.5 new mail waits a little, at 1 it is refused.",
                SpoolFigures::filled);
        spool(figures, "mta_log_segment", "Number of the segment at the end of the message log.",
                each -> each.end().segment());
        spool(figures, "mta_log_offset_octets", "Octets in that segment.", each -> each.end().offset());
        spool(figures, "mta_index_segment", "Number of the segment up to which the queue index has everything.",
                each -> each.indexed().segment());
        spool(figures, "mta_index_offset_octets", "Octets of that segment that it has.",
                each -> each.indexed().offset());
    }

    private void spool(Map<String, SpoolFigures> figures, String name, String help,
            ToDoubleFunction<SpoolFigures> figure) {
        out.gauges(name, help, series -> figures
                .forEach((shard, each) -> series.add(figure.applyAsDouble(each), "shard", shard)));
    }

    private void distribution(Map<String, SpoolFigures> figures, String name, String help,
            Function<SpoolFigures, Distribution> of) {
        out.histograms(name, help, all -> figures.forEach((shard, each) -> {
            Distribution values = of.apply(each);
            double[] bounds = new double[values.counts().size()];
            long[] counts = new long[bounds.length];
            for (int i = 0; i < bounds.length; i++) {
                bounds[i] = i < values.bounds().size() ? values.bounds().get(i) : Double.POSITIVE_INFINITY;
                counts[i] = values.counts().get(i);
            }
            all.add(bounds, counts, values.sum(), "shard", shard);
        }));
    }

    // ---- shards

    /// The shared segments of indimail's queue scheduler (IM-12, IM-13).
    private void shards(Activity now) {
        if (now.shards().isEmpty()) {
            return;
        }
        out.gauge("mta_shards", "Open shards.", now.shards().size());
        out.gauge("mta_shards_known", "Shards with a folder, open and closed.", now.knownShards());
        out.gauges("mta_shard_mode", "1 for the `mode` of a shard: `normal`, `held`, `disabled` or `drained`.",
                series -> now.shards().forEach(each -> series.add(1, "shard", number(each), "mode", each.mode())));
        perShard(now, "mta_shard_available", "1; 0 when a shard does not answer, for example because its disk hangs.",
                each -> Optional.of(each.fault().isEmpty() ? 1L : 0L));
        perSide(now, "mta_shard_concurrency_in_use",
                "Deliveries under way, to mailboxes (`local`) and to other servers (`remote`).", UseView::used);
        perSide(now, "mta_shard_concurrency_configured", "Their limit.", UseView::limit);
        perShard(now, "mta_shard_stored_messages", "Messages in the queue of a shard.", ShardLine::messages);
        perShard(now, "mta_shard_held_messages", "Messages of a shard on hold.", ShardLine::held);
        perShard(now, "mta_shard_active_messages", "Messages of a shard in memory for delivery.",
                each -> known(each, each.active()));
        perShard(now, "mta_shard_connections", "Connections of a shard to other servers.",
                each -> known(each, each.connections()));
    }

    private void cluster(ClusterFigures now) {
        out.gauge("mta_cluster_shards", "Shards that this node owns.", now.owned());
        out.counter("mta_cluster_shards_claimed_total", "Shards that this node has claimed.", now.claimed());
        out.counter("mta_cluster_shards_left_total", "Shards that this node has lost or given away.", now.left());
        out.gauges("mta_cluster_nodes", "Nodes by `state`: `alive`, or `silent`.", series -> {
            series.add(now.alive(), "state", "alive");
            series.add(now.silent(), "state", "silent");
        });
        out.gauge("mta_cluster_grants", "1 while deliveries may start by the limits of the cluster, else 0.",
                now.grants() ? 1 : 0);
    }

    private static String number(ShardLine shard) {
        return Integer.toString(shard.shard());
    }

    private static Optional<Long> known(ShardLine each, int figure) {
        return each.fault().isEmpty() ? Optional.of((long) figure) : Optional.empty();
    }

    private void perSide(Activity now, String name, String help, ToLongFunction<UseView> figure) {
        out.gauges(name, help, series -> {
            for (ShardLine each : now.shards()) {
                series.add(figure.applyAsLong(each.local()), "shard", number(each), "side", "local");
                series.add(figure.applyAsLong(each.remote()), "shard", number(each), "side", "remote");
            }
        });
    }

    private void perShard(Activity now, String name, String help, Function<ShardLine, Optional<Long>> figure) {
        out.gauges(name, help, series -> now.shards()
                .forEach(each -> figure.apply(each).ifPresent(value -> series.add(value, "shard", number(each)))));
    }

    // ---- troubles

    private void troubles(Optional<Activity> activity) {
        List<String> troubles = activity
                .map(now -> now.trouble().stream().map(TroubleView::what).toList())
                .orElse(List.of("answer"));
        out.gauges("mta_trouble", "Troubles of a kind now, as `mta status` has them (docs/observing.md).",
                series -> TROUBLES.forEach(what -> series
                        .add(Collections.frequency(troubles, what), "what", what)));
    }
}
