package org.slipstream.it.cluster;

import java.util.List;
import java.util.OptionalLong;

/// Connections that a host had at one moment.
///
/// @param atNanos of `System.nanoTime()`
/// @param quits of each, when it sent QUIT; empty: not yet
/// @param from the nodes, and the last command of each
record Overlap(long atNanos, List<OptionalLong> quits, List<String> from) {
    /// A node gives a lane back when it decides to close the connection, and QUIT follows. On a busy machine the next
    /// connection is open before it.
    static final long QUIT_FOLLOWS_NANOS = 2_000_000_000L;

    Overlap {
        quits = List.copyOf(quits);
        from = List.copyOf(from);
    }

    /// Those that were not about to end.
    int lasting() {
        return (int) quits.stream()
                .filter(quit -> quit.isEmpty() || quit.getAsLong() - atNanos > QUIT_FOLLOWS_NANOS).count();
    }
}
