package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.ImpossibleEventException;

import java.util.LinkedHashMap;
import java.util.Map;

/// Messages outside the active set about which the spool is being told something: put back, removed, held, released,
/// made due. They stay known until `Filed` comes, so that a scan which saw them a moment earlier cannot bring them back in
/// twice; and each is told one thing at a time, a later wish waits here.
final class PendingFilings {
    enum Kind {
        DEFER, REMOVE, HOLD, RELEASE, MAKE_DUE
    }

    /// @param next what an operator wants as soon as this is done
    record Filing(Kind kind, OperatorRequest next) {}

    private final Map<QueueId, Filing> filings = new LinkedHashMap<>();

    boolean knows(QueueId id) {
        return filings.containsKey(id);
    }

    boolean isEmpty() {
        return filings.isEmpty();
    }

    void begin(QueueId id, Kind kind) {
        if (filings.putIfAbsent(id, new Filing(kind, OperatorRequest.NONE)) != null) {
            throw new IllegalStateException("queue=" + id + " is being filed already: " + filings.get(id));
        }
    }

    void wish(QueueId id, OperatorRequest request) {
        filings.computeIfPresent(id, (_, filing) -> new Filing(filing.kind(), filing.next().then(request)));
    }

    /// The spool has it.
    Filing done(QueueId id) {
        Filing filing = filings.remove(id);
        if (filing == null) {
            throw new ImpossibleEventException("queue=" + id + " was not being filed");
        }
        // What is gone needs nothing more.
        return filing.kind() == Kind.REMOVE ? new Filing(Kind.REMOVE, OperatorRequest.NONE) : filing;
    }
}
