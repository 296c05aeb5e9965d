package org.slipstream.qmgr.settle;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.message.OperatorRequest;

import java.util.LinkedHashMap;
import java.util.Map;

/// Messages with an unanswered order to the spool after they left the active set: defer, remove,
/// hold, release, take up, make due, move out. A scan that saw such a message a moment earlier cannot activate it
/// twice.
///
/// Each message has one order at a time; a later operator's request waits here.
public final class PendingFilings {
    enum FilingKind {
        DEFER, REMOVE, HOLD, RELEASE, TAKE_UP, MAKE_DUE, MOVE_OUT
    }

    /// @param next the operator's request to execute afterwards
    record Filing(FilingKind kind, OperatorRequest next) {}

    private final Map<QueueId, Filing> filings = new LinkedHashMap<>();

    public boolean contains(QueueId id) {
        return filings.containsKey(id);
    }

    boolean isEmpty() {
        return filings.isEmpty();
    }

    void begin(QueueId id, FilingKind kind) {
        if (filings.putIfAbsent(id, new Filing(kind, OperatorRequest.NONE)) != null) {
            throw new IllegalStateException("queue=" + id + " is being filed already: " + filings.get(id));
        }
    }

    public void request(QueueId id, OperatorRequest request) {
        filings.computeIfPresent(id, (_, filing) -> new Filing(filing.kind(), filing.next().then(request)));
    }

    /// The spool confirmed the order.
    Filing done(QueueId id) {
        Filing filing = filings.remove(id);
        if (filing == null) {
            throw new ImpossibleEventException("queue=" + id + " was not being filed");
        }
        // A removed message needs no further order.
        return filing.kind() == FilingKind.REMOVE ? new Filing(FilingKind.REMOVE, OperatorRequest.NONE) : filing;
    }
}
