package org.slipstream.qmgr.dest;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.Network;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.place.LackingLane;
import org.slipstream.qmgr.sched.Blocker;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.WaitingCount;
import org.slipstream.qmgr.shard.Leases;
import org.slipstream.qmgr.trace.ProviderFigures;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.LimitKey.GroupKind;
import org.slipstream.qmgr.wake.ProviderRules;
import org.slipstream.qmgr.wake.Rate;
import org.slipstream.qmgr.wake.RateLimits;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;

/// The limits that several destinations share: that of the server, and those of groups
/// ([GroupKind]). A ring has the destinations that clauses name (ZM-20, ZM-21), a provider those whose
/// hosts belong to it, and the mail of one sender domain to a provider is a group too.
///
/// **Connections** of a group are counted by the destinations with running deliveries, of which there
/// are at most as many as connections. A delivery may share a connection while the group has no other.
/// **A rate** counts the starts of deliveries, so that nothing starts while it is used up.
///
/// **A limit of a sender domain** refuses messages, not destinations: other mail to the same domain
/// passes. The refused messages are one run for the scheduler ([Blocker]), so an event does not ask
/// each of them.
///
/// A limit that is used up is remembered until it has room, which may let many destinations go. Mail
/// beyond one period of a rate waits on disk, as that of a destination.
public final class Groups {
    private static final int SWEEP = 1_000;

    private DestinationTable table;
    private ProviderTable providers;
    private int limitOfServer;
    private final IntSupplier busyOfServer;
    private final ToIntFunction<DestinationQueue> charge;
    private final Leases leases;
    private final RateLimits rates;
    private final Function<QueueId, Optional<String>> senderDomain;
    private final LongSupplier now;
    private final Map<DestinationQueue, Membership> memberships = new LinkedHashMap<>();
    private final Map<LimitKey.OfGroup, Group> groups = new LinkedHashMap<>();
    private int sweepAt = SWEEP;
    private final Set<LimitKey.OfGroup> full = new LinkedHashSet<>();

    /// Rates that are used up, and the time at which the first of them has room.
    private final Set<LimitKey.OfGroupRate> spent = new LinkedHashSet<>();
    private long nextRoomMillis = Long.MAX_VALUE;

    private final ProvidersOfDomains ofDomains = new ProvidersOfDomains();
    private boolean serverRefuses;

    /// The groups of one destination.
    private record Membership(Optional<String> provider, List<LimitKey.OfGroup> groups) {}

    /// One group with mail.
    private final class Group implements Blocker {
        final LimitKey.OfGroup key;
        final WaitingCount waiting = new WaitingCount();
        final Set<DestinationQueue> running = new LinkedHashSet<>();

        /// Of a sender domain.
        int deliveries;

        Group(LimitKey.OfGroup key) {
            this.key = key;
        }

        @Override
        public boolean isOpen() {
            return !isFull(key) && !isSpent(key.rate());
        }

        boolean isIdle() {
            return waiting.entries() == 0 && running.isEmpty() && deliveries == 0;
        }
    }

    /// A limit that refuses deliveries to a destination, shared connections too.
    ///
    /// @param blocker of a limit of messages
    public record GroupRefusal(LimitKey key, Optional<Blocker> blocker) {}

    /// The figures of a group in memory.
    ///
    /// @param waiting deliveries
    /// @param atWork connections; of a sender domain deliveries
    /// @param lanes limit; empty: none
    /// @param started deliveries of the current period of the rate
    public record GroupFigures(LimitKey.OfGroup key, int destinations, int waiting, int atWork,
            Optional<Integer> lanes, Optional<Rate> rate, int started) {}

    /// @param limitOfServer 0: none
    /// @param charge connections of a destination
    /// @param senderDomain of an active message; empty for a report
    Groups(DestinationTable table, int limitOfServer, IntSupplier busyOfServer, ToIntFunction<DestinationQueue> charge,
            Leases leases, RateLimits rates, Function<QueueId, Optional<String>> senderDomain, LongSupplier now) {
        this.table = table;
        this.providers = table.providers().table();
        this.limitOfServer = limitOfServer;
        this.busyOfServer = busyOfServer;
        this.charge = charge;
        this.leases = leases;
        this.rates = rates;
        this.senderDomain = senderDomain;
        this.now = now;
    }

