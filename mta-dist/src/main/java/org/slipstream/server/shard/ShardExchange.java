package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.shard.GrantHolder;
import org.slipstream.qmgr.shard.LeaseBroker;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseAccount;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseMessage;
import org.slipstream.qmgr.shard.NodeReport;
import org.slipstream.qmgr.shard.NodeReport.BrokerReply;
import org.slipstream.server.hosts.HostStore;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// The messages between shards: lanes of the limits of the server, and knowledge about hosts.
///
/// **Several nodes.** The limits are then those of the cluster, and the node divides what it holds of them
/// ([GrantHolder]). [ClusterLimits] carries its messages.
///
/// Every message is an event in an inbox, so a queue manager remains a function of its events. The
/// lock orders the messages: an order of one shard and the grants that follow from it reach the
/// inboxes before the next order is heard.
final class ShardExchange {
    private static final Logger log = LoggerFactory.getLogger(ShardExchange.class);
    private final LeaseBroker broker = new LeaseBroker();
    private final Map<Integer, Consumer<QmgrEvent>> inboxes = new TreeMap<>();
    /// The ways to close the connections of a shard at once.
    private final Map<Integer, Runnable> cuts = new TreeMap<>();
    private final Optional<GrantHolder> holder;
    private final LongSupplier clockMillis;
    private CompletableFuture<Void> divided = CompletableFuture.completedFuture(null);

    /// A server alone.
    ShardExchange() {
        this.holder = Optional.empty();
        this.clockMillis = () -> 0;
    }

    /// A node of a cluster.
    ///
    /// @param start tells two processes with the same name apart
    /// @param clockMillis a monotonic clock
    ShardExchange(String node, long start, LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
        this.holder = Optional.of(new GrantHolder(node, start, new GrantHolder.NodeShards() {
            @Override
            public void tell(int shard, QmgrEvent event) {
                Optional.ofNullable(inboxes.get(shard)).ifPresent(inbox -> inbox.accept(event));
            }

            @Override
            public void cut() {
                log.warn("event=cluster-grants-ended next=\"connections are closed; deliveries start when the node"
                        + " that divides the limits answers\"");
                cuts.values().forEach(Runnable::run);
            }
        }));
    }

    /// A run of a shard begins.
    ///
    /// @param own limits of this shard alone, by transport
    /// @param cut closes its connections at once; must not block
    synchronized void join(int shard, Consumer<QmgrEvent> inbox, Map<String, Integer> own, Runnable cut) {
        inboxes.put(shard, inbox);
        cuts.put(shard, cut);
        holder.ifPresentOrElse(node -> node.join(shard, own), () -> send(broker.join(shard)));
    }

    /// The run of a shard has ended and its connections are closed: its lanes are free.
    synchronized void gone(int shard) {
        inboxes.remove(shard);
        cuts.remove(shard);
        holder.ifPresentOrElse(node -> node.gone(shard), () -> send(broker.gone(shard)));
    }

    /// The only shard shares the limits of the server from now on.
    ///
    /// @param own limits of each shard alone, by transport
    /// @return ends when the broker knows which lanes that shard uses: others may begin
    synchronized CompletableFuture<Void> divide(int shard, Map<String, Integer> own) {
        CompletableFuture<Void> known = new CompletableFuture<>();
        divided = known;
        Objects.requireNonNull(inboxes.get(shard)).accept(new QmgrEvent.LimitsShared(own));
        return known;
    }

    /// A queue manager asks for lanes or returns some, or tells which it uses.
    synchronized void order(int shard, QmgrOrder.LeaseOrder order) {
        if (holder.isPresent()) {
            holder.get().handle(shard, order);
            return;
        }
        send(broker.handle(shard, order));
        if (order instanceof QmgrOrder.HoldLeases) {
            divided.complete(null);
        }
    }

    private void send(List<LeaseMessage> messages) {
        for (LeaseMessage message : messages) {
            Consumer<QmgrEvent> inbox = inboxes.get(message.shard());
            if (inbox != null) {
                inbox.accept(message.event());
            }
        }
    }

    /// The lanes of all shards.
    synchronized List<LeaseAccount> accounts() {
        return holder.map(GrantHolder::accounts).orElseGet(broker::accounts);
    }

    // ---- a node of a cluster

    /// The message for the node that divides the limits; empty when there is none at present.
    synchronized Optional<NodeReport> report() {
        return holder.flatMap(node -> node.report(clockMillis.getAsLong()));
    }

    synchronized void answered(BrokerReply reply) {
        holder.ifPresent(node -> node.answered(reply, clockMillis.getAsLong()));
    }

    synchronized void brokerIs(long epoch) {
        holder.ifPresent(node -> node.brokerIs(epoch));
    }

    /// True when the next report should not wait for its time.
    synchronized boolean isUrgent() {
        return holder.isPresent() && holder.get().isUrgent();
    }

    /// False when the grants of this node are about to end, or have.
    synchronized boolean mayStart() {
        return holder.isEmpty() || holder.get().mayStart(clockMillis.getAsLong());
    }

    /// Empty for a server alone, and for a node that has all limits for itself.
    synchronized OptionalLong grantMillis() {
        return holder.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(holder.get().grantMillis(clockMillis.getAsLong()));
    }

    /// Milliseconds until connections are cut without an answer; empty when there are no grants.
    synchronized OptionalLong untilCutMillis() {
        return holder.map(node -> node.untilCutMillis(clockMillis.getAsLong())).orElse(OptionalLong.empty());
    }

    /// As [GrantHolder#goesAlone].
    synchronized void goesAlone(int nodes) {
        holder.ifPresent(node -> node.goesAlone(nodes, clockMillis.getAsLong()));
    }

    synchronized void timePasses() {
        holder.ifPresent(node -> node.timePasses(clockMillis.getAsLong()));
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
                inbox.accept(new QmgrEvent.HostsLearned(changes));
            }
        });
        holder.ifPresent(node -> node.learned(changes));
    }
}
