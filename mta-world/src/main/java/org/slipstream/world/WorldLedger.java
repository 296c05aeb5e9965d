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
    /// When the program was stopped without an order, or its disk failed.
    final List<Long> stops = new ArrayList<>();
    final List<String> history = new ArrayList<>();

    /// One attempt of a client to hand a message in.
    static final class Submission {
        final List<String> recipients;
        boolean acknowledged;
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

    void tell(long millis, String event) {
        if (history.size() < MOST_LINES) {
            history.add("%d.%03d %s".formatted(millis / 1_000, millis % 1_000, event));
        }
    }

    static void count(Map<String, Integer> counts, String recipient) {
        counts.merge(recipient, 1, Integer::sum);
    }
}
