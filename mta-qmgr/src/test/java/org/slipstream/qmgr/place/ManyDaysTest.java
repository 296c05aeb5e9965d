package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.Effects.Ended;
import org.slipstream.qmgr.shard.Leases;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/// Random runs of one transport with failing hosts, each from a seed. In every run each delivery
/// ends exactly once, no delivery uses a connection that is not open, all limits hold, an attempt
/// gives one negative feedback at most, and at the end the counters are balanced.
///
/// To repeat one run: `-Dslipstream.seed=N`.
class ManyDaysTest {
    private static final int DAYS = Boolean.getBoolean("slipstream.long") ? 800 : 200;

    @Test
    void everyDeliveryEndsExactlyOnceWhateverTheHostsDo() {
        Long only = Long.getLong("slipstream.seed");
        for (long seed = only == null ? 1 : only; seed <= (only == null ? DAYS : only); seed++) {
            try {
                new Day(seed).live();
            } catch (RuntimeException | AssertionError trouble) {
                throw new AssertionError("day of seed " + seed + ": " + trouble.getMessage(), trouble);
            }
        }
    }

    @Test
    void theSameSeedGivesTheSameDay() {
        for (long seed : new long[]{1, 7, 42}) {
            assertThat(new Day(seed).live()).isNotEmpty().isEqualTo(new Day(seed).live());
        }
    }

    private static final class Day implements OrderSink {
        private static final int MOST_STEPS = 20_000;

        final Random random;
        final PlaceRules rules;
        final DestDb hosts;
        final Connections connections;
        final List<Candidates> destinations = new ArrayList<>();
        final Map<String, Integer> windows = new LinkedHashMap<>();

        final Map<Long, Boolean> up = new LinkedHashMap<>();
        final Map<Long, Set<Long>> under = new LinkedHashMap<>();
        final Map<Long, String> hostOf = new LinkedHashMap<>();
        final Map<Long, Candidates> seated = new LinkedHashMap<>();
        final StringBuilder log = new StringBuilder();
        long now;
        long deliveries;
        long numbers;
        int waiting;

        Day(long seed) {
            random = new Random(seed);
            rules = PlaceRules.defaults().withWorkers(between(1, 6), between(1, 3))
                    .with(depth())
                    .with(new PlaceRules.Idle(between(0, 2), Duration.ofMillis(5_000), Duration.ofMillis(20_000)))
                    .with(PlaceRules.defaults().memory().withRetry(Duration.ofMillis(10_000), Duration.ofMillis(3_000),
                            Duration.ofMillis(30_000)));
            hosts = new DestDb(rules.memory());
            connections = new Connections(rules, hosts, random, () -> ++numbers,
                    new TransportLeases("", rules, Leases.whole()));
            for (int d = 0; d < 3; d++) {
                List<List<Candidate>> levels = new ArrayList<>();
                for (int level = between(1, 2); level > 0; level--) {
                    List<Candidate> here = new ArrayList<>();
                    for (int h = between(1, 3); h > 0; h--) {
                        here.add(Yard.host("h" + between(1, 5)));
                    }
                    levels.add(here);
                }
                destinations.add(new Candidates("d" + d, levels));
                windows.put("d" + d, between(1, 3));
            }
            waiting = between(5, 60);
        }

        private PlaceRules.Depth depth() {
            return random.nextInt(4) == 0
                    ? PlaceRules.Depth.ONE
                    : new PlaceRules.Depth(between(1, 3), 50, between(1, 3));
        }

        int between(int least, int most) {
            return least + random.nextInt(most - least + 1);
        }

        String live() {
            for (int step = 0; waiting > 0 || !seated.isEmpty() || !up.isEmpty(); step++) {
                assertThat(step).as("no end: " + connections.snapshot(now)).isLessThan(MOST_STEPS);
                pump();
                happens();
                check();
            }
            PlaceSnapshot end = connections.snapshot(now);
            assertThat(end.busy()).isZero();
            assertThat(end.connections()).isEmpty();
            assertThat(end.counts().withoutSeat()).isZero();
            windows.keySet().forEach(d -> assertThat(connections.open().serving(d)).isZero());
            return log.toString();
        }

