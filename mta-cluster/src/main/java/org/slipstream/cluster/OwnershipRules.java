package org.slipstream.cluster;

import org.slipstream.cluster.ClusterLook.ClusterNode;
import org.slipstream.cluster.ClusterLook.ShardClaim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/// Which node takes which shard. A pure function of one look at the database, the same on every node, so
/// that the nodes agree without a message to each other.
///
/// **A shard without an owner** goes to the node with the fewest shards, among equals to the first by name;
/// to the node that an order names, if it is alive. The next node in this order waits one renewal longer, the
/// one after it two. So a preferred node that has stopped a moment ago delays the shard by a second, and two
/// nodes rarely ask for one shard at once. When they do, one statement of the database lets one of them have
/// it.
///
/// **A node without a shard** takes no mail, so it gets one. When another node has two or more, it asks for
/// one of them; otherwise it makes a new one. So a cluster has as many shards as it ever had nodes at once,
/// and a node that comes back after a takeover does not add one. After an operator has moved the last shard
/// of a node elsewhere, the node makes a new one and does not ask the old one back. A node that was killed and
/// starts again waits for the end of its own lease.
///
/// **Times.** A lease ends 5 s after its last renewal by the clock of the database. A node renews each
/// second, so three renewals may fail. It starts no delivery when its last successful renewal was sent more
/// than 3.3 s ago, and ends none after 4.1 s, by its own monotonic clock. That clock may run slower than the
/// database's by a fifth before a delivery of the old owner could meet one of the new. No wall clock of a
/// node has a part in any of this.
final class OwnershipRules {
    static final Duration LEASE = Duration.ofSeconds(5);
    static final Duration RENEWAL = Duration.ofSeconds(1);
    /// No delivery starts later than this after the last renewal was sent.
    static final Duration START = Duration.ofMillis(3_300);
    /// No delivery ends later than this after the last renewal was sent.
    static final Duration END = Duration.ofMillis(4_100);
    /// The queue ids have six bits for the number of the shard.
    static final int LAST_NUMBER = 64;

    private OwnershipRules() {}

    /// A node and what it knows of itself.
    ///
    /// @param held the shards that it owns
    /// @param barred the shards that it does not claim now: one that it could not open, or still closes
    /// @param asks whether it asks a node with several shards for one
    record Standpoint(String node, Set<Integer> held, Set<Integer> barred, boolean asks) {}

    /// @param questions in this order
    /// @param leaving the shards that go to another node, by number
    record OwnershipDecision(List<OwnershipQuestion> questions, Map<Integer, String> leaving) {}

    static OwnershipDecision decide(ClusterLook look, Standpoint self) {
        Map<String, Integer> counts = counts(look, self);
        List<OwnershipQuestion> questions = new ArrayList<>(claims(look, self, counts));
        if (questions.isEmpty() && self.held().isEmpty()) {
            first(look, self, counts).ifPresent(questions::add);
        }
        return new OwnershipDecision(questions, leaving(look, self, counts.keySet()));
    }

    /// The shards of each node that is alive.
    private static Map<String, Integer> counts(ClusterLook look, Standpoint self) {
        Map<String, Integer> counts = new HashMap<>();
        look.nodes().stream().filter(ClusterNode::isAlive)
                .forEach(each -> counts.put(each.name(), look.heldBy(each.name()).size()));
        counts.put(self.node(), self.held().size());
        return counts;
    }

    private static Map<Integer, String> leaving(ClusterLook look, Standpoint self, Set<String> alive) {
        Map<Integer, String> leaving = new HashMap<>();
        for (ShardClaim shard : look.shards()) {
            shard.moveTo().filter(to -> self.held().contains(shard.number()) && !to.equals(self.node())
                    && alive.contains(to)).ifPresent(to -> leaving.put(shard.number(), to));
        }
        return leaving;
    }

    /// @param counts gets the shards that other nodes are about to take
    private static List<OwnershipQuestion> claims(ClusterLook look, Standpoint self, Map<String, Integer> counts) {
        List<OwnershipQuestion> claims = new ArrayList<>();
        for (ShardClaim shard : look.shards()) {
            if (self.held().contains(shard.number()) || !shard.isFree()) {
                continue;
            }
            List<String> order = order(shard, counts);
            boolean mayTake = -shard.leaseMillis() >= order.indexOf(self.node()) * RENEWAL.toMillis();
            if (mayTake && !self.barred().contains(shard.number())) {
                claims.add(new OwnershipQuestion.Claim(shard.number()));
            }
            counts.merge(order.getFirst(), 1, Integer::sum);
        }
        return claims;
    }

    private static List<String> order(ShardClaim shard, Map<String, Integer> counts) {
        return counts.keySet().stream()
                .sorted(Comparator.comparing((String node) -> !shard.moveTo().equals(Optional.of(node)))
                        .thenComparing(counts::get).thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /// A shard for a node that has none.
    private static Optional<OwnershipQuestion> first(ClusterLook look, Standpoint self, Map<String, Integer> counts) {
        // A claim of which the answer was lost, or of the process that had this name before. That one may have been
        // stopped and not ended, on another machine, so its lease counts like any other.
        if (!look.heldBy(self.node()).isEmpty()) {
            return Optional.empty();
        }
        if (self.asks()) {
            if (look.shards().stream().anyMatch(each -> each.moveTo().equals(Optional.of(self.node())))) {
                return Optional.empty();
            }
            Optional<ShardClaim> spare = look.shards().stream()
                    .filter(each -> each.moveTo().isEmpty()
                            && each.holder().filter(node -> counts.getOrDefault(node, 0) > 1).isPresent())
                    .max(Comparator.comparing((ShardClaim each) -> counts.get(each.holder().orElseThrow()))
                            .thenComparing(ShardClaim::number));
            if (spare.isPresent()) {
                return Optional.of(new OwnershipQuestion.AskFor(spare.get().number(),
                        spare.get().holder().orElseThrow()));
            }
        }
        Set<Integer> used = new HashSet<>();
        look.shards().forEach(each -> used.add(each.number()));
        return IntStream.rangeClosed(1, LAST_NUMBER).filter(number -> !used.contains(number)).boxed().findFirst()
                .map(OwnershipQuestion.Make::new);
    }
}