    // ---- members

    void enter(DestinationQueue queue, Optional<String> ring) {
        Optional<String> provider = providers.of(queue.route());
        List<LimitKey.OfGroup> keys = new ArrayList<>(2);
        provider.ifPresent(name -> keys.add(new LimitKey.OfGroup(GroupKind.PROVIDER, name)));
        ring.ifPresent(name -> keys.add(new LimitKey.OfGroup(GroupKind.RING, name)));
        memberships.put(queue, new Membership(provider, List.copyOf(keys)));
        queue.count(message -> counts(queue, message));
    }

    private List<WaitingCount> counts(DestinationQueue queue, Message message) {
        List<LimitKey.OfGroup> keys = all(queue, message);
        return keys.isEmpty() ? List.of() : keys.stream().map(key -> group(key).waiting).toList();
    }

    void leave(DestinationQueue queue) {
        membership(queue).groups().forEach(key -> stopped(queue, key));
        memberships.remove(queue);
    }

    /// Other limits. Destinations are in their groups until [#moved].
    void change(DestinationTable others, int server) {
        table = others;
        providers = others.providers().table();
        limitOfServer = server;
        lanesChanged();
    }

    /// Rates may have room before their time: other limits, or lanes of other shards.
    void lanesChanged() {
        nextRoomMillis = Long.MIN_VALUE;
    }

    /// The settings may have put a destination into other groups.
    void moved(DestinationQueue queue, Optional<String> ring) {
        membership(queue).groups().forEach(key -> group(key).running.remove(queue));
        enter(queue, ring);
        if (queue.running() > 0) {
            membership(queue).groups().forEach(key -> group(key).running.add(queue));
        }
    }

    /// Mail for this domain goes to this destination.
    void mailFor(DestinationQueue queue, String domain) {
        ofDomains.mailFor(domain, membership(queue).provider());
    }

    /// The providers of those of these domains that are known to have one.
    public Map<String, String> providers(Collection<String> domains) {
        return ofDomains.of(domains);
    }

    /// The provider of a destination; empty when its hosts belong to none.
    public Optional<String> provider(DestinationQueue queue) {
        return membership(queue).provider();
    }

    private Membership membership(DestinationQueue queue) {
        return memberships.getOrDefault(queue, new Membership(Optional.empty(), List.of()));
    }

    private Group group(LimitKey.OfGroup key) {
        if (groups.size() >= sweepAt && !groups.containsKey(key)) {
            sweep();
            sweepAt = Math.max(SWEEP, 2 * groups.size());
        }
        return groups.computeIfAbsent(key, Group::new);
    }

    // Sender domains without mail. Their starts still count.
    private void sweep() {
        List<LimitKey.OfGroup> idle = groups.values().stream().filter(Group::isIdle).map(each -> each.key).toList();
        for (LimitKey.OfGroup key : idle) {
            groups.remove(key);
            if (rates.count(key.rate(), now.getAsLong()) == 0) {
                leases.drop(key.rate());
            }
        }
    }

    /// The limits of the sender of a message at the provider of a destination; empty without any.
    private Optional<LimitKey.OfGroup> sender(DestinationQueue queue, Message message) {
        return membership(queue).provider().filter(table.providers()::limitsSenders)
                .flatMap(provider -> senderDomain.apply(message.id())
                        .flatMap(domain -> table.providers().sender(provider, domain)));
    }

    private List<LimitKey.OfGroup> all(DestinationQueue queue, Message message) {
        List<LimitKey.OfGroup> own = membership(queue).groups();
        Optional<LimitKey.OfGroup> sender = sender(queue, message);
        if (sender.isEmpty()) {
            return own;
        }
        List<LimitKey.OfGroup> all = new ArrayList<>(own);
        all.add(sender.get());
        return all;
    }

    // ---- limits

