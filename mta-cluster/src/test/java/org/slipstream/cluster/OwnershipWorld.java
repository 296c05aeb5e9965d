package org.slipstream.cluster;

import org.slipstream.cluster.ClusterLook.ClusterNode;
import org.slipstream.cluster.ClusterLook.ShardClaim;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/// Some nodes and their database in virtual time, with faults: a node stands still in the middle of anything,
/// is killed and starts again; requests or answers are lost, one way, for all or for one node; all are
/// late; the monotonic clocks of nodes run off by a tenth; the clock of the database jumps forward.
///
/// A node does nothing in one step: a question, its execution and its answer are events of their own, as are a
/// check and the write or the delivery after it. So a pause falls between any two of them.
final class OwnershipWorld {
    private static final long FAULTS_MILLIS = 70_000;
    private static final long CALM_MILLIS = 80_000;
    private static final long TIMEOUT_MILLIS = 3_000;
    private static final long LOOK_MILLIS = 100;

    private final SplittableRandom random;
    private final String name;
    private final boolean clockJumps;
    private final PriorityQueue<Event> events = new PriorityQueue<>(
            Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
    private long order;
    private long now;
    private long jumped;
    private boolean calm;

    private final TreeMap<Integer, Row> table = new TreeMap<>();
    private final Map<String, NodeRow> nodeTable = new HashMap<>();
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Node> writers = new HashMap<>();
    private final Map<Integer, Long> freeSince = new HashMap<>();
    int takeovers;
    int fenced;
    int delivered;

    private record Event(long at, long order, Runnable what) {}

    private static final class Row {
        long epoch;
        Optional<String> owner = Optional.empty();
        long leaseUntil = -1_000_000;
        Optional<String> moveTo = Optional.empty();
        long claimedAt;
    }

    private static final class NodeRow {
        long seen;
        long started;
    }

    /// A process. A restart makes another one with the same name.
    private final class Node {
        final String id;
        final double rate = 0.9 + random.nextDouble() * 0.2;
        final long origin = random.nextLong(1L << 40);
        long started = -1;
        final Ownership ownership;
        long pausedUntil;
        long deafUntil;
        long muteUntil;
        boolean dead;
        long healthySince;
        int round;

        Node(String id) {
            this.id = id;
            ownership = new Ownership(id);
        }

        void start() {
            started = order;
            healthySince = now;
            NodeRow row = nodeTable.computeIfAbsent(id, _ -> new NodeRow());
            row.seen = databaseTime();
            row.started = started;
            step();
        }

        long nanos() {
            return origin + (long) (now * 1_000_000.0 * rate);
        }

        /// Runs when this node goes on.
        void later(long delay, Runnable what) {
            at(now + delay, () -> {
                if (dead) {
                    return;
                }
                if (now < pausedUntil) {
                    later(pausedUntil - now, what);
                } else {
                    what.run();
                }
            });
        }

        void step() {
            OwnershipQuestion question = ownership.next(nanos());
            long sent = nanos();
            int mine = ++round;
            boolean lostThere = now < muteUntil;
            later(TIMEOUT_MILLIS, () -> {
                if (round == mine) {
                    ownership.unanswered();
                    round++;
                    later(OwnershipRules.RENEWAL.toMillis(), this::step);
                }
            });
            if (lostThere) {
                return;
            }
            at(now + delay(), () -> {
                OwnershipAnswer answer = execute(this, question);
                if (now < deafUntil) {
                    return;
                }
                later(delay(), () -> {
                    if (round == mine) {
                        round++;
                        ownership.answered(question, answer, sent).forEach(this::change);
                        later(ownership.hasMore() ? 0 : ownership.restMillis(nanos()), this::step);
                    }
                });
            });
        }

        void change(OwnershipChange change) {
            switch (change) {
                case OwnershipChange.Taken(int shard, long epoch) -> {
                    takeovers++;
                    later(random.nextLong(1_500), () -> work(shard, epoch));
                }
                case OwnershipChange.Lost(int shard, long _) ->
                    later(random.nextLong(2_000), () -> ownership.closed(shard));
                case OwnershipChange.Leaving(int shard, long _, String _) ->
                    later(random.nextLong(9_000), () -> ownership.closed(shard));
            }
        }

        void work(int shard, long epoch) {
            if (!ownership.shards().contains(shard)) {
                return;
            }
            if (ownership.mayStart(shard, epoch, nanos())) {
                requireNoSuccessor(shard, epoch, "starts");
                later(random.nextLong(3_000), () -> {
                    if (ownership.mayEnd(shard, epoch, nanos())) {
                        requireNoSuccessor(shard, epoch, "ends");
                        delivered++;
                    }
                });
            }
            // A group of the log goes out without a look at any clock.
            later(random.nextLong(100), () -> at(now + delay(), () -> write(this, shard, epoch)));
            later(200 + random.nextLong(600), () -> work(shard, epoch));
        }

        private void requireNoSuccessor(int shard, long epoch, String what) {
            if (!clockJumps) {
                require(table.get(shard).epoch == epoch, "node " + id + " " + what + " a delivery of shard " + shard
                        + " under epoch " + epoch + ", and the shard has epoch " + table.get(shard).epoch);
            }
        }

        boolean isWell() {
            return !dead && started >= 0 && now >= pausedUntil && now >= deafUntil && now >= muteUntil
                    && !ownership.isNameTaken();
        }
    }

    OwnershipWorld(long seed) {
        random = new SplittableRandom(seed);
        name = "world " + seed;
        clockJumps = random.nextInt(4) == 0;
    }

    private void at(long when, Runnable what) {
        events.add(new Event(when, order++, what));
    }

    private long delay() {
        return calm || random.nextInt(20) > 0 ? 1 + random.nextLong(50) : random.nextLong(1_500);
    }

    private long databaseTime() {
        return now + jumped;
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(name + " at " + now + " ms: " + what);
        }
    }

