package org.slipstream.qmgr.shard;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.HostKey;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.LeaseGranted;
import org.slipstream.qmgr.event.QmgrEvent.LeaseRecalled;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.AskLease;
import org.slipstream.qmgr.event.QmgrOrder.ReturnLease;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseAccount;
import org.slipstream.qmgr.shard.LeaseBroker.LeaseMessage;
import org.slipstream.qmgr.wake.LimitKey;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class LeaseBrokerTest {
    private static final LimitKey SMTP = LimitKey.transport("smtp");

    private final LeaseBroker broker = new LeaseBroker();

    private List<LeaseMessage> ask(int shard, int limit, int lanes) {
        return broker.handle(shard, new AskLease(SMTP, limit, lanes));
    }

    private List<LeaseMessage> back(int shard, int lanes) {
        return broker.handle(shard, new ReturnLease(SMTP, lanes));
    }

    private static LeaseMessage granted(int shard, int lanes) {
        return new LeaseMessage(shard, new LeaseGranted(SMTP, lanes));
    }

    private static LeaseMessage recalled(int shard, int lanes) {
        return new LeaseMessage(shard, new LeaseRecalled(SMTP, lanes));
    }

    // ---- the division

    @Test
    void oneShardMayHoldTheWholeLimit() {
        assertThat(ask(1, 20, 20)).containsExactly(granted(1, 20));
        assertThat(ask(1, 20, 5)).isEmpty();
    }

    @Test
    void halfOfTheLanesAreRecalledForTheSecond() {
        ask(1, 20, 20);
        assertThat(ask(2, 20, 20)).containsExactly(recalled(1, 10));
        assertThat(back(1, 4)).containsExactly(granted(2, 4));
    }

    @Test
    void aHolderOfItsFairShareOnlyHearsThatOthersWait() {
        ask(1, 20, 10);
        ask(2, 20, 10);
        assertThat(ask(1, 20, 10)).containsExactly(recalled(2, 0));
        assertThat(ask(1, 20, 10)).isEmpty();
        assertThat(back(2, 10)).containsExactly(granted(1, 10));
    }

    @Test
    void withFewerLanesThanShardsTheLanesGoRound() {
        ask(1, 1, 1);
        assertThat(ask(2, 1, 1)).containsExactly(recalled(1, 1));
        assertThat(ask(3, 1, 1)).isEmpty();
        assertThat(back(1, 1)).containsExactly(granted(2, 1), recalled(2, 1));
        ask(1, 1, 1);
        assertThat(back(2, 1)).containsExactly(granted(3, 1), recalled(3, 1));
        assertThat(back(3, 1)).startsWith(granted(1, 1));
    }

    @Test
    void aDifferenceOfOneLaneStays() {
        ask(1, 3, 2);
        ask(2, 3, 2);
        assertThat(broker.accounts()).extracting(LeaseAccount::held).containsExactly(2, 1);
        assertThat(broker.accounts()).extracting(LeaseAccount::recalled).containsExactly(0, 0);
    }

    @Test
    void theLargestWindowIsDividedAndAShrunkOneRecallsItsSurplus() {
        ask(1, 10, 10);
        assertThat(ask(2, 5, 5)).containsExactly(recalled(1, 5));
        back(1, 5);
        assertThat(broker.accounts()).extracting(LeaseAccount::held).containsExactly(5, 5);
        assertThat(ask(1, 6, 0)).contains(recalled(1, 2), recalled(2, 2));
        assertThat(back(2, 2)).isEmpty();
    }

    @Test
    void theLanesOfAShardThatIsGoneAreFree() {
        ask(1, 20, 20);
        ask(2, 20, 20);
        assertThat(broker.gone(1)).containsExactly(granted(2, 20));
        assertThat(back(1, 10)).isEmpty();
        assertThat(broker.accounts()).extracting(LeaseAccount::shard).containsExactly(2);
    }

    @Test
    void aShardThatStartsAgainHoldsNothing() {
        ask(1, 20, 20);
        assertThat(broker.join(1)).isEmpty();
        assertThat(broker.accounts()).isEmpty();
    }

    @Test
    void anAccountEndsWithItsLastLane() {
        ask(1, 20, 3);
        back(1, 3);
        assertThat(broker.accounts()).isEmpty();
    }

    // ---- any sequence, with messages that cross

    /// Shards with waiting and running deliveries of some limits. Messages wait in channels, each in
    /// its order.
    private static final class Model {
        final Random random;
        final int limit;
        final boolean alone;
        final LeaseBroker broker = new LeaseBroker();
        final Map<Integer, ModelShard> shards = new TreeMap<>();
        final Map<Integer, Deque<QmgrOrder.LeaseOrder>> toBroker = new TreeMap<>();
        final Map<Integer, Deque<QmgrEvent.LeaseEvent>> toShards = new TreeMap<>();
        final List<LimitKey> keys;
        long served;

        Model(Random random) {
            this(random, 1 + random.nextInt(12), 1 + random.nextInt(3), 2 + random.nextInt(4));
        }

        /// @param limits of which a delivery needs a lane each
        Model(Random random, int limit, int limits, int count) {
            this.random = random;
            this.limit = limit;
            this.alone = random.nextInt(4) == 0;
            this.keys = List
                    .of(SMTP, LimitKey.destination("smtp/far.example"),
                            LimitKey.host("smtp", HostKey.of("mx.far.example", 25)))
                    .subList(0, limits);
            for (int i = 1; i <= count; i++) {
                join(i);
            }
        }

        void join(int number) {
            toBroker.put(number, new ArrayDeque<>());
            toShards.put(number, new ArrayDeque<>());
            shards.put(number, new ModelShard(this, number));
            send(broker.join(number));
        }

        void dies(int number) {
            shards.remove(number);
            toBroker.remove(number);
            toShards.remove(number);
            send(broker.gone(number));
        }

        void send(List<LeaseMessage> messages) {
            messages.forEach(message -> {
                require(shards.containsKey(message.shard()), "a message to a shard that is gone");
                toShards.get(message.shard()).add(message.event());
            });
        }

        void check() {
            Map<LimitKey, Integer> held = new HashMap<>();
            for (LeaseAccount account : broker.accounts()) {
                require(shards.containsKey(account.shard()), "an account of a shard that is gone");
                held.merge(account.key(), account.held(), Integer::sum);
            }
            for (LimitKey key : keys) {
                int used = 0;
                for (ModelShard shard : shards.values()) {
                    used += shard.running.get(key);
                    require(shard.running.get(key) <= shard.leases.held(key), "more in use than held");
                }
                require(used <= limit, "more in use than the limit");
                require(held.getOrDefault(key, 0) <= limit, "more held than the limit");
            }
        }

        private void require(boolean holds, String otherwise) {
            if (!holds) {
                throw new AssertionError(otherwise + ": " + broker.accounts());
            }
        }

        /// One of the things that can happen.
        void step() {
            List<Integer> numbers = List.copyOf(shards.keySet());
            int number = numbers.get(random.nextInt(numbers.size()));
            ModelShard shard = shards.get(number);
            switch (random.nextInt(4)) {
                case 0 -> brokerHears(number);
                case 1 -> shardHears(number);
                case 2 -> shard.finishOne();
                default -> {
                    shard.leases.renew();
                    shard.pump();
                }
            }
            check();
        }

        boolean brokerHears(int number) {
            QmgrOrder.LeaseOrder order = toBroker.get(number).poll();
            if (order != null) {
                send(broker.handle(number, order));
            }
            return order != null;
        }

        boolean shardHears(int number) {
            QmgrEvent.LeaseEvent event = toShards.get(number).poll();
            if (event != null) {
                shards.get(number).happens(event);
            }
            return event != null;
        }
    }

    /// A delivery needs a lane of each limit.
    private static final class ModelShard implements Leases.LeaseUse {
        final Model model;
        final int number;
        final Leases leases = Leases.shared();
        final Map<LimitKey, Integer> running = new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        int waiting;
        int served;

        ModelShard(Model model, int number) {
            this.model = model;
            this.number = number;
            model.keys.forEach(key -> running.put(key, 0));
        }

        int running() {
            return running.get(SMTP);
        }

        void happens(QmgrEvent.LeaseEvent event) {
            leases.happened(event);
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
            for (LimitKey key : model.keys) {
                if (running.get(key) >= leases.limit(key, model.limit)) {
                    leases.need(key, model.limit, waiting);
                    return false;
                }
            }
            model.keys.forEach(key -> running.merge(key, 1, Integer::sum));
            return true;
        }

        void finishOne() {
            if (running() > 0) {
                served++;
                model.served++;
                leases.renew();
                model.keys.forEach(key -> {
                    running.merge(key, -1, Integer::sum);
                    leases.freed(key);
                });
                settle(false);
                pump();
            }
        }

        private void settle(boolean chosen) {
            leases.settle(this, chosen);
            leases.drain(order -> model.toBroker.get(number).add((QmgrOrder.LeaseOrder) order));
        }

        @Override
        public int used(LimitKey key) {
            return running.get(key);
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

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void anySequenceKeepsTheLimitAndServesEverything(int part) {
        for (int seed = part * 1_000; seed < part * 1_000 + 25; seed++) {
            Random random = new Random(seed);
            Model model = new Model(random);
            for (int i = 0; i < 300; i++) {
                if (random.nextInt(6) == 0) {
                    List<ModelShard> all = new ArrayList<>(model.shards.values());
                    all.get(model.alone ? 0 : random.nextInt(all.size())).waiting += 1 + random.nextInt(20);
                }
                if (random.nextInt(60) == 0 && model.shards.size() > 1) {
                    model.dies(List.copyOf(model.shards.keySet()).get(random.nextInt(model.shards.size())));
                } else if (random.nextInt(60) == 0) {
                    model.join(100 + i);
                }
                model.step();
            }
            long served = model.served;
            int idle = 0;
            while (model.shards.values().stream().anyMatch(shard -> shard.waiting + shard.running() > 0)) {
                idle = model.served > served ? 0 : idle + 1;
                served = model.served;
                assertThat(idle).as("seed %s stands still: %s", seed, model.broker.accounts()).isLessThan(3_000);
                model.step();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 20, 100})
    void twoBusyShardsHaveEqualShares(int limit) {
        Map<Integer, ModelShard> shards = busy(limit, 2, 4_000 + 400 * limit);
        int one = shards.get(1).served;
        int two = shards.get(2).served;
        assertThat(Math.abs(one - two)).as("%s and %s", one, two).isLessThanOrEqualTo((one + two) / 8);
    }

    @Test
    void fiveShardsAtALimitOfTwoAreAllServed() {
        assertThat(busy(2, 5, 12_000).values()).extracting(shard -> shard.served)
                .allSatisfy(served -> assertThat(served).isGreaterThan(15));
    }

    private static Map<Integer, ModelShard> busy(int limit, int count, int steps) {
        Model model = new Model(new Random(1), limit, 2, count);
        for (int i = 0; i < steps; i++) {
            model.shards.values().forEach(shard -> shard.waiting = 1_000);
            model.step();
        }
        return model.shards;
    }
}
