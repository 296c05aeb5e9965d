package org.slipstream.qmgr.shard;

import org.slipstream.core.HostKey;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.shard.NodeReport.BrokerReply;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;

/// Nodes of a cluster with shards, in virtual time: a network that loses, doubles, delays and reorders
/// messages, nodes that die, freeze and start again, clocks of different speed, and a database that gives the
/// office of the broker to one node at a time. The world outside counts the lanes in use.
final class GrantWorld {
    private static final long TICK_MILLIS = 1_000;
    private static final long URGENT_MILLIS = 50;
    private static final long LOOK_MILLIS = 500;
    private static final long OFFICE_MILLIS = 3_000;
    /// At its end the holder answers no node.
    private static final long SILENT_MILLIS = 500;

    final Random random;
    final int limit;
    final List<LimitKey> keys;
    final List<Node> nodes = new ArrayList<>();
    double loss;
    double doubled;
    long delayMillis = 2;
    long longestDeliveryMillis = 400;
    long now;
    long events;
    /// The most lanes of a limit that were in use together.
    int most;

    private final PriorityQueue<Due> due = new PriorityQueue<>(
            Comparator.comparingLong(Due::atMillis).thenComparingLong(Due::number));
    private long numbers;

    /// The row of the database.
    private long epoch;
    private int office = -1;
    /// Nodes use their parts of the limits while the database is gone.
    boolean keepsHere;
    private long officeUntil = Long.MIN_VALUE;

    private record Due(long atMillis, long number, Runnable what) {}

    GrantWorld(Random random, int limit, int limits, int count) {
        this.random = random;
        this.limit = limit;
        this.keys = List.of(LimitKey.transport("smtp"), LimitKey.destination("smtp/far.example"),
                LimitKey.host("smtp", HostKey.of("mx.far.example", 25))).subList(0, limits);
        for (int i = 0; i < count; i++) {
            nodes.add(new Node(i, 1 + random.nextInt(3)));
        }
        nodes.forEach(node -> node.start(random.nextLong(500)));
    }

    void after(long millis, Runnable what) {
        due.add(new Due(now + millis, ++numbers, what));
    }

    void until(long millis) {
        while (!due.isEmpty() && due.peek().atMillis() <= millis) {
            Due next = due.remove();
            now = next.atMillis();
            events++;
            next.what().run();
            check();
        }
        now = millis;
    }

    private void check() {
        for (LimitKey key : keys) {
            int used = nodes.stream().filter(node -> node.alive && !node.overslept())
                    .flatMap(node -> node.shards.stream()).mapToInt(shard -> shard.used(key)).sum();
            most = Math.max(most, used);
            if (used > limit) {
                throw new AssertionError(used + " lanes of " + key + " in use at " + now + ", limit " + limit);
            }
        }
    }

