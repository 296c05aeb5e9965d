package org.slipstream.qmgr.event;

import org.slipstream.core.HostKey;

/// A host record in plain values, for the spool and for other nodes.
///
/// @param host the text of a [HostKey]
/// @param name the latest name of the host
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
        ONE_AT_A_TIME
    }

    /// The latest change of the record of a host and kind.
    public sealed interface Change {
        record Put(HostRow row) implements Change {}

        record Gone(String host, HostRowKind kind) implements Change {}
    }
}