        private void pump() {
            for (int tries = between(0, 4); tries > 0 && waiting > 0; tries--) {
                Candidates where = destinations.get(random.nextInt(3));
                Owner owner = random.nextInt(8) == 0
                        ? new Owner.Verification()
                        : new Owner.Message(new QueueId(between(1, 4)));
                boolean mayOpen = connections.open().serving(where.destination()) < windows.get(where.destination());
                int before = connections.open().serving(where.destination());
                Seat seat = connections.ask(owner, where, mayOpen, now);
                if (seat instanceof Seat.Wait) {
                    assertThat(seat.reason()).isNotBlank();
                    continue;
                }
                waiting--;
                long delivery = ++deliveries;
                seated.put(delivery, where);
                connections.seat(seat, new Assignment(delivery, new QueueId(delivery), owner, where,
                        List.of(new Recipient(1, Address.of("r@x.example")))), now, this);
                if (!mayOpen) {
                    assertThat(connections.open().serving(where.destination())).isEqualTo(before);
                }
            }
        }

        private void happens() {
            now += between(0, 400);
            if (connections.nextAlarmMillis() <= now) {
                learn(connections.alarm(now, this));
                learn(connections.reseat(now, this));
            }
            List<Long> numbers = List.copyOf(up.keySet());
            if (numbers.isEmpty()) {
                now = Math.max(now, Math.min(connections.nextAlarmMillis(), now + 5_000));
                return;
            }
            long number = numbers.get(random.nextInt(numbers.size()));
            if (!up.get(number)) {
                if (random.nextInt(3) == 0) {
                    gone(number);
                    happens(new QmgrEvent.ConnectionFailed(number, trouble(), "mx", random.nextInt(10) == 0,
                            OptionalLong.empty()));
                } else {
                    up.put(number, true);
                    happens(new QmgrEvent.ConnectionReady(number));
                }
            } else {
                busy(number);
            }
        }

        private Reply trouble() {
            return random.nextInt(4) == 0 ? Reply.of(554, "5.7.1", "no") : Yard.REFUSED;
        }

        private void busy(long number) {
            List<Long> there = List.copyOf(under.get(number));
            switch (random.nextInt(12)) {
                case 0 -> {
                    gone(number);
                    happens(new QmgrEvent.ConnectionLost(number, "bye"));
                    comeBack(number, there);
                }
                case 1 -> {
                    if (!there.isEmpty()) {
                        gone(number);
                        comeBack(number, there);
                    }
                }
                case 2 -> happens(new QmgrEvent.ConnectionDepth(number, between(0, 5)));
                case 3 -> {
                    if (random.nextInt(10) == 0) {
                        happens(new QmgrEvent.PipelinesBadly(number, "503"));
                    }
                }
                default -> {
                    if (!there.isEmpty()) {
                        answer(number, there.get(random.nextInt(there.size())));
                    }
                }
            }
        }

        private void answer(long number, long delivery) {
            boolean usable = random.nextInt(8) > 0;
            under.get(number).remove(delivery);
            List<Long> others = List.copyOf(under.get(number));
            if (!usable) {
                gone(number);
            }
            happens(new QmgrEvent.DeliveryDone(random.nextInt(10) == 0
                    ? new DeliveryResult.OwnFailure(delivery, number, Yard.REFUSED, DeliveryResult.Scope.MESSAGE,
                            usable)
                    : new DeliveryResult.Answered(delivery, number, List.of(new RecipientOutcome(1,
                            Outcome.of(random.nextInt(4) == 0 ? Yard.REFUSED : Yard.OK, "mx"))), usable)));
            if (!usable) {
                comeBack(number, others);
            }
        }

