package org.slipstream.qmgr.shard;

import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/// Divides the limits of the server among its shards: the accounts of lanes. The lanes of a limit
/// that all shards hold are never more than the limit.
///
/// **The problem.** Each shard decides alone which deliveries start, and a limit holds for all of
/// them. To ask for every start would make one queue of many shards; equal parts would leave a busy
/// shard slow beside idle ones.
///
/// **Token accounts.** A shard uses what it holds. It asks for lanes that are missing, and the lanes
/// are its own until it returns them. So messages may cross: a lane is with one shard, with the
/// broker, or on its way, and never twice.
///
/// **Max-min shares.** Free lanes go to the shard that waits with the fewest. When none is free,
/// lanes above the fair share are recalled from the shard with the most, one at a time in the
/// calculation. A difference of one lane is fair, so that lanes do not wander; but a shard without
/// any gets one from a shard that has had its turn. With fewer lanes than shards that ask, the lanes
/// therefore go round.
///
/// **Idle lanes.** The broker does not know which lanes are in use. While a shard waits, all holders
/// know it ([QmgrEvent.LeaseRecalled]) and return what they do not need.
///
/// The limit of a destination is the largest window that one of its holders has learned. When it
/// shrinks, the surplus is recalled.
///
/// **Several nodes.** The broker of one node divides what the broker of the cluster lent to it: a
/// [LaneBudget]. The same class is at both levels, since a node is to the cluster what a shard is to a
/// server.
///
/// Source: Bertsekas and Gallager, *Data Networks*, section 6.5.2 (max-min fairness). Pure, and used
/// by one thread at a time. An order costs O(lanes that change hands · shards).
public final class LeaseBroker {
    private final Map<LimitKey, Map<Integer, Share>> accounts = new LinkedHashMap<>();
    private final LaneBudget budget;
    private long sequence;

    /// The lanes that a broker may divide.
    public interface LaneBudget {
        /// A server alone.
        LaneBudget WHOLE = (_, limit, _) -> limit;

        /// @param limit that the shards know
        /// @param held by them now; more than the budget is recalled
        int lanes(LimitKey key, int limit, int held);

        /// True when another node waits for lanes of this limit.
        default boolean isWanted(LimitKey key) {
            return false;
        }
    }

    public LeaseBroker() {
        this(LaneBudget.WHOLE);
    }

    public LeaseBroker(LaneBudget budget) {
        this.budget = budget;
    }

    /// A message to a shard. Messages to one shard arrive in their order.
    public record LeaseMessage(int shard, QmgrEvent.LeaseEvent event) {}

    /// The account of one shard at one limit, for operators.
    ///
    /// @param limit as the shard knows it
    /// @param recalled of those that it holds
    public record LeaseAccount(LimitKey key, int shard, int limit, int held, int demand, int recalled) {}

    private static final class Share {
        final int shard;
        int limit;
        int held;
        int demand;
        int recalled;

        /// The holder knows that another shard waits.
        boolean told;
        long askedAt;
        long grantedAt;

        // Within one division: lanes that it gets when they are returned, and those recalled now.
        int promised;
        int called;

        Share(int shard) {
            this.shard = shard;
        }

        /// The lanes that it keeps.
        int kept() {
            return held - recalled;
        }
    }

    /// A shard starts: it holds nothing, whatever a shard of this number held before.
    public List<LeaseMessage> join(int shard) {
        return gone(shard);
    }

    /// An order of a shard.
    public List<LeaseMessage> handle(int shard, QmgrOrder.LeaseOrder order) {
        return switch (order) {
            case QmgrOrder.HoldLeases(List<QmgrOrder.LanesInUse> inUse) -> hold(shard, inUse);
            case QmgrOrder.AskLease ask -> ask(shard, ask);
            case QmgrOrder.ReturnLease back -> returned(shard, back);
        };
    }

