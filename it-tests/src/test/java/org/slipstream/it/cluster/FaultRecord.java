package org.slipstream.it.cluster;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// One fault as it was made, and what followed.
///
/// @param nodes names of the nodes whose deliveries it may have repeated
/// @param begun of `System.nanoTime()`, just before the fault
/// @param ended the fault is over
/// @param unsureUntil deliveries of these nodes that ended later have recorded their outcome
/// @param settled everything works again
/// @param goesOn milliseconds from the fault to the first delivery, by another node, of mail that the lost node
///     had acknowledged
/// @param silence milliseconds that a node which was not harmed itself gave no 250, the longest
/// @param refused transactions that got no 250
/// @param notes the events of the fault, with their times
record FaultRecord(int number, FaultKind kind, Set<String> nodes, long begun, long ended, long unsureUntil,
        long settled, OptionalLong goesOn, long silence, long refused, List<String> notes) {
    /// From the reply of a host to the record in the log of the node. On a machine with a load of twenty times its
    /// processors, copies were repeated that had come more than a second before their node stood still.
    static final long UNRECORDED_NANOS = 3_000_000_000L;

    FaultRecord {
        nodes = Set.copyOf(nodes);
        notes = List.copyOf(notes);
    }

    /// Whether the outcome of this delivery may be lost: it was under way at the fault, or in it.
    boolean explains(MailHistory.Copy copy) {
        return nodes.contains(copy.node()) && copy.atNanos() > begun - UNRECORDED_NANOS
                && copy.atNanos() < unsureUntil + UNRECORDED_NANOS;
    }
}
