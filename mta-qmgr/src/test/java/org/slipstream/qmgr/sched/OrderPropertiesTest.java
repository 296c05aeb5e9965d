package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.sched.Counter.job;
import static org.slipstream.qmgr.sched.Counter.slots;

/// Invariants for any mail in any order. The seed is the number of the repetition.
class OrderPropertiesTest {
    /// No message of any size finishes later than k/(k−1) times its own and all older mail, with
    /// any later mail and any recursion of preemption. So no message starves.
    @RepeatedTest(150)
    @Tag("PF-41")
    void inflationStaysWithinTheBoundWhateverArrives(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        int cost = 2 + random.nextInt(5);
        Counter counter = new Counter(slots(cost, random.nextInt(5), random.nextInt(101), random.nextInt(4)));
        Map<Integer, Integer> olderAndOwn = new LinkedHashMap<>();
        List<Message> messages = new ArrayList<>();
        int total = 0;
        for (int i = 0; i < 40; i++) {
            int size = i == 0 ? 100 + random.nextInt(400) : (int) Math.pow(2, random.nextDouble() * 6);
            messages.add(counter.message(size));
            total += size;
            olderAndOwn.put(i + 1, total);
            for (int served = random.nextInt(3 + size / 4); served > 0; served--) {
                counter.serve();
            }
        }
        counter.serveAll();

        assertThat(counter.served).hasSize(total);
        olderAndOwn.forEach((name, entries) -> {
            int finished = counter.served.lastIndexOf(name) + 1;
            assertThat(finished).as("seed %d, message %d, cost %d", info.getCurrentRepetition(), name, cost)
                    .isLessThanOrEqualTo(entries * cost / (cost - 1));
        });
        assertThat(messages).allSatisfy(message -> assertThat(job(message).isOnList()).isFalse());
        assertThat(counter.scheduler.inCore()).isZero();
    }

    /// Each job is passed after its first entry by one that is as large as it can ever afford.
    @Test
    @Tag("PF-41")
    void nestedJobsOfTheRightSizesReachTheBoundButForOneEntry() {
        int cost = 2;
        int size = 64;
        Counter counter = new Counter(slots(cost, 0, 100, 0));
        for (int entries = size; entries > 0; entries /= cost) {
            counter.message(entries);
            counter.serve();
        }
        counter.serveAll();

        assertThat(counter.served.lastIndexOf(1) + 1).isEqualTo(size * cost / (cost - 1) - 1);
    }

    /// An endless stream of small messages, two for every entry that leaves, so that a candidate is always
    /// present: the large message is done within k/(k−1) of its size, with any loan and discount.
    @RepeatedTest(40)
    @Tag("PF-41")
    void anEndlessStreamOfSmallMailStarvesNoMessage(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        int cost = 2 + random.nextInt(5);
        int loan = random.nextInt(5);
        Counter counter = new Counter(slots(cost, loan, random.nextInt(101), random.nextInt(4)));
        int size = 50 + random.nextInt(300);
        Message large = counter.message(size);
        int selections = 0;
        while (job(large).selected < size) {
            counter.message(1 + random.nextInt(3));
            counter.message(1);
            assertThat(counter.serve()).isTrue();
            selections++;
            assertThat(selections).as("seed %d, cost %d, loan %d, %d entries", info.getCurrentRepetition(), cost, loan,
                    size).isLessThanOrEqualTo(size * cost / (cost - 1));
        }
    }

    /// A job earns one unit for each of its entries and spends k for each entry that passed it, as
    /// the tree saw it.
    @RepeatedTest(100)
    @Tag("PF-49")
    void slotAccountsBalance(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        int cost = 2 + random.nextInt(4);
        Map<Message, Integer> passed = new LinkedHashMap<>();
        ServiceRules rules = slots(cost, random.nextInt(4), random.nextInt(101), 0);
        Counter counter = new Counter(rules);
        for (int i = 0; i < 30; i++) {
            counter.message(1 + random.nextInt(i == 0 ? 200 : 30));
        }
        // With one server and free seats, a preempting job finishes before the preempted ones.
        boolean more = true;
        while (more) {
            Map<Message, Job> parents = new LinkedHashMap<>();
            counter.names.keySet().forEach(m -> {
                if (job(m).parent != null) {
                    parents.put(m, job(m).parent);
                }
            });
            int before = counter.served.size();
            more = counter.serve();
            if (counter.served.size() > before) {
                Message who = counter.names.keySet().stream()
                        .filter(m -> counter.names.get(m).equals(counter.served.getLast())).findFirst().orElseThrow();
                Job parent = job(who).parent != null ? job(who).parent : parents.get(who);
                if (parent != null) {
                    passed.merge(parent.message, 1, Integer::sum);
                }
            }
        }
        counter.names.keySet().forEach(m -> {
            int entries = job(m).selected;
            int expected = entries - cost * passed.getOrDefault(m, 0);
            // A preempting single entry is retired within its own selection, before the test can
            // read the tree.
            assertThat(job(m).slots.balance).as("seed %d, %s", info.getCurrentRepetition(), m.id())
                    .isLessThanOrEqualTo(expected);
            assertThat((entries - job(m).slots.balance) % cost).isZero();
            assertThat(job(m).slots.balance).as("no job lets more pass than it could earn").isGreaterThanOrEqualTo(0);
        });
    }
}
