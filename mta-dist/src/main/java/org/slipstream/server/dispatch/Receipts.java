package org.slipstream.server.dispatch;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Spool;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Knows which messages may be removed without a confirmation: those without a request for one
/// (NOTIFY=SUCCESS, RFC 3461 section 4.1). That is nearly all mail, so the check must not read the
/// queue index. The dispatcher sees the envelope of each message that it delivers, and it is
/// checked then.
///
/// A message that was finished before the last restart is unknown here and counts as one with a
/// request: then the queue index is read. May be called by any thread.
final class Receipts {
    private final Set<QueueId> plain = ConcurrentHashMap.newKeySet();

    void seen(QueueId id, Envelope envelope) {
        if (!plain.contains(id) && !envelope.asksForReceipt()) {
            plain.add(id);
        }
    }

    /// True when the sender may have asked for a confirmation.
    boolean isDue(QueueId id, Optional<Spool.InMemory> fresh) {
        return !plain.contains(id) && fresh.map(memory -> memory.envelope().asksForReceipt()).orElse(true);
    }

    void forget(QueueId id) {
        plain.remove(id);
    }
}