    /// A message on its way.
    private void carry(Node from, Node to, Runnable arrives) {
        int copies = random.nextDouble() < loss ? 0 : random.nextDouble() < doubled ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            after(random.nextLong(delayMillis + 1), () -> {
                if (!from.cutOff && !to.cutOff) {
                    to.when(arrives);
                }
            });
        }
    }

    final class Node {
        final int number;
        final int shardCount;
        /// Clocks run at different speeds.
        final double speed = 0.99 + random.nextDouble() * 0.02;
        List<Shard> shards = List.of();
        GrantHolder holder;
        Optional<GrantBroker> broker = Optional.empty();
        long officeRenewed;
        boolean alive;
        boolean cutOff;
        boolean frozen;
        boolean databaseGone;
        boolean busy = true;
        /// The broker lends its lanes to others, and the process has not run since.
        boolean asleep;
        long awaited = Long.MIN_VALUE;
        long lastReport;
        long process;
        final Deque<Runnable> missed = new ArrayDeque<>();
        long served;
        long silent = Long.MIN_VALUE;

        Node(int number, int shardCount) {
            this.number = number;
            this.shardCount = shardCount;
        }

        long clock() {
            return 1_000_000L * number + (long) (now * speed);
        }

        void start(long delay) {
            alive = true;
            frozen = false;
            process++;
            broker = Optional.empty();
            missed.clear();
            long mine = process;
            holder = new GrantHolder("n" + number, process, new GrantHolder.NodeShards() {
                @Override
                public void tell(int shard, QmgrEvent event) {
                    soon(() -> shards.get(shard).happens(event));
                }

                @Override
                public void cut() {
                    asleep = false;
                    shards.forEach(Shard::cut);
                }
            });
            List<Shard> all = new ArrayList<>();
            for (int i = 0; i < shardCount; i++) {
                all.add(new Shard(this, i));
            }
            shards = all;
            shards.forEach(shard -> holder.join(shard.number, new LinkedHashMap<>()));
            after(delay, () -> ifSame(mine, () -> tick(mine)));
            after(delay, () -> ifSame(mine, () -> shards.forEach(Shard::work)));
        }

        void dies() {
            alive = false;
            shards = List.of();
            broker = Optional.empty();
        }

        void freezes() {
            frozen = true;
        }

        void wakes() {
            frozen = false;
            asleep |= holder.isOverdue(clock());
            // The process goes on where it stood, with all that has come in the meantime, in any order.
            List<Runnable> all = new ArrayList<>(missed);
            missed.clear();
            all.forEach(each -> after(random.nextLong(3), each));
        }

        boolean overslept() {
            return asleep || frozen && holder.isOverdue(clock());
        }

        /// Runs what belongs to a process unless it has died; a frozen one does it later.
        void ifSame(long of, Runnable what) {
            if (alive && process == of) {
                when(what);
            }
        }

        void when(Runnable what) {
            if (!alive) {
                return;
            }
            if (frozen) {
                long mine = process;
                missed.add(() -> ifSame(mine, what));
            } else {
                what.run();
            }
        }

        private final Map<Integer, Long> lanes = new LinkedHashMap<>();

        /// In the order of the inbox, a moment later.
        void soon(Runnable what) {
            long mine = process;
            long at = Math.max(lanes.getOrDefault(0, 0L), now + random.nextLong(4));
            lanes.put(0, at);
            after(at - now, () -> ifSame(mine, what));
        }

        private void tick(long mine) {
            holder.timePasses(clock());
            if (keepsHere) {
                silent = databaseGone ? clock() : silent;
                holder.goesAlone(silent != Long.MIN_VALUE && clock() - silent < 4_000 ? nodes.size() : 0, clock());
            }
            office();
            broker.ifPresent(each -> each.timePasses(clock()));
            long gap = holder.isUrgent() ? URGENT_MILLIS : TICK_MILLIS;
            if (clock() - lastReport >= gap && (awaited == Long.MIN_VALUE || clock() - awaited > 2_000)) {
                report();
            }
            after(URGENT_MILLIS, () -> ifSame(mine, () -> tick(mine)));
        }

        /// The row of the database: who has the office, and since when.
        private void office() {
            if (broker.isPresent() && clock() - officeRenewed > OFFICE_MILLIS - SILENT_MILLIS) {
                broker = Optional.empty();
            }
            if (databaseGone || now % LOOK_MILLIS > URGENT_MILLIS) {
                return;
            }
            if (office == number && broker.isPresent() && officeUntil >= now) {
                officeUntil = now + OFFICE_MILLIS;
                officeRenewed = clock();
            } else if (officeUntil < now) {
                long since = officeUntil == Long.MIN_VALUE
                        ? Long.MAX_VALUE
                        : now - officeUntil + OFFICE_MILLIS;
                epoch++;
                office = number;
                officeUntil = now + OFFICE_MILLIS;
                officeRenewed = clock();
                broker = Optional.of(new GrantBroker(epoch, keepsHere && since < Long.MAX_VALUE ? 0 : since, clock()));
            }
            if (officeUntil >= now) {
                holder.brokerIs(epoch);
            }
        }

        private void report() {
            holder.report(clock()).ifPresent(report -> {
                lastReport = clock();
                awaited = clock();
                long mine = process;
                Node to = nodes.get(office);
                carry(this, to, () -> to.broker.ifPresent(broker -> {
                    BrokerReply reply = broker.receive(report, to.clock(), to.officeRenewed);
                    carry(to, this, () -> ifSame(mine, () -> {
                        awaited = Long.MIN_VALUE;
                        holder.answered(reply, clock());
                    }));
                }));
            });
        }
    }

    /// A queue manager with deliveries that need a lane of each limit.
    final class Shard implements Leases.LeaseUse {
        final Node node;
        final int number;
        Leases leases = Leases.shared();
        int running;
        int waiting;
        int round;

        Shard(Node node, int number) {
            this.node = node;
            this.number = number;
        }

        void work() {
            long mine = node.process;
            if (node.busy) {
                waiting = Math.max(waiting, random.nextInt(12));
            }
            leases.renew();
            pump();
            after(100 + random.nextInt(400), () -> node.ifSame(mine, this::work));
        }

        void happens(QmgrEvent event) {
            switch (event) {
                case QmgrEvent.LeaseEvent lease -> leases.happened(lease);
                case QmgrEvent.LimitsShared(Map<String, Integer> own) -> {
                    Map<LimitKey, Integer> limits = new LinkedHashMap<>();
                    keys.forEach(key -> limits.put(key, limit));
                    leases.share(own, limits, this);
                }
                default -> throw new AssertionError(event);
            }
            settle(false);
            pump();
        }

        void pump() {
            while (waiting > 0 && start()) {
                waiting--;
            }
            settle(true);
        }

        private boolean start() {
            for (LimitKey key : keys) {
                if (running >= leases.limit(key, limit)) {
                    leases.need(key, limit, waiting);
                    return false;
                }
            }
            if (!node.holder.mayStart(node.clock())) {
                return false;
            }
            if (node.asleep) {
                throw new AssertionError("a delivery starts after the end of the grants");
            }
            running++;
            int mine = round;
            long process = node.process;
            after(20 + random.nextLong(longestDeliveryMillis), () -> node.ifSame(process, () -> ends(mine)));
            return true;
        }

        private void ends(int of) {
            if (of == round && running > 0) {
                running--;
                node.served++;
                freed();
            }
        }

        /// Connections are closed; the queue manager sees it a moment later.
        void cut() {
            round++;
            int lost = running;
            waiting += lost;
            running = 0;
            node.soon(this::freed);
        }

        private void freed() {
            leases.renew();
            keys.forEach(leases::freed);
            settle(false);
            pump();
        }

        private void settle(boolean chosen) {
            leases.settle(this, chosen);
            // The exchange of the node has a lock of its own: an order is heard at once.
            leases.drain(order -> node.holder.handle(number, (QmgrOrder.LeaseOrder) order));
        }

        @Override
        public int used(LimitKey key) {
            return running;
        }

        @Override
        public void closeIdle(LimitKey key, int connections) {
            // A delivery here ends with its connection.
        }

        @Override
        public boolean isWaiting(LimitKey key) {
            return waiting > 0;
        }

        @Override
        public void returned(LimitKey key) {
            // The next choice sees it.
        }
    }

    /// The node with the office of the broker.
    Optional<Node> office() {
        return nodes.stream().filter(node -> node.alive && node.broker.isPresent()).findFirst();
    }
}
