package org.slipstream.qmgr.settle;

import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.message.StepContext;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Unanswered operator commands, by message. Each ticket is answered exactly once.
///
/// A command is answered when the spool confirms the last order that it caused for the message. A
/// message that ends before (delivered, or deleted by another command) answers all its commands. So
/// an operator who lists the queue after the answer sees the effect, without polling.
public final class Tickets {
    private final StepContext step;
    private final Map<QueueId, List<Long>> open = new LinkedHashMap<>();
    /// Those of moves, which follow the message's other requests.
    private final Map<QueueId, List<Long>> moves = new LinkedHashMap<>();

    Tickets(StepContext step) {
        this.step = step;
    }

    /// Registers a ticket that [#filed] answers.
    public void open(QueueId id, MessageOrder order, long ticket) {
        if (ticket != QmgrEvent.Operator.NO_TICKET) {
            (order instanceof MessageOrder.Move ? moves : open).computeIfAbsent(id, _ -> new ArrayList<>(1))
                    .add(ticket);
        }
    }

    /// Answers all commands of this message.
    void filed(QueueId id) {
        answer(open, id, Result.FILED);
        answer(moves, id, Result.FILED);
    }

    /// Answers the commands that precede a move.
    void filedBeforeMove(QueueId id) {
        answer(open, id, Result.FILED);
    }

    /// Answers the moves of this message.
    void moved(QueueId id, Result result) {
        answer(moves, id, result);
    }

    private void answer(Map<QueueId, List<Long>> tickets, QueueId id, Result result) {
        List<Long> answered = tickets.remove(id);
        if (answered != null) {
            answered.forEach(ticket -> answer(ticket, result));
        }
    }

    public void answer(long ticket, Result result) {
        if (ticket != QmgrEvent.Operator.NO_TICKET) {
            step.order(new QmgrOrder.Answered(ticket, result));
        }
    }
}
