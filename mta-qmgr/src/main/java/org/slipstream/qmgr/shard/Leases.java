package org.slipstream.qmgr.shard;

import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/// The lanes that a shard holds of each limit of the server. A shard never uses more of a limit than
/// it holds. With one shard ([#whole]) there are no accounts: each limit belongs to the shard as a
/// whole, until it shares them ([#share]).
///
/// **Asking.** A delivery that finds no lane asks for as many as wait ([#need]). One question per
/// limit is open at a time.
///
/// **Returning.** Lanes go back for three reasons: the broker recalled them; others wait and this
/// shard has no use for them at the end of a choice; or their destination or host left memory.
/// Lanes that a recall names go back before the next choice ([#settle]), so that the end of a
/// delivery does not start another. A lane that has just been granted is used once before it goes
/// back; otherwise shards that take turns would only exchange it.
///
/// **No standstill.** A delivery needs lanes of several limits. One lane of a limit stays here while
/// a question about a later limit is open, in the order of the gates ([Code]). Two shards therefore do not
/// wait for each other's lanes indefinitely, and at most one lane of a limit is idle for that.
public final class Leases {
    private boolean shared;
    private Map<String, Integer> transports;
    private final Map<LimitKey, Lease> leases = new LinkedHashMap<>();

    /// Limits with an open question.
    private final Set<LimitKey> open = new LinkedHashSet<>();

    /// Limits with a grant since the latest choice.
    private final Set<Code> granted = EnumSet.noneOf(Code.class);

    /// Limits with lanes that may have to go back.
    private final Set<LimitKey> due = new LinkedHashSet<>();
    private final List<QmgrOrder.LeaseOrder> orders = new ArrayList<>();

    /// Limits of which lanes were granted and found no use. Another question would have the same end.
    private final Set<LimitKey> declined = new LinkedHashSet<>();
    private boolean suppressed;

    private static final class Lease {
        /// As the broker knows it.
        int limit;
        int held;
        int asked;
        int recalled;

        /// Granted since the latest choice.
        int fresh;

        /// Other shards wait.
        boolean wanted;
    }

    /// The use of lanes.
    public interface LeaseUse {
        /// Lanes of this limit in use.
        int used(LimitKey key);

        /// Closes idle connections that use lanes of this limit.
        void closeIdle(LimitKey key, int connections);

        /// Lanes of this limit went back.
        void returned(LimitKey key);

        /// True when a delivery may need a lane of this limit.
        boolean isWaiting(LimitKey key);

        /// False when a lane that a question about a later limit needs is in use already, because a shard below
        /// keeps it.
        default boolean keepsOne() {
            return true;
        }
    }

    private Leases(boolean shared, Map<String, Integer> transports) {
        this.shared = shared;
        this.transports = transports;
    }

    /// One shard.
    public static Leases whole() {
        return new Leases(false, Collections.emptyNavigableMap());
    }

    /// One of several shards: it holds nothing at first.
    public static Leases shared() {
        return shared(Collections.emptyNavigableMap());
    }

    /// One of several shards.
    ///
    /// @param transports limits of this shard alone, by transport; 0 holds the transport's mail here
    /// (IM-21)
    public static Leases shared(Map<String, Integer> transports) {
        return new Leases(true, new LinkedHashMap<>(transports));
    }

    /// Other shards use the limits from now on. This one holds the lanes that are in use. When it shared them
    /// before, its other lanes and its questions are forgotten without a return.
    ///
    /// @param own limits of this shard alone, by transport
    /// @param limits of all keys that may be in use, as this shard knows them
    public void share(Map<String, Integer> own, Map<LimitKey, Integer> limits, LeaseUse use) {
        shared = true;
        transports = new LinkedHashMap<>(own);
        leases.clear();
        open.clear();
        granted.clear();
        due.clear();
        orders.clear();
        renew();
        List<QmgrOrder.LanesInUse> inUse = new ArrayList<>();
        limits.forEach((key, limit) -> {
            int used = use.used(key);
            if (used > 0) {
                Lease lease = new Lease();
                lease.limit = own(key, limit);
                lease.held = used;
                leases.put(key, lease);
                due.add(key);
                inUse.add(new QmgrOrder.LanesInUse(key, lease.limit, used));
            }
        });
        orders.add(new QmgrOrder.HoldLeases(inUse));
    }

    /// True when other shards use the same limits.
    public boolean areShared() {
        return shared;
    }

    // ---- limits

    /// The lanes that this shard may use.
    ///
    /// @param configured the limit of the server; `Integer.MAX_VALUE` for none
    public int limit(LimitKey key, int configured) {
        return shared && configured < Integer.MAX_VALUE ? Math.min(configured, held(key)) : configured;
    }