    // ---- the database

    private OwnershipAnswer execute(Node node, OwnershipQuestion question) {
        return switch (question) {
            case OwnershipQuestion.Renew(Map<Integer, Long> epochs) -> renew(node, epochs);
            case OwnershipQuestion.Claim(int shard) -> {
                Row row = table.get(shard);
                boolean free = row.owner.isEmpty() || row.leaseUntil < databaseTime();
                yield new OwnershipAnswer.Claimed(free ? OptionalLong.of(claim(node, row)) : OptionalLong.empty());
            }
            case OwnershipQuestion.Make(int shard) -> {
                boolean there = table.containsKey(shard);
                yield new OwnershipAnswer.Claimed(there
                        ? OptionalLong.empty()
                        : OptionalLong.of(claim(node, table.computeIfAbsent(shard, _ -> new Row()))));
            }
            case OwnershipQuestion.AskFor(int shard, String owner) -> {
                Row row = table.get(shard);
                if (row.owner.equals(Optional.of(owner)) && row.moveTo.isEmpty()) {
                    row.moveTo = Optional.of(node.id);
                }
                yield new OwnershipAnswer.Done();
            }
            case OwnershipQuestion.Release(int shard, long epoch) -> {
                Row row = table.get(shard);
                if (row.epoch == epoch) {
                    row.owner = Optional.empty();
                    row.leaseUntil = databaseTime();
                }
                yield new OwnershipAnswer.Done();
            }
        };
    }

    private long claim(Node node, Row row) {
        row.epoch++;
        row.owner = Optional.of(node.id);
        row.leaseUntil = databaseTime() + OwnershipRules.LEASE.toMillis();
        row.moveTo = row.moveTo.filter(to -> !to.equals(node.id));
        row.claimedAt = now;
        return row.epoch;
    }

    private OwnershipAnswer renew(Node node, Map<Integer, Long> epochs) {
        NodeRow self = nodeTable.get(node.id);
        boolean ours = self.started == node.started;
        Set<Integer> renewed = new HashSet<>();
        if (ours) {
            self.seen = databaseTime();
            epochs.forEach((shard, epoch) -> {
                Row row = table.get(shard);
                if (row.epoch == epoch && row.owner.equals(Optional.of(node.id))) {
                    row.leaseUntil = databaseTime() + OwnershipRules.LEASE.toMillis();
                    renewed.add(shard);
                }
            });
        }
        return new OwnershipAnswer.Renewed(renewed, ours, look());
    }

    private ClusterLook look() {
        List<ShardClaim> shards = new ArrayList<>();
        table.forEach((number, row) -> shards.add(new ShardClaim(number, row.epoch, row.owner,
                row.leaseUntil - databaseTime(), row.moveTo)));
        List<ClusterNode> all = new ArrayList<>();
        nodeTable.forEach((id, row) -> all.add(new ClusterNode(id, "", "1", databaseTime() - row.seen,
                0)));
        return new ClusterLook(shards, all);
    }

    private void write(Node node, int shard, long epoch) {
        if (table.get(shard).epoch == epoch) {
            Node writer = writers.computeIfAbsent(shard + "/" + epoch, _ -> node);
            require(writer == node, "two nodes write shard " + shard + " under epoch " + epoch);
            return;
        }
        fenced++;
        node.later(delay(), () -> node.ownership.fenced(shard, epoch).ifPresent(node::change));
    }

