package org.slipstream.qmgr.settle;

import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/// Messages that move to another shard: those whose order must wait, and those that are on their
/// way.
///
/// A message is copied with the state that the spool has when its [QmgrEvent.MovedOut] is ordered,
/// so nothing may change that state afterwards. An order therefore waits for a scan that is under
/// way, which may postpone the message on disk, and for a report of its failures. A command that
/// arrives during the transfer waits for the answer: after it the message is either here or gone.
public final class Moves {
    /// @param dueMillis the message's next attempt, when the time on disk is only that of its
    ///     activation
    private record UnderWay(OptionalLong dueMillis, List<QmgrEvent.Operator> commands) {}

    /// A transfer that has ended.
    record EndedMove(OptionalLong dueMillis, List<QmgrEvent.Operator> commands) {}

    private final Set<QueueId> postponed = new LinkedHashSet<>();
    private final Map<QueueId, UnderWay> underWay = new LinkedHashMap<>();

    void postpone(QueueId id) {
        postponed.add(id);
    }

    /// Takes the messages whose orders waited.
    public List<QueueId> takePostponed() {
        if (postponed.isEmpty()) {
            return List.of();
        }
        List<QueueId> taken = List.copyOf(postponed);
        postponed.clear();
        return taken;
    }

    void begin(QueueId id, OptionalLong dueMillis) {
        underWay.put(id, new UnderWay(dueMillis, new ArrayList<>()));
    }

    /// True when the command concerns a message on its way; it is executed or answered afterwards.
    public boolean keeps(QmgrEvent.Operator operator) {
        return operator.command() instanceof OperatorCommand.OfMessage(QueueId id, _)
                && Optional.ofNullable(underWay.get(id)).filter(moving -> moving.commands().add(operator)).isPresent();
    }

    EndedMove ended(QueueId id) {
        UnderWay moving = underWay.remove(id);
        if (moving == null) {
            throw new ImpossibleEventException("queue=" + id + " was not being moved");
        }
        return new EndedMove(moving.dueMillis(), moving.commands());
    }
}
