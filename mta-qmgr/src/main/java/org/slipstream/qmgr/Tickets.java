package org.slipstream.qmgr;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The commands of operators that are not answered yet, by message.
///
/// A command for a message is answered when the spool has the last thing that is filed about the message because of it. A
/// message that ends before (delivered, deleted by another command) answers all its commands with its end. So an operator
/// who lists the queue after the answer sees the effect, and nothing polls the spool for it.
final class Tickets {
    private final StepContext step;
    private final Map<QueueId, List<Long>> open = new LinkedHashMap<>();

    Tickets(StepContext step) {
        this.step = step;
    }

    /// The answer comes with [#filed].
    void open(QueueId id, long ticket) {
        if (ticket != QmgrEvent.Operator.NO_TICKET) {
            open.computeIfAbsent(id, _ -> new ArrayList<>(1)).add(ticket);
        }
    }

    /// No command for this message waits for the spool any more.
    void filed(QueueId id) {
        List<Long> answered = open.remove(id);
        if (answered != null) {
            answered.forEach(ticket -> answer(ticket, Result.FILED));
        }
    }

    void answer(long ticket, Result result) {
        if (ticket != QmgrEvent.Operator.NO_TICKET) {
            step.order(new QmgrOrder.Answered(ticket, result));
        }
    }
}
