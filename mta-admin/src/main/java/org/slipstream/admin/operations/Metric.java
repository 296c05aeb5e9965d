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
/// A constant without an argument counts events of the server; the shards share it. The others read a
/// queue's status, of which shards are added up, or the load.
public enum Metric {
    // @formatter:off
    RECEIVED_MESSAGES, RECEIVED_RECIPIENTS, RECEIVED_VOLUME, TRANSMITTED_MESSAGES, TRANSMITTED_RECIPIENTS,
    DEFERRED_RECIPIENTS, FAILED_RECIPIENTS, REMOVED_MESSAGES, PROBED_RECIPIENTS,
    UNANNOUNCED_MESSAGES("counter", Status::unannounced),
    STORED_MESSAGES(Activity::messages),
    HELD_MESSAGES(Activity::held),
    ACTIVE_MESSAGES(now -> Optional.of((long) now.active())),
    GROUP_OUTBOUND_ASSOCIATIONS(now -> Optional.of((long) now.connections().open())),
    GROUP_UPTIME_SECONDS(now -> Optional.of(
            Duration.between(Instant.parse(now.started()), Instant.parse(now.at())).toSeconds()));
    // @formatter:on

    /// `counter` or `gauge`.
    public final String type;
    public final Optional<ToLongFunction<Status>> ofQueue;
    private final Optional<Function<Activity, Optional<Long>>> ofLoad;

    Metric() {
        this("counter", Optional.empty(), Optional.empty());
    }

    Metric(String type, ToLongFunction<Status> ofQueue) {
        this(type, Optional.of(ofQueue), Optional.empty());
    }

    Metric(Function<Activity, Optional<Long>> ofLoad) {
        this("gauge", Optional.empty(), Optional.of(ofLoad));
    }

    Metric(String type, Optional<ToLongFunction<Status>> ofQueue,
            Optional<Function<Activity, Optional<Long>>> ofLoad) {
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
