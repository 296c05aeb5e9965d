package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slipstream.core.queue.QueuePhase.Code;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.sched.Counter.slots;

/// The same mail in the old order and in the new one.
class OrderPolicyTest {
    private static final ServiceRules POSTFIX = slots(5, 3, 50, 3);

    /// A message with one entry for each of these.
    private static Message message(Counter counter, List<String> hops) {
        Message message = counter.admit(hops.size());
        var recipients = Counter.recipients(1, hops.size());
        counter.scheduler.batchRead(message, recipients, true, counter.now);
        counter.scheduler.place(message, IntStream.range(0, hops.size())
                .mapToObj(i -> new Scheduler.PlacedRecipient(recipients.get(i), counter.line(hops.get(i)))).toList());
        return message;
    }

    private static List<String> times(int count, String hop) {
        return IntStream.range(0, count).mapToObj(_ -> hop).toList();
    }

    private static void serve(Counter counter, int times) {
        IntStream.range(0, times).forEach(_ -> assertThat(counter.serve()).isTrue());
    }

    /// A gateway: a mailing to nineteen external domains, then a hundred single messages for the
    /// one internal server.
    private static long singlesInsideAmongTheFirst(int selections, OrderPolicy policy) {
        Counter counter = new Counter(POSTFIX, policy);
        List<String> outside = new ArrayList<>();
        IntStream.range(0, 100).forEach(_ -> IntStream.range(0, 19).forEach(i -> outside.add("outside" + i)));
        Message mailing = message(counter, outside);
        IntStream.range(0, 100).forEach(_ -> message(counter, List.of("inside")));
        serve(counter, selections);
        return counter.served.stream().filter(name -> name != counter.names.get(mailing).intValue()).count();
    }

    @Test
    @Tag("PF-72")
    void anInboundGatewayHasOneTurnInTwentyWhereDestinationsTakeTurns() {
        assertThat(singlesInsideAmongTheFirst(400, OrderPolicy.ROUND_ROBIN)).isEqualTo(400 / 20);
        assertThat(singlesInsideAmongTheFirst(400, OrderPolicy.FIFO)).isZero();
        // One for every five of the mailing, as they were earned, for any number of destinations.
        assertThat(singlesInsideAmongTheFirst(400, OrderPolicy.PREEMPTIVE)).isBetween(400L / 6, 400L / 5);
    }

    /// A mailing to one destination, and a single message for it that arrives after fifty
    /// deliveries.
    private static int placeOfASingleBehindAMailing(OrderPolicy policy) {
        Counter counter = new Counter(POSTFIX, policy);
        message(counter, times(1_000, "big.example"));
        serve(counter, 50);
        message(counter, List.of("big.example"));
        counter.serveAll();
        assertThat(counter.served).hasSize(1_001);
        return counter.served.indexOf(2) + 1 - 50;
    }

    @Test
    @Tag("PF-73")
    void aMailingBlocksAMessageToTheSamePlaceInTheOldManagerAndNotInTheNewOne() {
        assertThat(placeOfASingleBehindAMailing(OrderPolicy.ROUND_ROBIN)).isEqualTo(951);
        assertThat(placeOfASingleBehindAMailing(OrderPolicy.FIFO)).isEqualTo(951);
        assertThat(placeOfASingleBehindAMailing(OrderPolicy.PREEMPTIVE)).isEqualTo(1);
    }

    @Test
    @Tag("PF-72")
    void destinationsTakeTurnsInOrderAndEachServesItsOldestMailFirst() {
        Counter counter = new Counter(POSTFIX, OrderPolicy.ROUND_ROBIN);
        message(counter, List.of("a", "a", "a", "b"));
        message(counter, List.of("b", "c", "c"));
        assertThat(counter.serveAll().served).containsExactly(1, 1, 2, 1, 2, 2, 1);
    }

    @Test
    void aDestinationThatMayNotGoLosesItsTurnAndDelaysNoOther() {
        Counter counter = new Counter(POSTFIX, OrderPolicy.ROUND_ROBIN);
        message(counter, List.of("a", "a"));
        message(counter, List.of("b", "b"));
        counter.scheduler.allow(counter.line("a"), 0);
        serve(counter, 2);
        assertThat(counter.serve()).isFalse();
        counter.scheduler.allow(counter.line("a"), 1);
        counter.scheduler.mayGo(counter.line("a"), false);
        assertThat(counter.serveAll().served).containsExactly(2, 2, 1, 1);
    }

