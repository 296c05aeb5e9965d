package org.slipstream.it.cluster;

import java.util.Locale;

/// The faults of a plan.
enum FaultKind {
    /// SIGKILL; the node starts again after a while, or at once.
    NODE_KILLED,
    /// SIGSTOP for 3 to 30 s.
    NODE_FROZEN,
    /// SIGTERM, and a start.
    NODE_STOPPED,
    /// The wall clock of a node jumps by hours, forward or back, and later returns.
    NODE_CLOCK_WRONG,
    /// The path between a node and all databases is silent, in one direction or both, for 3 to 30 s.
    NODE_CUT_FROM_DATABASE,
    /// The connections of a node to its database end, again and again.
    CONNECTIONS_CUT,
    /// Connections end before, in or after a COMMIT.
    COMMITS_CUT,
    /// Messages to a node are lost, or its answers.
    NODES_APART,
    /// SIGKILL of the primary; the standby with the most WAL is promoted.
    PRIMARY_KILLED,
    /// SIGKILL of the primary, which starts again on its disk.
    PRIMARY_CRASHED,
    /// SIGSTOP of the primary for 3 to 15 s.
    PRIMARY_FROZEN,
    /// No standby gets the WAL of the primary, and one is promoted, while nodes still reach the former one.
    PRIMARY_CUT_OFF,
    /// SIGKILL of one standby.
    STANDBY_KILLED,
    /// SIGKILL of both standbys: nothing can be confirmed.
    STANDBYS_KILLED,
    /// SIGSTOP of one standby.
    STANDBY_FROZEN,
    /// Commits wait for a standby, and an operator cancels these waits, or ends their sessions.
    WAITS_CANCELLED,
    /// The disk of the primary's tables, or of its WAL, is full.
    DISK_FULL;

    /// In words.
    String words() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    static FaultKind of(String words) {
        return valueOf(words.strip().toUpperCase(Locale.ROOT).replace(' ', '_').replace('-', '_'));
    }
}
