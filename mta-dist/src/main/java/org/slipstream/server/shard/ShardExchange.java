package org.slipstream.server.shard;

import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.shard.LeaseBroker;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseAccount;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseMessage;
import org.slipstream.server.hosts.HostStore;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/// The messages between shards: lanes of the limits of the server, and knowledge about hosts.
///
/// Every message is an event in an inbox, so a queue manager remains a function of its events. The
/// lock orders the messages: an order of one shard and the grants that follow from it reach the
/// inboxes before the next order is heard.
final class ShardExchange {
    private final LeaseBroker broker = new LeaseBroker();
    private final Map<Integer, Inbox> inboxes = new TreeMap<>();
    private CompletableFuture<Void> divided = CompletableFuture.completedFuture(null);

    /// A run of a shard begins.
    synchronized void join(int shard, Inbox inbox) {
        inboxes.put(shard, inbox);
        send(broker.join(shard));
    }

    /// The run of a shard has ended and its connections are closed: its lanes are free.
    synchronized void gone(int shard) {
        inboxes.remove(shard);
        send(broker.gone(shard));
    }

    /// The only shard shares the limits of the server from now on.
    ///
    /// @param own limits of each shard alone, by transport
    /// @return ends when the broker knows which lanes that shard uses: others may begin
    synchronized CompletableFuture<Void> divide(int shard, Map<String, Integer> own) {
        CompletableFuture<Void> known = new CompletableFuture<>();
        divided = known;
        Objects.requireNonNull(inboxes.get(shard)).answer(new QmgrEvent.LimitsShared(own));
        return known;
    }

    /// A queue manager asks for lanes or returns some, or tells which it uses.
    synchronized void order(int shard, QmgrOrder.LeaseOrder order) {
        send(broker.handle(shard, order));
        if (order instanceof QmgrOrder.HoldLeases) {
            divided.complete(null);
        }
    }

    private void send(List<LeaseMessage> messages) {
        for (LeaseMessage message : messages) {
            Inbox inbox = inboxes.get(message.shard());
            if (inbox != null) {
                inbox.answer(message.event());
            }
        }
    }

    /// The lanes of all shards.
    synchronized List<LeaseAccount> accounts() {
        return broker.accounts();
    }

    /// A memory for the hosts of one shard, from which the others learn as well (FI-39). Records of destinations are
    /// those of the shard.
    ///
    /// @param kept where the records are kept
    HostMemory hosts(int shard, HostMemory kept) {
        return changes -> {
            kept.changed(changes.stream().map(change -> HostStore.ofShard(shard, change)).toList());
            List<HostRow.Change> common = changes.stream()
                    .filter(change -> !HostStore.kind(change).isOfDestination()).toList();
            if (!common.isEmpty()) {
                tellOthers(shard, common);
            }
        };
    }

    private synchronized void tellOthers(int shard, List<HostRow.Change> changes) {
        inboxes.forEach((number, inbox) -> {
            if (number != shard) {
                inbox.answer(new QmgrEvent.HostsLearned(changes));
            }
        });
    }
}
