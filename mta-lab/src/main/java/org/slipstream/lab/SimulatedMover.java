package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.lab.SimulatedSpool.SpoolRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Moves messages between the spools of a simulated server. A copy is durable in the target before
/// the source removes the message, and the target's queue manager learns of it after that. So a crash
/// leaves two equal copies at most, and the one in the source goes before the source starts again.
final class SimulatedMover {
    private final Function<SimulatedShard, Optional<SimulatedShard>> targets;

    /// Durable copies whose originals are not yet removed.
    private final Map<QueueId, Transfer> copied = new LinkedHashMap<>();

    private record Transfer(SimulatedShard source, SimulatedShard target, SpoolRow row, long dueMillis) {}

    /// @param targets the shard that takes the mail of another, if there is one
    SimulatedMover(Function<SimulatedShard, Optional<SimulatedShard>> targets) {
        this.targets = targets;
    }

    void move(SimulatedShard source, QmgrOrder.MoveOut order) {
        Optional<SimulatedShard> target = targets.apply(source);
        if (target.isEmpty()) {
            source.post(new QmgrEvent.MovedOut(order.id(), false));
            return;
        }
        SpoolRow row = source.spool.rows.get(order.id());
        Transfer transfer = new Transfer(source, target.get(), row, order.dueMillis().orElse(row.nextMillis));
        // A crash of the target loses the copy, and that of the source leaves the message there.
        int crashes = row.crashes;
        target.get().spool.log().write(() -> {
            if (source.spool.rows.get(order.id()) != row || row.crashes != crashes) {
                return;
            }
            copied.put(order.id(), transfer);
            source.spool.log().write(() -> {
                finish(transfer);
                source.post(new QmgrEvent.MovedOut(order.id(), true));
            });
        });
    }

    /// The source is about to start again after a crash.
    void restarted(SimulatedShard source) {
        copied.values().stream().filter(transfer -> transfer.source() == source).toList().forEach(this::finish);
    }

    private void finish(Transfer transfer) {
        SpoolRow row = transfer.row();
        QueueId id = row.mail.id();
        copied.remove(id);
        transfer.source().spool.rows.remove(id);
        boolean reported = transfer.source().invariants.accepted().movedOut(row.mail);
        row.postpone(transfer.dueMillis());
        transfer.target().spool.rows.put(id, row);
        transfer.target().invariants.accepted().movedIn(row.mail, reported);
        transfer.target().post(new QmgrEvent.MovedIn(row.summary(), row.nextMillis));
    }
}
