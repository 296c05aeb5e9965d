package org.slipstream.cluster;

import org.slipstream.cluster.OwnershipRules.OwnershipDecision;
import org.slipstream.cluster.OwnershipRules.Standpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/// The claims of one node on shards. It has no thread and no clock: its driver asks [#next] for a question,
/// puts it to the database, and hands in the answer, or none. So the same class runs in the server and in
/// thousands of simulated worlds.
///
/// **Safety** has two halves. The log belongs to an epoch: each group of the log begins with a statement that
/// changes nothing when the shard has another epoch, so two nodes never write one log, however long a node
/// stood still. Deliveries cannot be fenced by a database. They stop by time: [#mayStart] and [#mayEnd]
/// compare the monotonic clock of this node with the moment before the last successful renewal was *sent*,
/// and the lease in the database begins later than that. So no delivery starts here after another node may
/// have claimed the shard. One that the machine stops between the question and the last octet ends when the
/// machine goes on; that copy cannot be prevented (RFC 1047).
///
/// **A database that does not answer** is no loss of a shard. The leases run out here, deliveries stop, and
/// when the database answers again with the same epoch, no other node has claimed the shard meanwhile, and
/// its work goes on.
///
/// [#mayStart] and [#mayEnd] may be called by any thread, all others by one at a time.
public final class Ownership {
    /// A shard that could not be opened here is left to the other nodes for this time.
    private static final long REFUSED_NANOS = TimeUnit.SECONDS.toNanos(60);
    /// The lease of a shard that leaves and is not closed by then is not renewed any more.
    private static final long LEAVING_NANOS = TimeUnit.SECONDS.toNanos(30);

    /// The database looked a moment after it was asked.
    private static final long BEHIND_LEASE_MILLIS = 20;
    private static final long LEAST_REST_MILLIS = 20;

    private final String node;
    private final Map<Integer, Held> held = new ConcurrentHashMap<>();
    private final Deque<OwnershipQuestion> questions = new ArrayDeque<>();
    /// Lost here, and still being closed.
    private final Set<Integer> closing = new HashSet<>();
    private final Map<Integer, Long> refused = new HashMap<>();
    /// The last shard was moved away by an order.
    private boolean emptied;
    private boolean stopping;
    private boolean nameTaken;
    private volatile Optional<Seen> seen = Optional.empty();

    /// @param renewedNanos before the renewal was sent
    /// @param leavingSince when it began to leave
    private record Held(long epoch, long renewedNanos, OptionalLong leavingSince) {}

    /// The last look at the cluster.
    ///
    /// @param nanos when the database was asked
    public record Seen(ClusterLook look, long nanos) {}

    public Ownership(String node) {
        this.node = node;
    }

    /// The next question to the database. A [OwnershipQuestion.Renew] is the last one of a round; the driver
    /// waits before it asks for the next.
    public synchronized OwnershipQuestion next(long nanos) {
        OwnershipQuestion question = questions.poll();
        if (question != null) {
            return question;
        }
        Map<Integer, Long> epochs = new HashMap<>();
        held.forEach((shard, each) -> {
            if (each.leavingSince().isEmpty() || nanos - each.leavingSince().getAsLong() < LEAVING_NANOS) {
                epochs.put(shard, each.epoch());
            }
        });
        return new OwnershipQuestion.Renew(epochs);
    }

    /// True when [#next] has a question that should not wait for the next renewal.
    public synchronized boolean hasMore() {
        return !questions.isEmpty();
    }

    /// The rest until the next round, after one that was answered: a renewal, or less when the lease of another node
    /// ends before. So a shard of a lost node is claimed when its lease is over, and not up to a second later.
    public synchronized long restMillis(long nanos) {
        if (seen.isEmpty()) {
            return OwnershipRules.RENEWAL.toMillis();
        }
        long since = TimeUnit.NANOSECONDS.toMillis(nanos - seen.get().nanos());
        long rest = OwnershipRules.RENEWAL.toMillis();
        if (!stopping && !nameTaken) {
            for (ClusterLook.ShardClaim each : seen.get().look().shards()) {
                if (each.holder().isPresent() && !held.containsKey(each.number())) {
                    rest = Math.min(rest, each.leaseMillis() + BEHIND_LEASE_MILLIS);
                }
            }
        }
        return Math.max(LEAST_REST_MILLIS, rest - since);
    }

    /// An answer of the database.
    ///
    /// @param sentNanos before the question was sent
    public synchronized List<OwnershipChange> answered(OwnershipQuestion question, OwnershipAnswer answer,
            long sentNanos) {
        return switch (question) {
            case OwnershipQuestion.Renew(Map<Integer, Long> epochs) when answer instanceof OwnershipAnswer.Renewed now ->
                renewed(epochs, now, sentNanos);
            case OwnershipQuestion.Claim(int shard) when answer instanceof OwnershipAnswer.Claimed now ->
                claimed(shard, now.epoch(), sentNanos);
            case OwnershipQuestion.Make(int shard) when answer instanceof OwnershipAnswer.Claimed now ->
                claimed(shard, now.epoch(), sentNanos);
            case OwnershipQuestion.AskFor _,OwnershipQuestion.Release _ -> List.of();
            default -> throw new IllegalArgumentException(question + " has no answer " + answer);
        };
    }

