package org.slipstream.qmgr.shard;

import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseAccount;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseMessage;
import org.slipstream.qmgr.shard.NodeReport.BrokerReply;
import org.slipstream.qmgr.shard.NodeReport.ItemFrame;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/// The lanes that one node of a cluster holds, and their division among its shards. The shards never use more
/// of a limit than the broker of the cluster ([GrantBroker]) has lent to the node.
///
/// **Two levels, one algorithm.** Downwards the node is a broker ([LeaseBroker]); upwards it is a holder, as a
/// shard is ([Leases]): it asks for what its shards lack, returns what they do not need when other nodes wait,
/// and passes recalls on. So only lanes that leave the node cross the network.
///
/// **The end of grants.** A grant is good for some time after the latest answer, counted from the moment before
/// the report that was answered was sent:
///
/// | Time without an answer | |
/// |---|---|
/// | [#STOP_MILLIS] | all lanes are recalled from the shards: deliveries go on, none starts |
/// | [#CUT_MILLIS] | connections are cut, the shards count what they use again, and the node holds nothing |
/// | [GrantBroker#GRANT_MILLIS] | the broker lends the lanes to others |
///
/// To wait for deliveries instead of cutting them would need an end of the longest one, and a slow host decides
/// that. A message that was cut is tried again, as after a lost connection.
///
/// **Without a broker for longer**, a node that is told the number of all nodes uses its part of each limit
/// ([#goesAlone]), from the moment at which its former lanes may be lent to others. When each node does so, the sum
/// does not exceed the limit.
///
/// **A new broker** is told what the node uses. Grants of the former one are good until their end meanwhile, so
/// a change of the broker cuts nothing.
///
/// Pure, and used by one thread at a time.
public final class GrantHolder {
    public static final long STOP_MILLIS = 4_000;
    public static final long CUT_MILLIS = 5_000;
    /// After a cut the next session waits for shards to count again. Deliveries that no cut ends, those to
    /// mailboxes and programs, do not hold it up for longer.
    static final long COUNT_MILLIS = 5_000;
    /// News of hosts that wait for a session.
    private static final int MOST_NEWS = 1_000;

    private final String node;
    private final long start;
    private final NodeShards shards;
    private final LeaseBroker broker = new LeaseBroker(new Budget());
    private final Leases.LeaseUse use = new Use();
    /// The limits of each shard alone.
    private final Map<Integer, Map<String, Integer>> members = new TreeMap<>();
    /// Shards that count again. Until they have, their orders are about lanes of the past.
    private final Set<Integer> counting = new LinkedHashSet<>();
    private Leases own = Leases.shared();
    private NodeChannel channel = new NodeChannel();
    private List<HostRow.Change> news = List.of();

    /// The broker that the node looks for; 0: none is known.
    private long wanted;
    /// Of the session, or of the latest one.
    private long epoch;
    private long session;
    private long latestSession;
    private long answeredMillis;
    private boolean holds;
    private boolean stopped = true;
    private long cutMillis = -COUNT_MILLIS;
    /// The parts of each limit, of which this node has one while no broker answers; 0: it waits for a broker.
    private int parts;
    private boolean alone;

    /// The shards of the node.
    public interface NodeShards {
        void tell(int shard, QmgrEvent event);

        /// Closes all connections of the node at once, whatever they are doing.
        void cut();
    }

    private final class Budget implements LeaseBroker.LaneBudget {
        @Override
        public int lanes(LimitKey key, int limit, int held) {
            if (alone) {
                return limit / parts;
            }
            if (stopped) {
                return 0;
            }
            return own.find(key).map(lanes -> lanes.held() - lanes.recalled()).orElse(0);
        }

        @Override
        public boolean isWanted(LimitKey key) {
            return own.isWanted(key);
        }
    }

    private final class Use implements Leases.LeaseUse {
        @Override
        public int used(LimitKey key) {
            return broker.held(key);
        }

        @Override
        public void closeIdle(LimitKey key, int connections) {
            // The shards do: they know that another node waits.
        }

        @Override
        public void returned(LimitKey key) {
            // The broker of this node divides by what is held.
        }

        @Override
        public boolean isWaiting(LimitKey key) {
            return broker.demand(key) > 0;
        }

        @Override
        public boolean keepsOne() {
            return false;
        }
    }

    public GrantHolder(String node, long start, NodeShards shards) {
        this.node = node;
        this.start = start;
        this.shards = shards;
    }

    // ---- shards

    /// A run of a shard begins, and holds nothing.
    ///
    /// @param own limits of this shard alone, by transport
    public void join(int shard, Map<String, Integer> own) {
        members.put(shard, new LinkedHashMap<>(own));
        counting.remove(shard);
        changed(broker.join(shard));
    }

