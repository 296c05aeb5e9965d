package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
/// A record about a host in plain words, so that a spool can keep it and other nodes can read it.
///
/// @param host a [HostKey]'s text
/// @param name what the host was called last
/// @param untilMillis `Long.MAX_VALUE` for no end
/// @param count failures in a row
/// @param text a reply, or what an operator or the wire said
/// @param author of a suspension, empty otherwise
public record HostRow(String host, String name, Kind kind, long sinceMillis, long untilMillis, int count, String text,
        String author) {

    /// A host has at most one record of each kind.
    public enum Kind {
        /// [HostState.Closed]; worth little after a restart, so it is exported and not reported as a change.
        CLOSED,
        /// [HostState.Retry].
        RETRY,
        /// [HostState.Suspended].
        SUSPENDED,
        /// [HostState.OneAtATime].
        ONE_AT_A_TIME
    }

    /// What has happened to the record of this host and kind since it was last asked for.
    public sealed interface Change {
        record Put(HostRow row) implements Change {}

        record Gone(String host, Kind kind) implements Change {}
    }
}