    // ---- faults

    private Node pick() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private void fault() {
        Node node = pick();
        long length = 3_000 + random.nextLong(27_000);
        switch (random.nextInt(9)) {
            case 0, 1 -> node.pausedUntil = Math.max(node.pausedUntil, now + length);
            case 2 -> node.deafUntil = now + length;
            case 3 -> node.muteUntil = now + length;
            case 4 -> nodes.forEach(each -> {
                each.muteUntil = now + length;
                each.deafUntil = now + length;
            });
            case 5, 6 -> {
                if (node.started >= 0) {
                    kill(node, random.nextInt(3) == 0 ? random.nextLong(2_500) : length);
                }
            }
            case 7 -> {
                if (clockJumps) {
                    jumped += random.nextLong(20_000);
                }
            }
            default -> order(pick().id);
        }
        at(now + random.nextLong(8_000), () -> {
            if (now < FAULTS_MILLIS) {
                fault();
            }
        });
    }

    private void kill(Node node, long back) {
        // A killed process, or one that stands still on a machine that is given up: another one gets its name.
        if (random.nextInt(3) > 0) {
            node.dead = true;
        } else {
            node.pausedUntil = now + back + random.nextLong(10_000);
        }
        nodes.remove(node);
        Node next = new Node(node.id);
        nodes.add(next);
        next.pausedUntil = now + back;
        next.later(0, next::start);
    }

    private void order(String to) {
        if (!table.isEmpty()) {
            int shard = List.copyOf(table.keySet()).get(random.nextInt(table.size()));
            Row row = table.get(shard);
            row.moveTo = Optional.of(to).filter(node -> !row.owner.equals(Optional.of(node)));
        }
    }

    // ---- the run

    /// Runs the world to its end, and checks it all the time.
    void run() {
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            Node node = new Node(String.valueOf((char) ('a' + i)));
            nodes.add(node);
            node.later(random.nextLong(3_000), node::start);
        }
        at(5_000 + random.nextLong(5_000), this::fault);
        at(LOOK_MILLIS, this::watch);
        at(FAULTS_MILLIS, this::endFaults);
        while (!events.isEmpty() && now < FAULTS_MILLIS + CALM_MILLIS) {
            Event next = events.poll();
            now = next.at();
            next.what().run();
        }
        requireGoodEnd();
    }

    private void endFaults() {
        calm = true;
        for (Node node : nodes) {
            node.deafUntil = 0;
            node.muteUntil = 0;
        }
    }

    /// A free shard is taken as soon as a node that is well has had the time for it.
    private void watch() {
        for (Node node : nodes) {
            if (!node.isWell()) {
                node.healthySince = now + LOOK_MILLIS;
            }
        }
        long limit = OwnershipRules.RENEWAL.toMillis() * (nodes.size() + 1) + TIMEOUT_MILLIS + 4_000;
        table.forEach((shard, row) -> {
            if (row.owner.isPresent() && row.leaseUntil >= databaseTime()) {
                freeSince.remove(shard);
                return;
            }
            long since = freeSince.computeIfAbsent(shard, _ -> now);
            for (Node node : nodes) {
                require(now - Math.max(since, node.healthySince) <= limit, "shard " + shard + " is free since " + since
                        + " and node " + node.id + " is well since " + node.healthySince);
            }
        });
        at(now + LOOK_MILLIS, this::watch);
    }

    private void requireGoodEnd() {
        Map<Integer, String> owners = new HashMap<>();
        for (Node node : nodes) {
            require(!node.ownership.isNameTaken(), "node " + node.id + " lost its name");
            require(!node.ownership.shards().isEmpty(), "node " + node.id + " has no shard");
            for (int shard : node.ownership.shards()) {
                String other = owners.put(shard, node.id);
                require(other == null, "shard " + shard + " has two owners: " + other + " and " + node.id);
                require(table.get(shard).owner.equals(Optional.of(node.id))
                        && table.get(shard).leaseUntil >= databaseTime(),
                        "node " + node.id
                                + " thinks that it owns shard " + shard);
            }
        }
        require(owners.keySet().equals(table.keySet()), "shards " + table.keySet() + ", owned " + owners);
        table.forEach((shard, row) -> require(row.moveTo.isEmpty(), "shard " + shard + " did not move to "
                + row.moveTo));
        for (int number = 1; number <= table.size(); number++) {
            require(table.containsKey(number), "no shard " + number);
        }
    }

    int shards() {
        return table.size();
    }
}