    /// A shard that had all lanes uses these, and shares the limits from now on.
    private List<LeaseMessage> hold(int shard, List<QmgrOrder.LanesInUse> inUse) {
        return replace(shard, shard, inUse);
    }

    /// A member goes on under another number, with these lanes and no others. Its former lanes are not
    /// divided in between.
    List<LeaseMessage> replace(int former, int shard, List<QmgrOrder.LanesInUse> inUse) {
        Set<LimitKey> touched = new LinkedHashSet<>();
        accounts.forEach((key, shares) -> {
            if (shares.remove(former) != null) {
                touched.add(key);
            }
        });
        for (QmgrOrder.LanesInUse lanes : inUse) {
            Share share = share(shard, lanes.key());
            share.limit = lanes.limit();
            share.held = Math.max(0, lanes.lanes());
            touched.add(lanes.key());
        }
        return settle(touched);
    }

    /// The budget has changed.
    List<LeaseMessage> settleAll() {
        return settle(accounts.keySet());
    }

    private List<LeaseMessage> settle(Collection<LimitKey> keys) {
        List<LeaseMessage> messages = new ArrayList<>();
        List.copyOf(keys).forEach(key -> messages.addAll(settle(key)));
        return messages;
    }

    private Share share(int shard, LimitKey key) {
        return accounts.computeIfAbsent(key, _ -> new TreeMap<>()).computeIfAbsent(shard, Share::new);
    }

    /// A shard asks for lanes, or tells a smaller limit.
    public List<LeaseMessage> ask(int shard, QmgrOrder.AskLease ask) {
        Share share = share(shard, ask.key());
        share.limit = ask.limit();
        int demand = Math.clamp(ask.lanes(), 0, Math.max(0, share.limit));
        if (share.demand == 0 && demand > 0) {
            share.askedAt = ++sequence;
        }
        share.demand = demand;
        return settle(ask.key());
    }

    /// A shard returns lanes. More than it holds are not counted: they belonged to its predecessor.
    public List<LeaseMessage> returned(int shard, QmgrOrder.ReturnLease back) {
        Share share = accounts.getOrDefault(back.key(), new TreeMap<>()).get(shard);
        if (share == null) {
            return List.of();
        }
        int lanes = Math.clamp(back.lanes(), 0, share.held);
        share.held -= lanes;
        share.recalled = Math.max(0, share.recalled - lanes);
        return settle(back.key());
    }

    /// A shard ended: its lanes are free.
    public List<LeaseMessage> gone(int shard) {
        List<LeaseMessage> messages = new ArrayList<>();
        for (LimitKey key : List.copyOf(accounts.keySet())) {
            if (Objects.requireNonNull(accounts.get(key)).remove(shard) != null) {
                messages.addAll(settle(key));
            }
        }
        return messages;
    }

    /// All accounts.
    public List<LeaseAccount> accounts() {
        List<LeaseAccount> all = new ArrayList<>();
        accounts.forEach((key, shares) -> shares.values().forEach(share -> all.add(new LeaseAccount(key, share.shard,
                share.limit, share.held, share.demand, share.recalled))));
        return all;
    }

    /// The limits with an account.
    Set<LimitKey> keys() {
        return Collections.unmodifiableSet(accounts.keySet());
    }

    private Map<Integer, Share> shares(LimitKey key) {
        return accounts.getOrDefault(key, Collections.emptyMap());
    }

    /// The largest limit that a shard knows; 0 without an account.
    int limit(LimitKey key) {
        return shares(key).values().stream().mapToInt(share -> share.limit).max().orElse(0);
    }

    /// The lanes that all shards hold.
    int held(LimitKey key) {
        return shares(key).values().stream().mapToInt(share -> share.held).sum();
    }

    /// The lanes that shards wait for.
    int demand(LimitKey key) {
        return shares(key).values().stream().mapToInt(share -> share.demand).sum();
    }

    // ---- division

