package org.slipstream.admin.operations;

import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.admin.operations.ViewOperations.Activity;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;

/// A figure of the whole server. The names are those of MTA-MIB ([RFC
/// 2789](https://www.rfc-editor.org/rfc/rfc2789)) where it has one.
///
/// A constant with a meaning alone counts events of the server; the shards share it. The others read a
/// queue's status, of which shards are added up, or the load.
public enum Metric {
    // @formatter:off
    RECEIVED_MESSAGES("Messages that were accepted."),
    RECEIVED_RECIPIENTS("Recipients of accepted messages."),
    RECEIVED_VOLUME("KiB of accepted messages."),
    TRANSMITTED_MESSAGES("Deliveries that the other side accepted."),
    TRANSMITTED_RECIPIENTS("Recipients that the other side accepted."),
    DEFERRED_RECIPIENTS("Recipients with a temporary failure (4xx)."),
    FAILED_RECIPIENTS("Recipients with a permanent failure (5xx) or an expiry."),
    REMOVED_MESSAGES("Messages that left the queue."),
    PROBED_RECIPIENTS("Recipients for which a next hop was asked (`relay.verify`)."),
    UNANNOUNCED_MESSAGES("New messages that only a scan found; 0 in a healthy server.", Status::unannounced),
    STORED_MESSAGES("Messages in the queue.", Activity::messages),
    HELD_MESSAGES("Messages on hold.", Activity::held),
    ACTIVE_MESSAGES("Messages in memory for delivery.", (Activity now) -> Optional.of((long) now.active())),
    GROUP_OUTBOUND_ASSOCIATIONS("Connections to other servers now.",
            (Activity now) -> Optional.of((long) now.connections().open())),
    GROUP_UPTIME_SECONDS("Time since the start.", (Activity now) -> Optional.of(
            Duration.between(Instant.parse(now.started()), Instant.parse(now.at())).toSeconds()));
    // @formatter:on

    /// The sentence of its row in the table.
    public final String meaning;
    /// `counter` or `gauge`.
    public final String type;
    public final Optional<ToLongFunction<Status>> ofQueue;
    private final Optional<Function<Activity, Optional<Long>>> ofLoad;

    Metric(String meaning) {
        this(meaning, "counter", Optional.empty(), Optional.empty());
    }

    Metric(String meaning, ToLongFunction<Status> ofQueue) {
        this(meaning, "counter", Optional.of(ofQueue), Optional.empty());
    }

    Metric(String meaning, Function<Activity, Optional<Long>> ofLoad) {
        this(meaning, "gauge", Optional.empty(), Optional.of(ofLoad));
    }

    Metric(String meaning, String type, Optional<ToLongFunction<Status>> ofQueue,
            Optional<Function<Activity, Optional<Long>>> ofLoad) {
        this.meaning = meaning;
        this.type = type;
        this.ofQueue = ofQueue;
        this.ofLoad = ofLoad;
    }

    public boolean countsEvents() {
        return ofQueue.isEmpty() && ofLoad.isEmpty();
    }

    /// The value now; empty while it is unknown.
    public Optional<Long> of(Activity now) {
        return ofLoad.isPresent() ? ofLoad.get().apply(now) : Optional.ofNullable(now.counters().get(word()));
    }

    /// The name among the counters of the load: `mtaReceivedMessages`.
    public String word() {
        return "mta" + Pattern.compile("_?([A-Z])([A-Z]*)").matcher(name())
                .replaceAll(part -> part.group(1) + part.group(2).toLowerCase(Locale.ROOT));
    }

    /// The name in the customary form: `mta_received_messages_total` (ZM-48).
    public String series() {
        return "mta_" + name().toLowerCase(Locale.ROOT) + (type.equals("counter") ? "_total" : "");
    }
}