    /// The connections of a shard are closed.
    public void gone(int shard) {
        members.remove(shard);
        counting.remove(shard);
        changed(broker.gone(shard));
    }

    /// A queue manager asks for lanes, returns some, or tells which it uses.
    public void handle(int shard, QmgrOrder.LeaseOrder order) {
        if (counting.contains(shard) && !(order instanceof QmgrOrder.HoldLeases)) {
            return;
        }
        counting.remove(shard);
        if (order instanceof QmgrOrder.AskLease ask && ask.lanes() > 0) {
            own.renew();
        }
        List<LeaseMessage> messages = broker.handle(shard, order);
        messages.forEach(message -> shards.tell(message.shard(), message.event()));
        switch (order) {
            case QmgrOrder.HoldLeases _ -> changed(List.of());
            case QmgrOrder.AskLease ask -> changed(ask.key());
            case QmgrOrder.ReturnLease back -> changed(back.key());
        }
    }

    /// A shard has learned about hosts.
    public void learned(List<HostRow.Change> changes) {
        if (session == 0 || !channel.send(new NodeItem.LearnedHosts(changes))) {
            List<HostRow.Change> all = new ArrayList<>(news);
            all.addAll(changes);
            news = List.copyOf(all.subList(Math.max(0, all.size() - MOST_NEWS), all.size()));
        }
    }

    private void changed(List<LeaseMessage> messages) {
        messages.forEach(message -> shards.tell(message.shard(), message.event()));
        Set<LimitKey> keys = new LinkedHashSet<>(broker.keys());
        keys.addAll(own.all().keySet());
        keys.forEach(this::follow);
        settle();
    }

    private void changed(LimitKey key) {
        follow(key);
        settle();
    }

    /// Asks the broker of the cluster for what the shards lack.
    private void follow(LimitKey key) {
        int limit = broker.limit(key);
        int demand = broker.demand(key);
        if (limit == 0 && demand == 0 && broker.held(key) == 0) {
            if (!isLasting(key)) {
                own.drop(key);
            }
            own.freed(key);
            return;
        }
        own.limitIs(key, limit);
        if (demand > 0 && !stopped) {
            own.need(key, limit, demand);
        }
        own.freed(key);
    }

    /// There are few such limits, and they are used again.
    private static boolean isLasting(LimitKey key) {
        return switch (key) {
            case LimitKey.OfServer _,LimitKey.OfTransport _,LimitKey.OfGroup _,LimitKey.OfGroupRate _ -> true;
            case LimitKey.OfDestination _,LimitKey.OfHost _,LimitKey.OfRate _ -> false;
        };
    }

    private void settle() {
        own.settle(use, true);
        own.drain(order -> {
            if (session > 0) {
                channel.send(new NodeItem.AskedLanes((QmgrOrder.LeaseOrder) order));
            }
        });
    }

    private void divide() {
        changed(broker.settleAll());
    }

    // ---- the broker of the cluster

    /// The broker of this epoch is in office. An older one is out of it.
    public void brokerIs(long newest) {
        wanted = Math.max(wanted, newest);
    }

    /// The report to send to the broker now; empty when there is no broker, or the shards still count.
    public Optional<NodeReport> report(long nowMillis) {
        timePasses(nowMillis);
        if (wanted == 0) {
            return Optional.empty();
        }
        if (session == 0 || epoch != wanted) {
            return isCounting(nowMillis)
                    ? Optional.empty()
                    : Optional.of(new NodeReport(node, start, wanted, 0, nowMillis, ItemFrame.NONE));
        }
        return Optional.of(new NodeReport(node, start, epoch, session, nowMillis, channel.frame()));
    }

    private boolean isCounting(long nowMillis) {
        boolean uses = broker.keys().stream().anyMatch(key -> !key.isRate() && broker.held(key) > 0);
        return !holds && (!counting.isEmpty() || uses) && nowMillis < cutMillis + COUNT_MILLIS;
    }

    /// True when a report should be sent soon: there is something to tell, lanes are awaited, or other nodes wait for
    /// some.
    public boolean isUrgent() {
        return session > 0 && (!channel.isConfirmed() || own.isShortage());
    }

    /// An answer came, possibly late, twice or in another order than it was sent.
    public void answered(BrokerReply reply, long nowMillis) {
        timePasses(nowMillis);
        if (reply.epoch() != wanted) {
            return;
        }
        if (session == 0 || epoch != wanted) {
            // Late welcomes to an earlier question begin nothing twice.
            if (reply.session() > (epoch == wanted ? latestSession : 0) && !isCounting(nowMillis)) {
                begin(reply);
            }
        } else if (reply.session() == session) {
            hear(reply, nowMillis);
        } else if (reply.session() == 0 && reply.sentMillis() > answeredMillis) {
            // The broker has no such session any more. Its grants end as without an answer.
            session = 0;
        }
    }