    List<LeaseMessage> settle(LimitKey key) {
        Collection<Share> shares = shares(key).values();
        shares.removeIf(share -> share.held == 0 && share.demand == 0);
        if (shares.isEmpty()) {
            accounts.remove(key);
            return List.of();
        }
        List<LeaseMessage> messages = new ArrayList<>();
        shares.forEach(share -> share.promised = 0);
        int held = held(key);
        int limit = limit(key);
        int free = Math.min(limit, budget.lanes(key, limit, held)) - held;
        grant(key, shares, free, messages);
        recall(key, shares, Math.max(0, -free), messages);
        return messages;
    }

    private void grant(LimitKey key, Collection<Share> shares, int free, List<LeaseMessage> messages) {
        Map<Share, Integer> granted = new LinkedHashMap<>();
        int left = free;
        for (var next = poorest(shares); left > 0 && next.isPresent(); next = poorest(shares)) {
            Share poorest = next.get();
            boolean alone = shares.stream().noneMatch(share -> share != poorest && share.demand > 0);
            int lanes = alone ? Math.min(left, poorest.demand) : 1;
            poorest.held += lanes;
            poorest.demand -= lanes;
            left -= lanes;
            granted.merge(poorest, lanes, Integer::sum);
        }
        granted.forEach((share, lanes) -> {
            share.told = false;
            share.grantedAt = ++sequence;
            messages.add(new LeaseMessage(share.shard, new QmgrEvent.LeaseGranted(key, lanes)));
        });
    }

    /// @param surplus lanes that are held above the limit, because it has shrunk
    private void recall(LimitKey key, Collection<Share> shares, int surplus, List<LeaseMessage> messages) {
        int returning = 0;
        for (Share share : shares) {
            share.promised = 0;
            share.called = 0;
            returning += share.recalled;
        }
        for (; returning < surplus; returning++) {
            call(richest(shares));
        }
        // The lanes that come back anyway are promised first.
        for (var next = poorest(shares); returning > surplus && next.isPresent(); next = poorest(shares)) {
            next.get().promised++;
            returning--;
        }
        for (var next = poorest(shares); next.isPresent() && isFair(richest(shares), next.get()); next = poorest(
                shares)) {
            call(richest(shares));
            next.get().promised++;
        }
        for (Share share : shares) {
            boolean news = share.held > 0 && !share.told && (othersWait(shares, share) || budget.isWanted(key));
            if (share.called > 0 || news) {
                share.told = true;
                messages.add(new LeaseMessage(share.shard, new QmgrEvent.LeaseRecalled(key, share.called)));
            }
        }
    }

    private static void call(Share share) {
        share.recalled++;
        share.called++;
    }

    /// True when a lane of the richer one makes the shares more equal, or is the first of the poorer
    /// one.
    private static boolean isFair(Share rich, Share poor) {
        int has = poor.kept() + poor.promised;
        return rich != poor && rich.kept() > 0 && (has == 0 || rich.kept() - has >= 2);
    }

    private static boolean othersWait(Collection<Share> shares, Share holder) {
        return shares.stream().anyMatch(share -> share != holder && share.demand > 0);
    }

    /// The one with the fewest lanes of those that wait; of equals the one that waits longest.
    private static Optional<Share> poorest(Collection<Share> shares) {
        Share poorest = null;
        for (Share share : shares) {
            if (share.demand > share.promised && (poorest == null || has(share) < has(poorest)
                    || has(share) == has(poorest) && share.askedAt < poorest.askedAt)) {
                poorest = share;
            }
        }
        return Optional.ofNullable(poorest);
    }

    private static int has(Share share) {
        return share.kept() + share.promised;
    }

    /// The one that keeps most; of equals the one with the oldest grant.
    private static Share richest(Collection<Share> shares) {
        return Collections.max(shares, Comparator.comparingInt(Share::kept)
                .thenComparing(Comparator.comparingLong((Share share) -> share.grantedAt).reversed()));
    }
}
