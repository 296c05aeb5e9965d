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
/// | Its value | Constant | Over all shards |
/// |---|---|---|
/// | is counted with the events of the server | has no argument | that of any shard, because they share it |
/// | is a part of each queue's status | has that part | the sum |
/// | is a part of the load | has that part | the merged load has it |
public enum Metric {
    RECEIVED_MESSAGES, RECEIVED_RECIPIENTS,
    /// In KiB.
    RECEIVED_VOLUME, TRANSMITTED_MESSAGES, TRANSMITTED_RECIPIENTS, DEFERRED_RECIPIENTS, FAILED_RECIPIENTS, REMOVED_MESSAGES,
    /// New messages that only a scan found.
    UNANNOUNCED_MESSAGES(Type.COUNTER, Status::unannounced),

    STORED_MESSAGES(Activity::messages), HELD_MESSAGES(Activity::held), ACTIVE_MESSAGES(
            now -> Optional.of((long) now.active())), GROUP_OUTBOUND_ASSOCIATIONS(
                    now -> Optional.of((long) now.connections().open())), GROUP_UPTIME_SECONDS(
                            now -> Optional.of(Duration.between(Instant.parse(now.started()), Instant.parse(now.at()))
                                    .toSeconds()));

    public enum Type {
        COUNTER, GAUGE
    }

    public final Type type;

    /// The value in the status of a queue; empty when it is not there.
    public final Optional<ToLongFunction<Status>> ofQueue;

    private final Function<Activity, Optional<Long>> reading;

    Metric() {
        this.type = Type.COUNTER;
        this.ofQueue = Optional.empty();
        this.reading = this::counted;
    }

    Metric(Type type, ToLongFunction<Status> ofQueue) {
        this.type = type;
        this.ofQueue = Optional.of(ofQueue);
        this.reading = this::counted;
    }

    Metric(Function<Activity, Optional<Long>> reading) {
        this.type = Type.GAUGE;
        this.ofQueue = Optional.empty();
        this.reading = reading;
    }

    /// True for a count of events of the server.
    public boolean isOfServer() {
        return type == Type.COUNTER && ofQueue.isEmpty();
    }

    private Optional<Long> counted(Activity now) {
        return Optional.ofNullable(now.counters().get(word()));
    }

    /// The value now; empty while it is unknown.
    public Optional<Long> of(Activity now) {
        return reading.apply(now);
    }

    /// Its name among the counters of the load: `mtaReceivedMessages`.
    public String word() {
        return "mta" + Pattern.compile("(?:^|_)([A-Z])([A-Z]*)").matcher(name())
                .replaceAll(part -> part.group(1) + part.group(2).toLowerCase(Locale.ROOT));
    }

    /// Its name in the customary form: `mta_received_messages_total` (ZM-48).
    public String series() {
        return "mta_" + name().toLowerCase(Locale.ROOT) + (type == Type.COUNTER ? "_total" : "");
    }
}