    /// The database did not answer. The statement may have been executed; the next look shows it. A shard that
    /// was not released is free when its lease ends.
    public synchronized void unanswered() {
        questions.removeIf(each -> !(each instanceof OwnershipQuestion.Release));
    }

    private List<OwnershipChange> renewed(Map<Integer, Long> asked, OwnershipAnswer.Renewed now, long sentNanos) {
        seen = Optional.of(new Seen(now.look(), sentNanos));
        List<OwnershipChange> changes = new ArrayList<>();
        asked.forEach((shard, epoch) -> {
            Held claim = held.get(shard);
            if (claim == null || claim.epoch() != epoch) {
                return;
            }
            if (now.nameIsOurs() && now.renewed().contains(shard)) {
                held.put(shard, new Held(epoch, sentNanos, claim.leavingSince()));
            } else {
                changes.add(lose(shard, epoch));
            }
        });
        nameTaken |= !now.nameIsOurs();
        if (stopping || nameTaken) {
            return changes;
        }
        refused.values().removeIf(since -> sentNanos - since >= REFUSED_NANOS);
        Set<Integer> barred = new HashSet<>(closing);
        barred.addAll(refused.keySet());
        OwnershipDecision decision = OwnershipRules.decide(now.look(),
                new Standpoint(node, Set.copyOf(held.keySet()), barred, !emptied));
        questions.addAll(decision.questions());
        decision.leaving().forEach((shard, to) -> {
            Held claim = held.get(shard);
            if (claim != null && claim.leavingSince().isEmpty()) {
                held.put(shard, new Held(claim.epoch(), claim.renewedNanos(), OptionalLong.of(sentNanos)));
                changes.add(new OwnershipChange.Leaving(shard, claim.epoch(), to));
            }
        });
        return changes;
    }

    private List<OwnershipChange> claimed(int shard, OptionalLong epoch, long sentNanos) {
        if (epoch.isEmpty()) {
            return List.of();
        }
        if (stopping || nameTaken) {
            questions.add(new OwnershipQuestion.Release(shard, epoch.getAsLong()));
            return List.of();
        }
        held.put(shard, new Held(epoch.getAsLong(), sentNanos, OptionalLong.empty()));
        emptied = false;
        return List.of(new OwnershipChange.Taken(shard, epoch.getAsLong()));
    }

    private OwnershipChange lose(int shard, long epoch) {
        held.remove(shard);
        closing.add(shard);
        return new OwnershipChange.Lost(shard, epoch);
    }

    /// The log said that the shard has another owner. Empty when that is known.
    public synchronized Optional<OwnershipChange> fenced(int shard, long epoch) {
        Held claim = held.get(shard);
        return claim == null || claim.epoch() != epoch ? Optional.empty() : Optional.of(lose(shard, epoch));
    }

    /// The spool of a shard that was lost, that leaves, or that could not be opened is closed.
    public synchronized void closed(int shard) {
        closing.remove(shard);
        Held claim = held.remove(shard);
        if (claim != null) {
            questions.add(new OwnershipQuestion.Release(shard, claim.epoch()));
            emptied = held.isEmpty() && claim.leavingSince().isPresent();
        }
    }

    /// The shard cannot be opened here.
    public synchronized void refused(int shard, long nanos) {
        refused.put(shard, nanos);
        closed(shard);
    }

    /// From here on no shard is claimed.
    public synchronized void stop() {
        stopping = true;
        questions.removeIf(each -> !(each instanceof OwnershipQuestion.Release));
    }

    /// True while this node holds the shard under this epoch and may begin a delivery from it.
    public boolean mayStart(int shard, long epoch, long nanos) {
        return renewedWithin(shard, epoch, nanos, OwnershipRules.START.toNanos());
    }

    /// True while this node may send the last octets of a delivery from the shard.
    public boolean mayEnd(int shard, long epoch, long nanos) {
        return renewedWithin(shard, epoch, nanos, OwnershipRules.END.toNanos());
    }

    private boolean renewedWithin(int shard, long epoch, long nanos, long limit) {
        Held claim = held.get(shard);
        return claim != null && claim.epoch() == epoch && nanos - claim.renewedNanos() < limit;
    }

    String node() {
        return node;
    }

    /// The shards of this node.
    public Set<Integer> shards() {
        return Set.copyOf(held.keySet());
    }

    /// Empty when the database has not answered yet.
    public Optional<Seen> seen() {
        return seen;
    }

    /// True when another server has the name of this one.
    public synchronized boolean isNameTaken() {
        return nameTaken;
    }
}
