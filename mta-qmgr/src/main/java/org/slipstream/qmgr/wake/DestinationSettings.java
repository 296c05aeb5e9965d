package org.slipstream.qmgr.wake;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.SettingsSection;

import java.time.Duration;
import java.util.Optional;

/// The settings of single destinations: a clause `[destination."…"]` of `mta.toml`, or the sum of
/// several. An empty component leaves the server's or the transport's setting as it is.
///
/// [DestinationTable] says how clauses add up.
///
/// @param transport the clause is for this transport only, and no later clause is read (ZMailer's
/// `command`)
/// @param lanes largest window; 0 holds the destination
/// @param retry the name of a policy `[retry."…"]`
/// @param pool the name of a pool of sources
/// @param ring the name of the ring, whose destinations share a limit of connections
@SettingsSection("destination")
public record DestinationSettings(
        @Setting(value = "", form = "name",
                doc = "The clause holds for this transport only, and ends the search: later clauses are not"
                        + " read.") Optional<String> transport,
        @Setting(value = "", max = "10000",
                doc = "Connections to the destination, instead of `queue.lanes-per-destination`. `0`: its mail is"
                        + " held.") Optional<Integer> lanes,
        @Setting(value = "", min = "1", max = "10000",
                doc = "Connections while nothing is known of the"
                        + " destination.") Optional<Integer> initialConcurrency,
        @Setting(value = "",
                doc = "Which delivery of the destination is next: as the transport orders messages (`list`), the one"
                        + " that waits longest (`fifo`), any (`shuffle`), or that of the oldest message"
                        + " (`ageorder`).") Optional<ThreadOrder> order,
        @Setting(value = "",
                doc = "Deliveries (messages, whatever their number of recipients) that may start in any period of"
                        + " this length.") Optional<Rate> rate,
        @Setting(value = "",
                doc = "How long an unused connection that served the destination last is kept, instead of"
                        + " `queue.idle-connection`; also when its mail is sparse.") Optional<Duration> idleConnection,
        @Setting(value = "",
                doc = "The destination is never tried by itself, but only after ETRN, or a flush of its domain or of"
                        + " a message.") Optional<Boolean> queueOnly,
        @Setting(value = "",
                doc = "New mail does not wake a destination that waits for its next"
                        + " attempt.") Optional<Boolean> wakeOnlyOnRestart,
        @Setting(value = "", form = "wake-destination",
                doc = "The event that makes all deferred mail of the destination due at once, instead of"
                        + " `queue.wake-destination`.") Optional<WakeDestination> wakeDestination,
        @Setting(value = "", form = "name", doc = "The policy `[retry.\"…\"]` of its attempts.") Optional<String> retry,
        @Setting(value = "", oneOf = {
                "none", "may", "encrypt", "verify"},
                doc = "The TLS that the hosts of a next hop must offer, as in"
                        + " `[routes]`.") Optional<String> tls,
        @Setting(key = "source-address-v4", value = "", form = "address-v4",
                doc = "Local address of connections by IPv4.") Optional<String> sourceAddressV4,
        @Setting(key = "source-address-v6", value = "", form = "address-v6",
                doc = "Local address of connections by IPv6.") Optional<String> sourceAddressV6,
        @Setting(value = "", form = "name",
                doc = "The pool `[pool.NAME]` of sources, unless the user or the sender of the mail has"
                        + " one.") Optional<String> pool,
        @Setting(value = "", form = "name",
                doc = "The ring, whose destinations share the connections of"
                        + " `[ring.\"…\"]`.") Optional<String> ring) {

    /// Nothing differs from the settings of server and transport.
    public static final DestinationSettings NONE = SettingsRecords.defaults(DestinationSettings.class);

    /// These settings, and for those that are empty the ones of an earlier clause.
    DestinationSettings over(DestinationSettings earlier) {
        return new DestinationSettings(transport.or(earlier::transport), lanes.or(earlier::lanes),
                initialConcurrency.or(earlier::initialConcurrency), order.or(earlier::order), rate.or(earlier::rate),
                idleConnection.or(earlier::idleConnection),
                queueOnly.or(earlier::queueOnly), wakeOnlyOnRestart.or(earlier::wakeOnlyOnRestart),
                wakeDestination.or(earlier::wakeDestination), retry.or(earlier::retry), tls.or(earlier::tls),
                sourceAddressV4.or(earlier::sourceAddressV4),
                sourceAddressV6.or(earlier::sourceAddressV6), pool.or(earlier::pool), ring.or(earlier::ring));
    }

    public DestinationSettings withLanes(int count) {
        return SettingsRecords.with(this, "lanes", Optional.of(count));
    }

    public DestinationSettings withRate(Rate other) {
        return SettingsRecords.with(this, "rate", Optional.of(other));
    }

    public boolean isQueueOnly() {
        return queueOnly.orElse(false);
    }

    /// True when a limit of 0 holds the destination.
    public boolean isHeld() {
        return lanes.isPresent() && lanes.get() == 0;
    }
}
