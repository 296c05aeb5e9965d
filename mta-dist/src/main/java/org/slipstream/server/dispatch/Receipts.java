package org.slipstream.server.dispatch;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Spool;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Which messages may leave the spool without a word to their senders: those of which nobody asked to hear of success
/// (NOTIFY=SUCCESS, RFC 3461 section 4.1). That is nearly all mail, and it must not cost a read of the queue index to know it: the
/// envelope of whatever is delivered passes the desk anyway, and is looked at then.
///
/// What was never seen, because it was settled before the last restart, counts as asked for: then the queue index is read. Any thread.
final class Receipts {
    private final Set<QueueId> plain = ConcurrentHashMap.newKeySet();

    void seen(QueueId id, Envelope envelope) {
        if (!plain.contains(id) && !envelope.asksForReceipt()) {
            plain.add(id);
        }
    }

    /// True when the sender has to be told first, or may have to.
    boolean isDue(QueueId id, Optional<Spool.InMemory> fresh) {
        return !plain.contains(id) && fresh.map(memory -> memory.envelope().asksForReceipt()).orElse(true);
    }

    void forget(QueueId id) {
        plain.remove(id);
    }
}
