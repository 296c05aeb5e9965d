package org.slipstream.qmgr.event;

import org.slipstream.core.HostKey;

/// A record of a host or a destination in plain values, for the spool and for other nodes.
///
/// @param host the text of a [HostKey]; for a destination its name with the transport
/// @param name the latest name of the host; for a destination the shard that kept it, empty for this one
/// @param untilMillis `Long.MAX_VALUE` for no end
/// @param count consecutive failures
/// @param text a reply, or the reason of a suspension or of a session defect
/// @param author of a suspension, empty otherwise
public record HostRow(String host, String name, HostRowKind kind, long sinceMillis, long untilMillis, int count,
        String text,
        String author) {

    /// A host has at most one record of each kind.
    public enum HostRowKind {
        /// A closed host; of little use after a restart, so it is exported but not reported as
        /// a change.
        CLOSED,
        /// A host that failed.
        RETRY,
        /// An operator suspended the host.
        SUSPENDED,
        /// The host breaks under pipelining.
        ONE_AT_A_TIME,
        /// The host refused one connection more; it ends soon, so other shards are told and no restart
        /// is outlived.
        CROWDED,
        /// A destination failed, or its mail wakes together.
        DEFERRED,
        /// Deliveries of a destination that count against its rate.
        RATE;

        /// True for a record of a destination. It belongs to one shard.
        public boolean isOfDestination() {
            return this == DEFERRED || this == RATE;
        }
    }

    /// The latest change of the record of a host and kind.
    public sealed interface Change {
        record Put(HostRow row) implements Change {}

        record Gone(String host, HostRowKind kind) implements Change {}
    }
}