        /// Completely sent deliveries come first. They may have arrived, so they are not sent again
        /// at once.
        private void comeBack(long number, List<Long> unanswered) {
            int arrived = between(0, unanswered.size());
            for (long delivery : unanswered) {
                boolean mayHaveArrived = arrived-- > 0;
                happens(new QmgrEvent.DeliveryDone(
                        new DeliveryResult.Unanswered(delivery, number, Yard.RESET, "mx", mayHaveArrived)));
                if (mayHaveArrived) {
                    assertThat(seated).doesNotContainKey(delivery);
                }
            }
        }

        private void gone(long number) {
            up.remove(number);
            under.remove(number);
            hostOf.remove(number);
        }

        private void happens(QmgrEvent.OfConnection event) {
            Effects effects = connections.handle(event, now, this);
            Map<Long, Candidates> before = Map.copyOf(seated);
            learn(effects);
            attemptIsOneFeedback(effects, before);
            if (random.nextInt(4) == 0) {
                failed(effects).forEach(delivery -> connections.dead(before.get(delivery), Yard.REFUSED,
                        now + rules.memory().retry().toMillis(), now));
            }
            learn(connections.reseat(now, this));
        }

        private void attemptIsOneFeedback(Effects effects, Map<Long, Candidates> before) {
            List<Long> negative = new ArrayList<>(failed(effects));
            effects.refusals().forEach(refusal -> negative.add(refusal.delivery()));
            assertThat(negative.stream().map(delivery -> before.get(delivery).destination())).doesNotHaveDuplicates();
        }

        private static List<Long> failed(Effects effects) {
            return effects.ended().stream().filter(Ended.Failed.class::isInstance).map(Ended::delivery).toList();
        }

        private void learn(Effects effects) {
            for (Ended ended : effects.ended()) {
                log.append(now).append(' ').append(ended).append('\n');
                assertThat(seated.remove(ended.delivery())).as("ended twice or was never seated: " + ended)
                        .isNotNull();
                assertThat(ended.outcomes()).hasSize(1);
                under.values().forEach(there -> assertThat(there).doesNotContain(ended.delivery()));
            }
            effects.refusals().forEach(refusal -> assertThat(seated).containsKey(refusal.delivery()));
        }

        private void check() {
            PlaceSnapshot picture = connections.snapshot(now);
            assertThat(picture.connections().size()).isEqualTo(up.size()).isLessThanOrEqualTo(rules.workers());
            hostOf.values().forEach(host -> assertThat(hostOf.values().stream().filter(host::equals).count())
                    .isLessThanOrEqualTo(rules.connectionsPerHost()));
            assertThat(picture.busy())
                    .isEqualTo((int) picture.connections().stream().filter(c -> c.queued() > 0).count());
        }

        @Override
        public void order(QmgrOrder order) {
            switch (order) {
                case QmgrOrder.Open open -> {
                    log.append(now).append(' ').append(open).append('\n');
                    assertThat(up.put(open.connection(), false)).isNull();
                    under.put(open.connection(), new LinkedHashSet<>());
                    hostOf.put(open.connection(), Yard.nameIn(open.route()));
                }
                case QmgrOrder.Deliver deliver -> {
                    long delivery = deliver.delivery().number();
                    assertThat(up.get(deliver.connection())).as("not up: " + deliver).isTrue();
                    assertThat(seated).containsKey(delivery);
                    assertThat(Yard.nameIn(deliver.route())).isEqualTo(hostOf.get(deliver.connection()));
                    under.values().forEach(there -> assertThat(there).doesNotContain(delivery));
                    under.get(deliver.connection()).add(delivery);
                }
                case QmgrOrder.Close close -> {
                    assertThat(under.get(close.connection())).as("closed with work on it").isEmpty();
                    gone(close.connection());
                }
                default -> throw new AssertionError("no order of the placement: " + order);
            }
        }
    }
}
