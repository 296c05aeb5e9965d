package org.slipstream.admin;

import org.slipstream.admin.ViewOperations.Activity;
import org.slipstream.admin.ViewOperations.BusyDestination;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/// The figures of a server in the text format of Prometheus. The names are those of MTA-MIB (RFC
/// 2789) where it has one, in the customary form: `mtaReceivedMessages` is
/// `mta_received_messages_total` (ZM-48).
final class Metrics {
    private final StringBuilder text = new StringBuilder();

    private Metrics() {}

    static String text(Activity now) {
        Metrics metrics = new Metrics();
        now.counters().forEach((name, value) -> metrics.add(snake(name) + "_total", "counter", value));
        metrics.gauge("mtaStoredMessages", now.messages());
        metrics.gauge("mtaHeldMessages", now.held());
        metrics.gauge("mtaActiveMessages", Optional.of((long) now.active()));
        metrics.gauge("mtaGroupOutboundAssociations", Optional.of((long) now.connections().open()));
        metrics.gauge("mtaGroupUptimeSeconds", Optional.of(
                Duration.between(Instant.parse(now.started()), Instant.parse(now.at())).toSeconds()));
        metrics.perDestination(now);
        return metrics.text.toString();
    }

    private void gauge(String name, Optional<Long> value) {
        value.ifPresent(known -> add(snake(name), "gauge", known));
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

    private static String label(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    /// `mtaReceivedMessages` as `mta_received_messages`.
    private static String snake(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }
}
