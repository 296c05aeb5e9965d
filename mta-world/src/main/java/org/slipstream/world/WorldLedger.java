package org.slipstream.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The promises to clients and their ends, as seen from outside of the server.
final class WorldLedger {
    final Map<Integer, Submission> submissions = new LinkedHashMap<>();
    /// The number of a message by its queue id.
    final Map<String, Integer> queued = new LinkedHashMap<>();
    /// When the program was stopped without an order.
    final List<Long> stops = new ArrayList<>();
    private final List<Trouble> diskTroubles = new ArrayList<>();
    final List<String> history = new ArrayList<>();

    /// One attempt of a client to hand a message in.
    static final class Submission {
        final List<String> recipients;
        boolean acknowledged;
        /// When the server refused it after its content; 0 when it did not.
        long refusedNanos;
        /// Copies that hosts or mailboxes have, by recipient.
        final Map<String, Integer> delivered = new TreeMap<>();
        /// When the server recorded that the recipient has it.
        final Map<String, List<Long>> recorded = new TreeMap<>();
        final Map<String, Integer> returned = new TreeMap<>();

        Submission(List<String> recipients) {
            this.recipients = List.copyOf(recipients);
        }
    }

    private static final int MOST_LINES = 200_000;
    /// The outcome of a delivery is durable so long after it. Only a stop in between repeats the delivery.
    private static final long DURABLE_NANOS = 2_000_000_000L;
    /// Changes that could not be written are written again so long after the disk is sound.
    private static final long RECOVERY_NANOS = 60_000_000_000L;

    private record Trouble(long from, long to) {}

    void diskTrouble(long from, long to) {
        diskTroubles.add(new Trouble(from, to));
    }

    /// Whether a stop explains that the server has forgotten what it knew since this time.
    boolean mayBeForgotten(long knownNanos) {
        return stops.stream().filter(stop -> stop >= knownNanos).anyMatch(stop -> stop <= knownNanos + DURABLE_NANOS
                || diskTroubles.stream().anyMatch(each -> knownNanos + DURABLE_NANOS >= each.from
                        && knownNanos <= each.to + RECOVERY_NANOS && stop <= each.to + RECOVERY_NANOS));
    }

    boolean hasStopSince(long nanos) {
        return stops.stream().anyMatch(stop -> stop >= nanos);
    }

    boolean hasDiskTroubleSince(long nanos) {
        return hasDiskTroubleEndedAfter(nanos - RECOVERY_NANOS);
    }

    boolean hasDiskTroubleEndedAfter(long nanos) {
        return diskTroubles.stream().anyMatch(each -> each.to >= nanos);
    }

    void tell(long millis, String event) {
        if (history.size() < MOST_LINES) {
            history.add("%d.%03d %s".formatted(millis / 1_000, millis % 1_000, event));
        }
    }

    static void count(Map<String, Integer> counts, String recipient) {
        counts.merge(recipient, 1, Integer::sum);
    }
}
