package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/// Thousands of bad days in the yard, each from a seed: whatever the hosts do, every load comes back exactly once, nothing is
/// delivered on a connection that is not open, no limit is broken, and at the end the ledgers are balanced.
/// To look at one: `-Dslipstream.seed=N`.
class ManyDaysTest {
    private static final int DAYS = 800;

    @Test
    void everyLoadComesBackExactlyOnceWhateverTheHostsDo() {
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

    private static final class Day implements PlaceOrders {
        private static final int MOST_STEPS = 20_000;

        final Random random;
        final PlaceRules rules;
        final DestDb hosts;
        final Workers workers;
        final List<Candidates> destinations = new ArrayList<>();
        final Map<String, Integer> windows = new LinkedHashMap<>();

        final Map<Long, Boolean> up = new LinkedHashMap<>();
        final Map<Long, Set<Long>> under = new LinkedHashMap<>();
        final Map<Long, String> hostOf = new LinkedHashMap<>();
        final Set<Long> seated = new LinkedHashSet<>();
        final StringBuilder log = new StringBuilder();
        long now;
        long deliveries;
        int waiting;

        Day(long seed) {
            random = new Random(seed);
            rules = PlaceRules.defaults().withWorkers(between(1, 6), between(1, 3))
                    .withBacklog(between(1, 3), between(1, 3)).withAges(between(0, 2), 5_000, 20_000)
                    .withMemory(10_000, 3_000, 30_000);
            hosts = new DestDb(rules);
            workers = new Workers(rules, hosts, random);
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

        int between(int least, int most) {
            return least + random.nextInt(most - least + 1);
        }

        String live() {
            for (int step = 0; waiting > 0 || !seated.isEmpty() || !up.isEmpty(); step++) {
                assertThat(step).as("no end: " + workers.snapshot(now)).isLessThan(MOST_STEPS);
                pump();
                happens();
                check();
            }
            PlaceSnapshot end = workers.snapshot(now);
            assertThat(end.busy()).isZero();
            assertThat(end.connections()).isEmpty();
            assertThat(end.counts().withoutSeat()).isZero();
            windows.keySet().forEach(d -> assertThat(workers.serving(d)).isZero());
            return log.toString();
        }

        private void pump() {
            for (int tries = between(0, 4); tries > 0 && waiting > 0; tries--) {
                Candidates where = destinations.get(random.nextInt(3));
                Payer payer = random.nextInt(8) == 0
                        ? new Payer.Verification()
                        : new Payer.Message(new QueueId(between(1, 4)));
                boolean mayOpen = workers.serving(where.destination()) < windows.get(where.destination());
                int before = workers.serving(where.destination());
                Seat seat = workers.ask(payer, where, mayOpen, now);
                if (seat instanceof Seat.Wait) {
                    assertThat(seat.reason()).isNotBlank();
                    continue;
                }
                waiting--;
                long delivery = ++deliveries;
                seated.add(delivery);
                workers.seat(new Load(delivery, payer, where,
                        List.of(new Recipient(1, Address.of("r@x.example")))), now, this);
                if (!mayOpen) {
                    assertThat(workers.serving(where.destination())).isEqualTo(before);
                }
            }
        }

        private void happens() {
            now += between(0, 400);
            if (workers.nextAlarmMillis() <= now) {
                learn(workers.alarm(now, this));
            }
            List<Long> numbers = List.copyOf(up.keySet());
            if (numbers.isEmpty()) {
                now = Math.max(now, Math.min(workers.nextAlarmMillis(), now + 5_000));
                return;
            }
            long number = numbers.get(random.nextInt(numbers.size()));
            if (!up.get(number)) {
                if (random.nextInt(3) == 0) {
                    gone(number);
                    learn(workers.happened(new ConnectionNews.Failed(number, trouble(), "mx",
                            random.nextInt(10) == 0, OptionalLong.empty()), now, this));
                } else {
                    up.put(number, true);
                    learn(workers.happened(new ConnectionNews.Ready(number), now, this));
                }
            } else {
                busy(number);
            }
        }

        private Reply trouble() {
            return random.nextInt(4) == 0 ? Reply.of(554, "5.7.1", "no") : Yard.REFUSED;
        }

        private void busy(long number) {
            List<Long> loads = List.copyOf(under.get(number));
            switch (random.nextInt(12)) {
                case 0 -> {
                    gone(number);
                    learn(workers.happened(new ConnectionNews.Lost(number, "bye"), now, this));
                    comeBack(number, loads);
                }
                case 1 -> {
                    if (!loads.isEmpty()) {
                        gone(number);
                        comeBack(number, loads);
                    }
                }
                case 2 -> learn(workers.happened(new ConnectionNews.Depth(number, between(0, 5)), now, this));
                case 3 -> {
                    if (random.nextInt(10) == 0) {
                        learn(workers.happened(new ConnectionNews.PipelinesBadly(number, "503"), now, this));
                    }
                }
                default -> {
                    if (!loads.isEmpty()) {
                        answer(number, loads.get(random.nextInt(loads.size())));
                    }
                }
            }
        }

        private void answer(long number, long load) {
            boolean usable = random.nextInt(8) > 0;
            boolean trouble = !usable && random.nextBoolean();
            under.get(number).remove(load);
            List<Long> others = List.copyOf(under.get(number));
            if (!usable) {
                gone(number);
            }
            Outcome outcome = trouble
                    ? Outcome.of(trouble(), "mx")
                    : Outcome.of(random.nextInt(4) == 0 ? Yard.REFUSED : Yard.OK, "mx");
            learn(workers.happened(new ConnectionNews.Answered(number, load,
                    List.of(new RecipientOutcome(1, outcome)), usable, trouble), now, this));
            if (!usable) {
                comeBack(number, others);
            }
        }

        /// Those whose end was sent first, as on a wire. They may have arrived, so they are not sent again at once.
        private void comeBack(long number, List<Long> loads) {
            int arrived = between(0, loads.size());
            for (long load : loads) {
                boolean mayHaveArrived = arrived-- > 0;
                learn(workers.happened(new ConnectionNews.Returned(number, load, Yard.REFUSED, "mx", mayHaveArrived),
                        now, this));
                if (mayHaveArrived) {
                    assertThat(seated).doesNotContain(load);
                }
            }
        }

        private void gone(long number) {
            up.remove(number);
            under.remove(number);
            hostOf.remove(number);
        }

        private void learn(Aftermath aftermath) {
            for (Aftermath.Fate fate : aftermath.fates()) {
                log.append(now).append(' ').append(fate).append('\n');
                assertThat(seated.remove(fate.delivery())).as("came back twice or was never seated: " + fate).isTrue();
                assertThat(fate.outcomes()).hasSize(1);
                under.values().forEach(loads -> assertThat(loads).doesNotContain(fate.delivery()));
            }
            aftermath.troubles().forEach(trouble -> assertThat(seated).contains(trouble.delivery()));
        }

        private void check() {
            PlaceSnapshot picture = workers.snapshot(now);
            assertThat(picture.connections().size()).isEqualTo(up.size()).isLessThanOrEqualTo(rules.workers());
            hostOf.values().forEach(host -> assertThat(hostOf.values().stream().filter(host::equals).count())
                    .isLessThanOrEqualTo(rules.connectionsPerHost()));
            assertThat(picture.busy())
                    .isEqualTo((int) picture.connections().stream().filter(c -> c.queued() > 0).count());
        }

        @Override
        public void open(long connection, Candidate host, Load first) {
            log.append(now).append(" open ").append(connection).append(' ').append(host).append('\n');
            assertThat(up.put(connection, false)).isNull();
            under.put(connection, new LinkedHashSet<>());
            hostOf.put(connection, host.host().toString());
        }

        @Override
        public void deliver(long connection, Load load) {
            assertThat(up.get(connection)).as("delivered on " + connection + ", which is not up").isTrue();
            assertThat(seated).contains(load.delivery());
            under.values().forEach(loads -> assertThat(loads).doesNotContain(load.delivery()));
            under.get(connection).add(load.delivery());
        }

        @Override
        public void close(long connection) {
            assertThat(under.get(connection)).as("closed with work on it").isEmpty();
            gone(connection);
        }
    }
}
