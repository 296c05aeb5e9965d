package org.slipstream.qmgr.settle;

import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// Messages with an unanswered order to the spool after they left the active set. A scan that saw such a message a
/// moment earlier cannot activate it twice.
///
/// Each message has one order at a time; a later operator's order waits here.
public final class PendingFilings {
    /// @param next the operator's order to execute afterwards
    record Filing(QmgrOrder.FilingOrder order, Optional<MessageOrder> next) {}

    private final Map<QueueId, Filing> filings = new LinkedHashMap<>();

    public boolean contains(QueueId id) {
        return filings.containsKey(id);
    }

    boolean isEmpty() {
        return filings.isEmpty();
    }

    void begin(QueueId id, QmgrOrder.FilingOrder order) {
        if (filings.putIfAbsent(id, new Filing(order, Optional.empty())) != null) {
            throw new IllegalStateException("queue=" + id + " is being filed already: " + filings.get(id));
        }
    }

    public void request(QueueId id, MessageOrder later) {
        filings.computeIfPresent(id, (_, filing) -> new Filing(filing.order(),
                Optional.of(filing.next().map(earlier -> earlier.then(later)).orElse(later))));
    }

    /// The spool confirmed the order.
    Filing done(QueueId id) {
        Filing filing = filings.remove(id);
        if (filing == null) {
            throw new ImpossibleEventException("queue=" + id + " was not being filed");
        }
        // A removed message needs no further order.
        return filing.order() instanceof QmgrOrder.Remove ? new Filing(filing.order(), Optional.empty()) : filing;
    }
}