    /// The limit of the server or a group; empty when there is none any more.
    Optional<Integer> limit(LimitKey key) {
        return switch (key) {
            case LimitKey.OfGroup group -> table.lanes(group);
            case LimitKey.OfGroupRate rate -> table.rate(rate).map(Rate::deliveries);
            default -> Optional.of(limitOfServer).filter(limit -> limit > 0);
        };
    }

    /// The limits of the server and of the groups in use.
    Map<LimitKey, Integer> limitsInUse() {
        Map<LimitKey, Integer> limits = new LinkedHashMap<>();
        limit(LimitKey.SERVER).ifPresent(limit -> limits.put(LimitKey.SERVER, limit));
        groups.keySet().forEach(key -> {
            limit(key).ifPresent(limit -> limits.put(key, limit));
            limit(key.rate()).ifPresent(limit -> limits.put(key.rate(), limit));
        });
        return limits;
    }

    public boolean isServerFull() {
        return limitOfServer > 0 && busyOfServer.getAsInt() >= leases.limit(LimitKey.SERVER, limitOfServer);
    }

    /// The group of this kind that has a destination; for [GroupKind#SENDER] the message decides.
    public Optional<LimitKey.OfGroup> group(GroupKind kind, DestinationQueue queue, Message message) {
        return all(queue, message).stream().filter(key -> key.kind() == kind).findFirst();
    }

    /// The first of the gates for connections that is closed for this queue; null when all are open.
    @Nullable
    Code full(DestinationQueue queue) {
        if (isServerFull()) {
            return Code.SERVER;
        }
        for (LimitKey.OfGroup key : membership(queue).groups()) {
            if (isFull(key)) {
                return key.gate();
            }
        }
        return null;
    }

    public boolean isFull(LimitKey.OfGroup key) {
        Optional<Integer> limit = table.lanes(key);
        return limit.isPresent() && used(key) >= leases.limit(key, limit.get());
    }

    /// True when the rate permits no start now.
    public boolean isSpent(LimitKey.OfGroupRate key) {
        return nextStartMillis(key) > now.getAsLong();
    }

    /// The earliest start that the rate permits.
    public long nextStartMillis(LimitKey.OfGroupRate key) {
        return table.rate(key)
                .map(rate -> rates.nextMillis(key, rate, leases.limit(key, rate.deliveries()), now.getAsLong()))
                .orElse(now.getAsLong());
    }

    public Optional<Rate> rate(LimitKey.OfGroupRate key) {
        return table.rate(key);
    }

    /// The limit that permits no delivery of this message to this queue, not even over a connection of
    /// another one; empty when there is none.
    public Optional<GroupRefusal> refusal(DestinationQueue queue, Message message) {
        for (LimitKey.OfGroup key : membership(queue).groups()) {
            if (isSpent(key.rate())) {
                return Optional.of(new GroupRefusal(key.rate(), Optional.empty()));
            }
        }
        Optional<LimitKey.OfGroup> sender = sender(queue, message);
        if (sender.isEmpty()) {
            return Optional.empty();
        }
        LimitKey.OfGroup key = sender.get();
        return isSpent(key.rate())
                ? Optional.of(new GroupRefusal(key.rate(), Optional.of(group(key))))
                : isFull(key) ? Optional.of(new GroupRefusal(key, Optional.of(group(key)))) : Optional.empty();
    }

    /// The lanes of the server and of its groups that a delivery to this queue lacks in this shard.
    List<LackingLane> lacks(DestinationQueue queue) {
        List<LackingLane> lacks = new ArrayList<>(0);
        if (isServerFull() && leases.isShort(LimitKey.SERVER, limitOfServer)) {
            lacks.add(new LackingLane(LimitKey.SERVER, limitOfServer));
        }
        for (LimitKey.OfGroup key : membership(queue).groups()) {
            if (isFull(key)) {
                lack(key).ifPresent(lacks::add);
            }
        }
        return lacks;
    }

    /// The lane of a limit that others hold; empty when this shard may use all.
    public Optional<LackingLane> lack(LimitKey key) {
        return limit(key).filter(limit -> leases.isShort(key, limit)).map(limit -> new LackingLane(key, limit));
    }