    @Test
    void entriesWithoutASeatArePassedOverInTheOldManagerToo() {
        Counter counter = new Counter(POSTFIX, OrderPolicy.ROUND_ROBIN);
        message(counter, List.of("a"));
        message(counter, List.of("b"));
        Gate<Boolean> notToA = (_,
                line) -> line.key().equals("a") ? Gate.GateAnswer.refused(Code.HOST_LIMIT) : Counter.FREE;
        var first = (Choice.Taken<Boolean>) counter.scheduler.choose(notToA, counter.now);
        assertThat(first.entry().queue().key()).isEqualTo("b");
        assertThat(counter.scheduler.choose(notToA, counter.now)).isInstanceOf(Choice.Nothing.class);
        counter.scheduler.seatsMayBeFree();
        assertThat(counter.serve()).isTrue();
    }

    @Test
    @Tag("ZM-06")
    void threadsAreServedInTheOrderOfTheirWakeUpEachToItsEnd() {
        Counter counter = new Counter(POSTFIX, OrderPolicy.THREADS);
        message(counter, List.of("a", "b", "a"));
        message(counter, List.of("c", "b"));
        message(counter, List.of("a"));
        assertThat(counter.serveAll().served).containsExactly(1, 1, 3, 1, 2, 2);
    }

    @Test
    @Tag("ZM-10")
    void theNextThreadStartsWhenTheStartOfTheOneBeforeItHasSucceededOrFailed() {
        Counter counter = new Counter(POSTFIX, OrderPolicy.THREADS);
        message(counter, List.of("a", "a", "b", "c"));
        var first = (Choice.Taken<Boolean>) counter.scheduler.choose(Counter.OPEN, counter.now);
        assertThat(first.entry().queue().key()).isEqualTo("a");
        assertThat(counter.scheduler.choose(Counter.OPEN, counter.now).isNothing()).as("b may go, and waits").isTrue();
        assertThat(counter.scheduler.overlooked(Counter.OPEN)).as("on purpose").isEmpty();
        counter.scheduler.finished(first.entry());
        assertThat(List.of(next(counter), next(counter))).as("a has one agent").containsExactly("a", "b");
        assertThat(counter.scheduler.choose(Counter.OPEN, counter.now).isNothing()).isTrue();
    }

    private static String next(Counter counter) {
        return ((Choice.Taken<Boolean>) counter.scheduler.choose(Counter.OPEN, counter.now)).entry().queue().key();
    }

    @Test
    void aThreadThatCannotStartKeepsThoseBehindItWaiting() {
        Counter counter = new Counter(POSTFIX, OrderPolicy.THREADS);
        message(counter, List.of("a", "b"));
        Gate<Boolean> notToA = (_, line) -> line.key().equals("a")
                ? Gate.GateAnswer.refused(Code.HOST_LIMIT)
                : Counter.FREE;
        assertThat(counter.scheduler.choose(notToA, counter.now).isNothing()).isTrue();
        counter.scheduler.seatsMayBeFree();
        assertThat(counter.serveAll().served).containsExactly(1, 1);
    }

    /// In every order each entry is served once, and all memory and all slots return.
    @ParameterizedTest
    @EnumSource
    void nothingIsLeftBehindInAnyOrder(OrderPolicy policy) {
        Counter counter = new Counter(new ServiceRules(2, 1, 50, 1, 3, 30, 5, 4, 1_000), policy);
        Message large = counter.admit(200);
        int from = 1;
        boolean more = true;
        while (more) {
            int count = Math.min(large.batch, 201 - from);
            var batch = Counter.recipients(from, count);
            from += count;
            counter.scheduler.batchRead(large, batch, from > 200, counter.now);
            counter.scheduler.place(large, batch.stream()
                    .map(r -> new Scheduler.PlacedRecipient(r, counter.line("d" + r.number() % 7))).toList());
            message(counter, List.of("d1", "x"));
            counter.serveAll();
            more = counter.scheduler.nextRead().isPresent();
        }
        assertThat(from).isEqualTo(201);
        assertThat(large.isExhausted()).isTrue();
        counter.names.keySet().forEach(counter.scheduler::forget);
        assertThat(counter.scheduler.inCore()).isZero();
        TransportQueues transport = counter.scheduler.at(counter.line("x").transport);
        assertThat(transport.pool.free).isEqualTo(30);
        assertThat(Counter.jobs(transport.order).size()).isZero();
    }
}