    /// True when the shard may use less than the whole limit.
    public boolean isShort(LimitKey key, int configured) {
        return limit(key, configured) < configured;
    }

    public int held(LimitKey key) {
        Lease lease = leases.get(key);
        return lease == null ? 0 : lease.held;
    }

    /// True when a question about this limit is open.
    public boolean isAsked(LimitKey key) {
        Lease lease = leases.get(key);
        return lease != null && lease.asked > 0;
    }

    /// The reason for which a delivery waits.
    public String words(LimitKey key, int configured) {
        int own = own(key, configured);
        if (own < configured && held(key) >= own) {
            return "this shard may use " + own + " of " + configured + " lanes, by its own limit";
        }
        String what = key.isRate() ? " starts per period" : " lanes";
        return "this shard holds " + held(key) + " of " + configured + what + ", and other shards use the rest";
    }

    private int own(LimitKey key, int configured) {
        return key instanceof LimitKey.OfTransport(String name)
                ? Math.min(configured, transports.getOrDefault(name, configured))
                : configured;
    }

    // ---- questions

    /// Deliveries wait for lanes.
    ///
    /// @param limit the limit as this shard knows it
    public void need(LimitKey key, int limit, int lanes) {
        if (!shared) {
            return;
        }
        if (declined.contains(key)) {
            suppressed = true;
            return;
        }
        int own = own(key, limit);
        Lease known = leases.get(key);
        int room = own - (known == null ? 0 : known.held - known.recalled);
        if (lanes <= 0 || room <= 0 || known != null && known.asked > 0 && known.limit >= own) {
            return;
        }
        Lease lease = leases.computeIfAbsent(key, _ -> new Lease());
        lease.limit = own;
        asked(key, lease, Math.min(lanes, room));
        orders.add(new QmgrOrder.AskLease(key, own, lease.asked));
    }

    /// True when a question was left out, because lanes of the same limit have just found no use:
    /// shards that are asked by each other would send messages without end.
    public boolean isSuppressed() {
        return suppressed;
    }

    /// Something has happened outside the shards: such lanes may find a use now.
    public void renew() {
        declined.clear();
        suppressed = false;
    }

    private void asked(LimitKey key, Lease lease, int lanes) {
        lease.asked = lanes;
        if (lanes > 0) {
            open.add(key);
        } else {
            open.remove(key);
        }
    }

    /// The limit has changed. A smaller one is told at once, because the broker divides the largest.
    public void limitIs(LimitKey key, int limit) {
        Lease lease = leases.get(key);
        if (lease == null || lease.limit == limit) {
            return;
        }
        if (limit < lease.limit) {
            asked(key, lease, Math.clamp(lease.asked, 0, Math.max(0, limit - lease.held + lease.recalled)));
            lease.limit = limit;
            orders.add(new QmgrOrder.AskLease(key, limit, lease.asked));
            due.add(key);
        } else if (lease.asked > 0) {
            need(key, limit, lease.asked + limit - lease.limit);
        }
    }

    /// Other settings.
    ///
    /// @param limits of each key; empty: there is none any more
    public void change(Function<LimitKey, Optional<Integer>> limits) {
        for (LimitKey key : List.copyOf(leases.keySet())) {
            Optional<Integer> limit = limits.apply(key);
            if (limit.isEmpty()) {
                drop(key);
            } else if (limit.get() < Objects.requireNonNull(leases.get(key)).limit) {
                limitIs(key, own(key, limit.get()));
            }
        }
        renew();
    }

    /// The subject of this limit left memory: its lanes go back, and its question ends.
    public void drop(LimitKey key) {
        Lease lease = leases.remove(key);
        due.remove(key);
        if (lease == null) {
            return;
        }
        if (lease.held > 0) {
            orders.add(new QmgrOrder.ReturnLease(key, lease.held));
        }
        if (lease.asked > 0) {
            asked(key, lease, 0);
            orders.add(new QmgrOrder.AskLease(key, 0, 0));
        }
    }

    // ---- events

    public void happened(QmgrEvent.LeaseEvent event) {
        switch (event) {
            case QmgrEvent.LeaseGranted(LimitKey key, int lanes) -> granted(key, lanes);
            case QmgrEvent.LeaseRecalled(LimitKey key, int lanes) -> recalled(key, lanes);
        }
    }

    /// True when lanes of some limit are awaited, here or by others.
    boolean isShortage() {
        return !open.isEmpty() || leases.values().stream().anyMatch(lease -> lease.wanted && lease.held > 0);
    }

    /// True when others wait for lanes of this limit.
    boolean isWanted(LimitKey key) {
        Lease lease = leases.get(key);
        return lease != null && lease.wanted;
    }