    int used(LimitKey.OfGroup key) {
        Group group = groups.get(key);
        if (group == null) {
            return 0;
        }
        int atWork = group.deliveries;
        for (DestinationQueue queue : group.running) {
            atWork += charge.applyAsInt(queue);
        }
        return atWork;
    }

    // ---- mail that is not taken up

    /// The reason for which mail of this message is deferred without an attempt: the mail of one period
    /// of a rate waits. Empty when it may wait in memory.
    public Optional<DeferralReason> bars(DestinationQueue queue, Message message) {
        for (LimitKey.OfGroup key : all(queue, message)) {
            if (isBeyond(key, 0) && isSpent(key.rate())) {
                return Optional.of(onePeriod(key.rate()));
            }
        }
        return Optional.empty();
    }

    /// @param less deliveries that will not wait
    private boolean isBeyond(LimitKey.OfGroup key, int less) {
        Group group = groups.get(key);
        return group != null
                && table.rate(key.rate()).filter(rate -> group.waiting.entries() - less >= rate.deliveries())
                        .isPresent();
    }

    private DeferralReason onePeriod(LimitKey.OfGroupRate key) {
        return new DeferralReason(key.gate(), Reply.of(450, "4.3.2", "the rate of " + name(key.group()) + " is "
                + table.rate(key).map(Rate::toString).orElse("none") + ", and the mail of one period waits"));
    }

    /// The queues whose mail would wait longer than one period of a rate of other settings.
    Map<DestinationQueue, DeferralReason> beyond() {
        Map<DestinationQueue, DeferralReason> beyond = new LinkedHashMap<>();
        Map<LimitKey.OfGroup, Integer> less = new LinkedHashMap<>();
        memberships.forEach((queue, membership) -> {
            for (LimitKey.OfGroup key : membership.groups()) {
                int without = less.getOrDefault(key, 0);
                if (queue.waiting() > 0 && isBeyond(key, without + 1)) {
                    less.put(key, without + queue.waiting());
                    beyond.putIfAbsent(queue, onePeriod(key.rate()));
                }
            }
        });
        return beyond;
    }

    // ---- deliveries

    /// A delivery starts. The result is the group of its sender, to be told at its end.
    Optional<LimitKey.OfGroup> started(DestinationQueue queue, Message message) {
        Optional<LimitKey.OfGroup> sender = sender(queue, message);
        sender.ifPresent(key -> group(key).deliveries++);
        membership(queue).groups().forEach(key -> group(key).running.add(queue));
        for (LimitKey.OfGroup key : all(queue, message)) {
            table.rate(key.rate()).ifPresent(rate -> rates.started(key.rate(), rate, now.getAsLong()));
            watch(key);
        }
        return sender;
    }

    private void watch(LimitKey.OfGroup key) {
        if (isFull(key)) {
            full.add(key);
        }
        if (isSpent(key.rate())) {
            remember(key.rate());
        }
    }

    private void remember(LimitKey.OfGroupRate key) {
        spent.add(key);
        nextRoomMillis = Math.min(nextRoomMillis, nextStartMillis(key));
    }

    /// An entry of this queue finished.
    void finished(DestinationQueue queue) {
        if (queue.running() == 0) {
            membership(queue).groups().forEach(key -> stopped(queue, key));
        }
    }

    private void stopped(DestinationQueue queue, LimitKey.OfGroup key) {
        Group group = groups.get(key);
        if (group != null) {
            group.running.remove(queue);
        }
    }

    /// A delivery of a sender domain finished.
    void finished(LimitKey.OfGroup sender) {
        Group group = group(sender);
        group.deliveries--;
        if (group.isIdle()) {
            leases.drop(sender);
        }
    }

    /// A delivery to this queue was refused. It is asked about again when the limit has room.
    void refused(DestinationQueue queue) {
        serverRefuses |= isServerFull();
        membership(queue).groups().forEach(this::watch);
    }

    /// This limit refused a delivery: it is remembered, and the shard asks for its lanes.
    void refused(LimitKey key, int waiting) {
        switch (key) {
            case LimitKey.OfGroup group -> full.add(group);
            case LimitKey.OfGroupRate rate -> remember(rate);
            default -> throw new IllegalStateException("not the limit of a group: " + key);
        }
        lack(key).ifPresent(lack -> leases.need(key, lack.limit(), Math.max(1, waiting)));
    }