    private void begin(BrokerReply welcome) {
        epoch = welcome.epoch();
        session = welcome.session();
        latestSession = session;
        channel = new NodeChannel();
        own = Leases.whole();
        Map<LimitKey, Integer> limits = new LinkedHashMap<>();
        broker.keys().forEach(key -> limits.put(key, broker.limit(key)));
        own.share(Collections.emptyNavigableMap(), limits, use);
        settle();
        if (!news.isEmpty()) {
            channel.send(new NodeItem.LearnedHosts(news));
            news = List.of();
        }
        divide();
    }

    private void hear(BrokerReply reply, long nowMillis) {
        if (!holds || reply.sentMillis() > answeredMillis) {
            answeredMillis = reply.sentMillis();
        }
        if (nowMillis >= answeredMillis + CUT_MILLIS) {
            // The answer itself is too late to be of use.
            timePasses(nowMillis);
            return;
        }
        boolean again = alone || stopped && nowMillis < answeredMillis + STOP_MILLIS;
        holds = true;
        alone = false;
        stopped = nowMillis >= answeredMillis + STOP_MILLIS;
        for (NodeItem item : channel.receive(reply.frame())) {
            switch (item) {
                case NodeItem.LentLanes(QmgrEvent.LeaseEvent event) -> {
                    own.happened(event);
                    List<LeaseMessage> messages = broker.settle(event.key());
                    messages.forEach(message -> shards.tell(message.shard(), message.event()));
                    changed(event.key());
                }
                case NodeItem.LearnedHosts(List<HostRow.Change> changes) ->
                    members.keySet().forEach(shard -> shards.tell(shard, new QmgrEvent.HostsLearned(changes)));
                case NodeItem.AskedLanes _ -> {
                    // Only a node asks.
                }
            }
        }
        if (again) {
            divide();
        }
    }

    // ---- time

    /// False when the grants are about to end: no connection may be opened.
    public boolean mayStart(long nowMillis) {
        return alone || holds && nowMillis < answeredMillis + STOP_MILLIS;
    }

    /// Milliseconds until connections are cut without an answer; empty when the node has no grants.
    public OptionalLong untilCutMillis(long nowMillis) {
        return holds ? OptionalLong.of(answeredMillis + CUT_MILLIS - nowMillis) : OptionalLong.empty();
    }

    /// Whether this node may use its part of each limit while no broker answers. To be told again and again.
    ///
    /// @param nodes of the cluster, with this one; 0: it may not. When it did until now and has no grants yet, its
    ///     connections are cut, because the broker does not know of them
    public void goesAlone(int nodes, long nowMillis) {
        timePasses(nowMillis);
        if (alone && nodes == 0) {
            cut(nowMillis);
        }
        boolean now = nodes > 0 && !holds && nowMillis >= cutMillis + GrantBroker.GRANT_MILLIS - CUT_MILLIS;
        boolean changed = now != alone || now && parts != nodes;
        parts = nodes;
        alone = now;
        if (changed) {
            divide();
        }
    }

    /// True when the broker may have lent the lanes of this node to others, and the node has not cut yet.
    boolean isOverdue(long nowMillis) {
        return holds && nowMillis >= answeredMillis + CUT_MILLIS;
    }

    /// Stops or cuts when the grants end. Questions that were left out are asked.
    public void timePasses(long nowMillis) {
        if (holds && nowMillis >= answeredMillis + CUT_MILLIS) {
            cut(nowMillis);
        } else if (holds && !stopped && nowMillis >= answeredMillis + STOP_MILLIS) {
            stopped = true;
            divide();
        } else if (own.isSuppressed()) {
            own.renew();
            divide();
        }
    }

    private void cut(long nowMillis) {
        holds = false;
        alone = false;
        stopped = true;
        session = 0;
        cutMillis = nowMillis;
        own = Leases.shared();
        channel = new NodeChannel();
        shards.cut();
        members.forEach((shard, limits) -> {
            counting.add(shard);
            shards.tell(shard, new QmgrEvent.LimitsShared(limits));
        });
    }

    /// Milliseconds for which deliveries may still start without an answer; 0: none starts.
    public long grantMillis(long nowMillis) {
        return mayStart(nowMillis) ? Math.max(1, answeredMillis + STOP_MILLIS - nowMillis) : 0;
    }

    /// The lanes of this node's shards.
    public List<LeaseAccount> accounts() {
        return broker.accounts();
    }

    /// The lanes that the node holds of a limit.
    public int held(LimitKey key) {
        return own.held(key);
    }
}