    private void granted(LimitKey key, int lanes) {
        Lease lease = leases.get(key);
        if (lease == null) {
            // The subject left memory while the grant was on its way.
            orders.add(new QmgrOrder.ReturnLease(key, lanes));
            return;
        }
        asked(key, lease, Math.max(0, lease.asked - lanes));
        lease.held += lanes;
        lease.fresh += lanes;
        granted.add(key.gate());
        lease.wanted = false;
        due.add(key);
    }

    private void recalled(LimitKey key, int lanes) {
        Lease lease = leases.get(key);
        if (lease != null) {
            lease.recalled = Math.min(lease.recalled + lanes, lease.held);
            lease.wanted = true;
            due.add(key);
        }
    }

    /// Lanes of this limit may be free now, and those of a host without connections go back.
    public void freed(LimitKey key) {
        if (shared && leases.containsKey(key)) {
            due.add(key);
        }
    }

    // ---- returns

    /// Returns the lanes that are free and due.
    ///
    /// @param chosen every delivery that can start has started, so a free lane is of no use here
    public void settle(LeaseUse use, boolean chosen) {
        if (chosen) {
            granted.clear();
        }
        if (chosen) {
            withdraw(use);
        }
        for (LimitKey key : due.isEmpty() ? List.<LimitKey>of() : List.copyOf(due)) {
            Lease lease = leases.get(key);
            if (lease == null) {
                due.remove(key);
                continue;
            }
            if (chosen) {
                lease.fresh = 0;
            }
            giveBack(key, lease, use, chosen);
            boolean forgotten = lease.held == 0 && lease.asked == 0;
            if (forgotten) {
                leases.remove(key);
            }
            if (lease.held == 0 || chosen && lease.recalled == 0 && !lease.wanted && lease.held <= lease.limit) {
                due.remove(key);
            }
        }
    }

    // Questions that no delivery has any longer. Their lanes would lie idle here.
    private void withdraw(LeaseUse use) {
        for (LimitKey key : open.isEmpty() ? List.<LimitKey>of() : List.copyOf(open)) {
            if (!use.isWaiting(key)) {
                Lease lease = Objects.requireNonNull(leases.get(key));
                asked(key, lease, 0);
                orders.add(new QmgrOrder.AskLease(key, lease.limit, 0));
                due.add(key);
            }
        }
    }

    private void giveBack(LimitKey key, Lease lease, LeaseUse use, boolean chosen) {
        boolean all = chosen && (lease.wanted || key.gate() == Code.HOST_LIMIT && use.used(key) == 0);
        int returning = all ? lease.held : Math.max(lease.recalled, lease.held - lease.limit);
        if (returning == 0) {
            return;
        }
        int kept = lease.fresh + (use.keepsOne() && isLaterOneAwaited(key.gate(), use) ? 1 : 0);
        int missing = returning - (lease.held - kept - use.used(key));
        if (missing > 0) {
            use.closeIdle(key, missing);
        }
        int lanes = Math.min(returning, lease.held - kept - use.used(key));
        if (lanes > 0) {
            lease.held -= lanes;
            lease.recalled = Math.max(0, lease.recalled - lanes);
            orders.add(new QmgrOrder.ReturnLease(key, lanes));
            if (chosen) {
                declined.add(key);
            }
            use.returned(key);
        }
    }

    // A later limit of which a lane is free does not hold a delivery up.
    private boolean isLaterOneAwaited(Code gate, LeaseUse use) {
        for (Code other : granted) {
            if (other.compareTo(gate) > 0) {
                return true;
            }
        }
        for (LimitKey key : open) {
            if (key.gate().compareTo(gate) > 0 && use.used(key) >= held(key)) {
                return true;
            }
        }
        return false;
    }

    /// The rates of which tokens are due that are still in use.
    public List<LimitKey> ratesDue() {
        return due.isEmpty() ? List.of() : due.stream().filter(LimitKey::isRate).toList();
    }

    /// Hands out the orders since the previous call.
    public void drain(Consumer<QmgrOrder> sink) {
        if (!orders.isEmpty()) {
            List<QmgrOrder.LeaseOrder> now = List.copyOf(orders);
            orders.clear();
            now.forEach(sink);
        }
    }

    /// The lanes that the shard holds, for operators and tests.
    ///
    /// @param recalled of those that it holds
    public record HeldLanes(int held, int asked, int recalled) {}

    public Map<LimitKey, HeldLanes> all() {
        Map<LimitKey, HeldLanes> all = new LinkedHashMap<>();
        leases.forEach((key, lease) -> all.put(key, new HeldLanes(lease.held, lease.asked, lease.recalled)));
        return all;
    }

    /// Empty when the shard holds none.
    public Optional<HeldLanes> find(LimitKey key) {
        return Optional.ofNullable(all().get(key));
    }
}