    /// True when a limit that refused has room again, once per refusal.
    public boolean hasNewRoom() {
        boolean room = serverRefuses && !isServerFull();
        serverRefuses &= !room;
        full.removeIf(this::isForgotten);
        room |= full.removeIf(key -> !isFull(key));
        return hasNewStart() || room;
    }

    private boolean hasNewStart() {
        if (nextRoomMillis > now.getAsLong()) {
            return false;
        }
        spent.removeIf(key -> isForgotten(key.group()));
        boolean room = spent.removeIf(key -> !isSpent(key));
        nextRoomMillis = spent.stream().mapToLong(this::nextStartMillis).min().orElse(Long.MAX_VALUE);
        return room;
    }

    /// The time at which a rate that is used up permits the next start.
    long nextMillis() {
        return spent.isEmpty() ? Long.MAX_VALUE : nextRoomMillis;
    }

    // A refused destination stays closed, also for mail to come; a refused message is gone.
    private boolean isForgotten(LimitKey.OfGroup key) {
        Group group = groups.get(key);
        return key.kind() == GroupKind.SENDER && (group == null || group.waiting.entries() == 0);
    }

    // ---- words and figures

    /// The group in a sentence.
    public static String name(LimitKey.OfGroup key) {
        return switch (key.kind()) {
            case RING -> "the ring " + key.name();
            case PROVIDER -> "the provider " + key.name();
            case SENDER -> "the sender domain " + key.name().substring(0, key.name().lastIndexOf('/'))
                    + " at the provider " + subject(key);
        };
    }

    /// The name that an operator would write: of a ring or a provider.
    public static String subject(LimitKey.OfGroup key) {
        return key.kind() == GroupKind.SENDER ? ProviderRules.providerOf(key.name()) : key.name();
    }

    /// The sentence about the limit of a group.
    public String words(LimitKey.OfGroup key) {
        String things = key.kind() == GroupKind.SENDER ? " deliveries of " : " connections of ";
        return table.lanes(key).map(limit -> used(key) + " of " + limit + things + name(key) + " are at work")
                .orElseGet(() -> "no limit of " + name(key));
    }

    public String wordsOfServer() {
        return limitOfServer == 0
                ? "no limit"
                : busyOfServer.getAsInt() + " of " + limitOfServer + " connections of the server are at work";
    }

    public ProviderTable providerTable() {
        return providers;
    }

    public int size() {
        return groups.size();
    }

    /// The figures of all known providers, and of the mail to no known one, in order of name.
    public List<ProviderFigures> providerFigures() {
        SortedMap<String, ProviderFigures> all = new TreeMap<>();
        ProviderRules rules = table.providers();
        providers.providers().forEach(each -> all.put(each.name(), new ProviderFigures(each.name(), each.hosts(),
                each.networks().stream().map(Network::toString).toList(), rules.settings(each.name()), 0, 0, 0,
                rates.count(LimitKey.provider(each.name()).rate(), now.getAsLong()))));
        all.put(ProviderTable.OTHER, ProviderFigures.other());
        memberships.forEach((queue, membership) -> all.computeIfPresent(
                membership.provider().orElse(ProviderTable.OTHER),
                (_, sum) -> sum.plus(1, queue.waiting(), charge.applyAsInt(queue), 0)));
        return List.copyOf(all.values());
    }

    /// The groups with mail.
    public List<GroupFigures> figures() {
        Map<LimitKey.OfGroup, Integer> destinations = new LinkedHashMap<>();
        memberships.values().forEach(each -> each.groups().forEach(key -> destinations.merge(key, 1, Integer::sum)));
        return groups.values().stream().filter(group -> !group.isIdle() || destinations.containsKey(group.key))
                .map(group -> new GroupFigures(group.key, destinations.getOrDefault(group.key, 0),
                        group.waiting.entries(), used(group.key), table.lanes(group.key), table.rate(group.key.rate()),
                        rates.count(group.key.rate(), now.getAsLong())))
                .toList();
    }
}
