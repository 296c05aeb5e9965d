package org.slipstream.qmgr.shard;

import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseMessage;
import org.slipstream.qmgr.shard.NodeReport.BrokerReply;
import org.slipstream.qmgr.shard.NodeReport.ItemFrame;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Divides the limits of a cluster among its nodes: a [LeaseBroker] whose members are processes that may be
/// lost. One node has it at a time.
///
/// **Grants end.** A process that is dead, frozen or cut off returns nothing. The lanes of a node are therefore
/// lent for [#GRANT_MILLIS] from the latest report that came. The node counts from the moment before it sent
/// that report, stops earlier by a second and cuts its connections ([GrantHolder]), so its lanes are out of use
/// when they are lent again. Both sides measure with monotonic clocks of their own; no date is compared.
///
/// **A new broker knows nothing.** Nodes tell it what they hold. Those that do not may hold any number of lanes
/// until the grants of the former broker have ended, so before that moment the new one lends nothing. Nodes go
/// on with what they hold. The moment is known: no grant is good for longer than [#GRANT_MILLIS] after its broker
/// renewed its office, because an answer is dated back to the renewal before it.
///
/// **Sessions.** A node asks for a session, and its first item there tells the lanes that it uses. A session
/// replaces the former one of the same process in one step. The number of a session only grows, so a report
/// that was delayed can neither revive an old one nor extend the grants of the present one at the node.
///
/// Pure, and used by one thread at a time.
public final class GrantBroker {
    public static final long GRANT_MILLIS = 6_000;
    /// Processes with sessions.
    static final int MOST_MEMBERS = 256;

    private final long epoch;
    private final long lendsFromMillis;
    private final LeaseBroker broker = new LeaseBroker(this::budget);
    private final Map<String, Member> members = new TreeMap<>();
    private final Map<Integer, Member> byNumber = new LinkedHashMap<>();
    private long sessions;
    private int numbers;
    private boolean lends;
    /// Not told yet.
    private final List<String> lost = new ArrayList<>();

    private static final class Member {
        final String node;
        final int number;
        final long session;
        final NodeChannel channel = new NodeChannel();
        long endMillis;
        boolean broken;

        Member(String node, int number, long session) {
            this.node = node;
            this.number = number;
            this.session = session;
        }

        void send(NodeItem item) {
            // The node gets no answer from now on, so its grants end.
            broken |= !channel.send(item);
        }
    }

    /// Lanes of one node at one limit, for operators.
    public record NodeLanes(String node, LimitKey key, int limit, int held, int demand) {}

    /// @param epoch grows with each broker
    /// @param sinceFormerMillis the time that has passed at least since the former broker renewed its office
    public GrantBroker(long epoch, long sinceFormerMillis, long nowMillis) {
        this.epoch = epoch;
        this.lendsFromMillis = nowMillis + Math.clamp(GRANT_MILLIS - sinceFormerMillis, 0, GRANT_MILLIS);
        this.lends = lendsFromMillis <= nowMillis;
    }

    private int budget(LimitKey key, int limit, int held) {
        return lends ? limit : Math.min(limit, held);
    }

    /// True when grants of a former broker cannot be in force any more.
    public boolean lends() {
        return lends;
    }

    /// A report of a node.
    ///
    /// @param renewedMillis the moment before this broker last renewed its office
    public BrokerReply receive(NodeReport report, long nowMillis, long renewedMillis) {
        endSessions(nowMillis);
        if (report.epoch() != epoch) {
            return reply(report, 0, ItemFrame.NONE);
        }
        String process = report.node() + "/" + report.start();
        Optional<Member> known = Optional.ofNullable(members.get(process));
        if (report.session() == 0) {
            return reply(report, known.isEmpty() && members.size() >= MOST_MEMBERS ? 0 : ++sessions, ItemFrame.NONE);
        }
        long present = known.map(member -> member.session).orElse(0L);
        if (report.session() > sessions || report.session() < present) {
            return reply(report, 0, ItemFrame.NONE);
        }
        Optional<Member> member = report.session() == present ? known : begin(process, known, report);
        return member.filter(each -> !each.broken).map(each -> answer(each, report, nowMillis, renewedMillis))
                .orElseGet(() -> reply(report, 0, ItemFrame.NONE));
    }

    private BrokerReply reply(NodeReport report, long session, ItemFrame frame) {
        return new BrokerReply(epoch, session, report.sentMillis(), frame);
    }

    /// Empty when the report does not begin a session.
    private Optional<Member> begin(String process, Optional<Member> former, NodeReport report) {
        if (report.frame().first() != 1 || report.frame().items().isEmpty()
                || !(report.frame().items().getFirst() instanceof NodeItem.AskedLanes(QmgrOrder.HoldLeases(var inUse)))
                || former.isEmpty() && members.size() >= MOST_MEMBERS) {
            return Optional.empty();
        }
        Member member = new Member(report.node(), ++numbers, report.session());
        members.put(process, member);
        former.ifPresent(each -> byNumber.remove(each.number));
        byNumber.put(member.number, member);
        send(broker.replace(former.map(each -> each.number).orElse(member.number), member.number, inUse));
        return Optional.of(member);
    }

    private BrokerReply answer(Member member, NodeReport report, long nowMillis, long renewedMillis) {
        member.endMillis = nowMillis + GRANT_MILLIS;
        for (NodeItem item : member.channel.receive(report.frame())) {
            switch (item) {
                case NodeItem.AskedLanes(QmgrOrder.HoldLeases _) -> {
                    // Its session began with it.
                }
                case NodeItem.AskedLanes(QmgrOrder.LeaseOrder order) -> send(broker.handle(member.number, order));
                case NodeItem.LearnedHosts hosts -> byNumber.values().stream().filter(other -> other != member)
                        .forEach(other -> other.send(hosts));
                case NodeItem.LentLanes _ -> {
                    // Only a broker lends.
                }
            }
        }
        return new BrokerReply(epoch, member.session, report.sentMillis() - Math.max(0, nowMillis - renewedMillis),
                member.channel.frame());
    }

    private void send(List<LeaseMessage> messages) {
        for (LeaseMessage message : messages) {
            Optional.ofNullable(byNumber.get(message.shard()))
                    .ifPresent(member -> member.send(new NodeItem.LentLanes(message.event())));
        }
    }

    /// Ends the sessions of nodes that have not reported.
    ///
    /// @return the nodes whose lanes are free since the last call
    public List<String> timePasses(long nowMillis) {
        endSessions(nowMillis);
        List<String> all = List.copyOf(lost);
        lost.clear();
        return all;
    }

    private void endSessions(long nowMillis) {
        if (!lends && nowMillis >= lendsFromMillis) {
            lends = true;
            send(broker.settleAll());
        }
        for (Map.Entry<String, Member> each : List.copyOf(members.entrySet())) {
            Member member = each.getValue();
            if (member.endMillis <= nowMillis) {
                members.remove(each.getKey());
                byNumber.remove(member.number);
                lost.add(member.node);
                send(broker.gone(member.number));
            }
        }
    }

    /// The lanes of all nodes.
    public List<NodeLanes> accounts() {
        return broker.accounts().stream().flatMap(account -> Optional.ofNullable(byNumber.get(account.shard())).stream()
                .map(member -> new NodeLanes(member.node, account.key(), account.limit(), account.held(),
                        account.demand())))
                .toList();
    }

    /// The nodes with a session.
    public List<String> nodes() {
        return members.values().stream().map(member -> member.node).toList();
    }
}
