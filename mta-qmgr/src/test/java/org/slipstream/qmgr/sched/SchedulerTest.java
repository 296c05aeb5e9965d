package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.QueuePhase.Code;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Structures, turns, blockers and memory, with explicit steps.
class SchedulerTest {
    private final List<String> reads = new ArrayList<>();
    private ServiceRules rules = new ServiceRules(5, 3, 50, 3, 2, 100, 20, 5, 5_000);
    private Scheduler scheduler = scheduler(30, 5);
    private long now;
    private long ids;

    private Scheduler scheduler(int recipientLimit, int minimum) {
        return new Scheduler(recipientLimit, minimum, 5_000, _ -> rules, OrderPolicy.PREEMPTIVE, new SchedTrace() {
            @Override
            public void read(Message message, int recipients) {
                reads.add(message.id().value() + ":" + recipients);
            }
        }, BothSearches::new, true);
    }

    private static Route smtp(String hop) {
        return Counter.smtp(hop);
    }

    private DestinationQueue line(Route route) {
        DestinationQueue line = scheduler.queue(route, route.nextHop());
        if (line.allowed() == 0) {
            scheduler.allow(line, 20);
        }
        return line;
    }

    private Message message() {
        Message message = scheduler.admit(new QueueId(++ids), now, 100, 100);
        scheduler.nextRead();
        return message;
    }

    private Message add(Message message, Route route, int from, int count) {
        List<Recipient> some = Counter.recipients(from, count);
        scheduler.batchRead(message, some, true, now);
        scheduler.place(message, some.stream().map(r -> new Scheduler.PlacedRecipient(r, line(route))).toList());
        return message;
    }

    private List<String> chooseAll(Gate<Boolean> gate) {
        List<String> taken = new ArrayList<>();
        while (scheduler.choose(gate, now) instanceof Choice.Taken(Entry entry, _)) {
            taken.add(entry.message().id().value() + ">" + entry.queue());
        }
        return taken;
    }

    private Entry choose() {
        return ((Choice.Taken<Boolean>) scheduler.choose(Counter.OPEN, now)).entry();
    }

    @Test
    @Tag("PF-20")
    void threeMessagesBecomeTheGraphOfTheBook() {
        Message one = message();
        add(one, smtp("a"), 1, 3);
        add(one, new Route.Local("b"), 4, 1);
        Message two = add(message(), smtp("a"), 1, 1);
        add(message(), smtp("c"), 1, 2);

        assertThat(one.jobs).extracting(job -> job.transport.name()).containsExactly("smtp", "local");
        assertThat(one.waiting()).isEqualTo(3);
        DestinationQueue a = line(smtp("a"));
        assertThat(Counter.job(one).peer(a).orElseThrow().waiting).isEqualTo(2);
        assertThat(a.first.message()).isSameAs(one);
        assertThat(a.last.message()).isSameAs(two);
        assertThat(scheduler.queues()).extracting(DestinationQueue::toString).containsExactlyInAnyOrder("smtp/a",
                "smtp/c",
                "local/b");
    }

    @Test
    @Tag("PF-21")
    void aLaterBatchTopsUpAWaitingEntry() {
        Message message = message();
        add(message, smtp("a"), 1, 1);
        add(message, smtp("a"), 2, 2);

        Entry first = line(smtp("a")).first;
        assertThat(first.recipients()).isEqualTo(Counter.recipients(1, 2));
        assertThat(first.nextInQueue.recipients()).isEqualTo(Counter.recipients(3, 1));
    }

    /// Three messages for two transports, as the server serves them: with Postfix's rules, entries
    /// of 50 recipients.
    @Test
    @Tag("PF-24")
    void transportsTakeTurnsJobsGoByAgeAndPeersTakeTurns() {
        scheduler = new Scheduler(20_000, 10, 1_000, _ -> ServiceRules.defaults(), OrderPolicy.PREEMPTIVE,
                new SchedTrace() {});
        Message one = add(message(), smtp("a"), 1, 101); // three entries
        add(one, smtp("b"), 102, 1);
        add(one, new Route.Local("l"), 103, 1);
        Message two = add(message(), smtp("b"), 1, 1);
        add(two, smtp("a"), 2, 51); // two entries
        add(two, new Route.Local("l"), 53, 51);
        Message three = add(message(), new Route.Local("l"), 1, 1);
        add(three, new Route.Local("m"), 2, 51);
        add(three, smtp("c"), 53, 1);

        // The transport that came last begins.
        assertThat(String.join(" ", chooseAll(Counter.OPEN))).isEqualToNormalizingWhitespace("""
                1>local/l 1>smtp/a
                2>local/l 1>smtp/b
                2>local/l 1>smtp/a
                3>local/l 1>smtp/a
                3>local/m 2>smtp/b
                3>local/m 2>smtp/a
                2>smtp/a 3>smtp/c""");
    }

    @Test
    @Tag("PF-23")
    void anOlderMessageWhoseRouteIsKnownLaterStillGoesFirst() {
        Message one = message();
        now = 1;
        add(message(), smtp("a"), 1, 1);
        add(one, smtp("a"), 1, 1);

        assertThat(chooseAll(Counter.OPEN)).containsExactly("1>smtp/a", "2>smtp/a");
    }

    @Test
    @Tag("PF-25")
    void neverMoreThanTheWindowAllows() {
        scheduler.allow(line(smtp("a")), 2);
        add(message(), smtp("a"), 1, 10);
        assertThat(chooseAll(Counter.OPEN)).hasSize(2);
        scheduler.allow(line(smtp("a")), 1); // fewer than are running
        scheduler.mayGo(line(smtp("a")), false);
        add(message(), smtp("b"), 1, 1);
        assertThat(chooseAll(Counter.OPEN)).containsExactly("2>smtp/b");
    }

    @Test
    @Tag("PF-51")
    @Tag("PF-52")
    void allJobsThatWaitForOneDestinationAreUnblockedAtOnceAndGoInOrder() {
        DestinationQueue busy = line(smtp("busy"));
        scheduler.allow(busy, 1);
        List<Message> waiting = IntStream.range(0, 5).mapToObj(_ -> add(message(), smtp("busy"), 1, 1)).toList();
        add(message(), smtp("free"), 1, 2);
        Entry first = choose();
        assertThat(chooseAll(Counter.OPEN)).containsExactly("6>smtp/free");
        ListOrder list = Counter.list(scheduler, busy.transport);
        assertThat(waiting.subList(1, 5)).allMatch(m -> Counter.isBlocked(scheduler, m));
        assertThat(list.blockers.tag).isEqualTo(1);
        assertThat(list.current).isNull();

        scheduler.finished(first);
        scheduler.mayGo(busy, false);
        assertThat(list.blockers.tag).isEqualTo(3);
        assertThat(waiting.subList(1, 5)).noneMatch(m -> Counter.isBlocked(scheduler, m));
        assertThat(chooseAll(Counter.OPEN)).containsExactly("2>smtp/busy");
    }

    @Test
    @Tag("PF-51")
    void withoutASeatItIsAsWithoutWindowAndTheGateIsNotAskedAgainUntilAnEvent() {
        IntStream.range(0, 100).forEach(_ -> add(message(), smtp("full"), 1, 1));
        add(message(), smtp("free"), 1, 1);
        int[] asked = new int[1];
        Gate<Boolean> gate = (message, line) -> {
            asked[0]++;
            return line.key().equals("full") ? Gate.GateAnswer.refused(Code.HOST_LIMIT) : Counter.FREE;
        };
        assertThat(chooseAll(gate)).containsExactly("101>smtp/free");
        assertThat(asked[0]).isLessThan(5);
        assertThat(chooseAll(Counter.OPEN)).isEmpty();

        scheduler.mayGo(line(smtp("full")), false);
        assertThat(chooseAll(Counter.OPEN)).hasSize(20).startsWith("1>smtp/full", "2>smtp/full");
    }

    @Test
    void aMessageGoesInFrontOfMailingsThatWaitForTheirTurn() {
        IntStream.range(0, 20).forEach(_ -> add(message(), smtp("slow"), 1, 10));
        Message small = add(message(), smtp("slow"), 1, 1);
        add(message(), smtp("else"), 1, 2);
        Gate<Boolean> gate = (message, line) -> line.key().equals("slow") && message != small
                ? Gate.GateAnswer.refused(Code.SPACING)
                : Counter.FREE;
        assertThat(chooseAll(gate)).containsExactly("21>smtp/slow", "22>smtp/else");
        assertThat(reads).as("no job reads on for the sake of a turn").containsOnly("1:10", "2:10", "3:10", "4:10",
                "5:10", "6:10", "7:10", "8:10", "9:10", "10:10", "11:10", "12:10", "13:10", "14:10", "15:10", "16:10",
                "17:10", "18:10", "19:10", "20:10", "21:1", "22:2");

        scheduler.mayGo(line(smtp("slow")), false);
        assertThat(choose().message().id().value()).as("then it is the first one's turn").isEqualTo(1);
    }

    @Test
    void tenThousandMailingsThatWaitForTheirTurnAreNotAllAsked() {
        IntStream.range(0, 10_000).forEach(_ -> add(message(), smtp("slow"), 1, 10));
        add(message(), smtp("else"), 1, 1);
        int[] asked = new int[1];
        Gate<Boolean> gate = (message, line) -> {
            asked[0]++;
            return line.key().equals("slow") ? Gate.GateAnswer.refused(Code.SPACING) : Counter.FREE;
        };
        assertThat(chooseAll(gate)).containsExactly("10001>smtp/else");
        assertThat(asked[0]).isLessThan(100);

        asked[0] = 0;
        for (int turn = 0; turn < 100; turn++) {
            scheduler.mayGo(line(smtp("slow")), false);
            assertThat(choose().queue().key()).isEqualTo("slow");
            assertThat(chooseAll(gate)).isEmpty();
            scheduler.allow(line(smtp("slow")), 1_000);
        }
        assertThat(asked[0]).as("a hundred turns").isLessThan(100 * 100);
    }

    @Test
    @Tag("PF-26")
    void whenThereIsNoSeatAtAllNoJobIsTouched() {
        add(message(), smtp("a"), 1, 1);
        assertThat(chooseAll((message, line) -> Gate.GateAnswer.refused(Code.CONNECTIONS))).isEmpty();
        assertThat(Counter.list(scheduler, line(smtp("a")).transport).blockers.tag).isEqualTo(1);
        assertThat(Counter.isBlocked(scheduler, line(smtp("a")).first.message())).isFalse();
        assertThat(chooseAll(Counter.OPEN)).hasSize(1);
    }

    @Test
    @Tag("PF-61")
    @Tag("PF-62")
    void theFirstBatchFillsMemoryTheNextMessageGetsTheMinimumAndTheOldestTakesThePool() {
        Message one = scheduler.admit(new QueueId(1), now, 500, 500);
        assertThat(scheduler.nextRead()).contains(new Scheduler.ReadRequest(one, 0, 30));
        Message two = scheduler.admit(new QueueId(2), now, 500, 500);
        assertThat(scheduler.nextRead()).contains(new Scheduler.ReadRequest(two, 0, 5));

        batch(one, 30, false, smtp("a"));
        batch(two, 5, false, smtp("a"));
        assertThat(Counter.job(one).limit).isEqualTo(100);
        assertThat(Counter.job(two).limit).isZero();

        // When the first is read to its end, what it does not need goes to the next that is not.
        scheduler.choose(Counter.OPEN, now);
        assertThat(scheduler.nextRead()).contains(new Scheduler.ReadRequest(one, 30, 75));
        batch(one, 20, true, smtp("a"));
        assertThat(Counter.job(one).limit).isEqualTo(50);
        assertThat(Counter.job(two).limit).isEqualTo(50);
    }

    private void batch(Message message, int count, boolean end, Route route) {
        List<Recipient> some = Counter.recipients(message.readUpTo + 1, count);
        scheduler.batchRead(message, some, end, now);
        scheduler.place(message, some.stream().map(r -> new Scheduler.PlacedRecipient(r, line(route))).toList());
    }

    @Test
    @Tag("PF-65")
    void theSlotsOfOneTransportMayBeFilledByRecipientsOfAnother() {
        Message message = scheduler.admit(new QueueId(1), now, 500, 500);
        scheduler.nextRead();
        List<Recipient> some = Counter.recipients(1, 30);
        scheduler.batchRead(message, some, false, now);
        scheduler.place(message, some.stream()
                .map(r -> new Scheduler.PlacedRecipient(r, line(r.number() == 1 ? new Route.Local("l") : smtp("a"))))
                .toList());
        assertThat(message.limit).isEqualTo(5 + 100 + 100);
        // 205 may be there for the message as a whole, whatever transport they are for.
        scheduler.choose(Counter.OPEN, now);
        assertThat(scheduler.nextRead()).contains(new Scheduler.ReadRequest(message, 30, 175));
        batch(message, 175, false, smtp("a"));
        assertThat(message.existingJob(line(smtp("a")).transport).orElseThrow().inCore).isEqualTo(204);

        // The local job is done and retires; its slots go back to its transport.
        while (message.existingJob(line(new Route.Local("l")).transport).orElseThrow().inCore > 0) {
            Entry entry = choose();
            scheduler.finished(entry);
            scheduler.mayGo(entry.queue(), false);
        }
        assertThat(message.inCore()).isLessThanOrEqualTo(205);
    }

    @Test
    @Tag("PF-64")
    void aSearchPausesForRecipientsOthersGoOnAndItContinuesWhereItStood() {
        Message message = scheduler.admit(new QueueId(++ids), now, 500, 500);
        scheduler.nextRead();
        batch(message, 2, false, smtp("a"));
        add(message(), new Route.Local("l"), 1, 1);

        assertThat(chooseAll(Counter.OPEN)).containsExactly("2>local/l");
        assertThat(scheduler.choose(Counter.OPEN, now)).isInstanceOf(Choice.Nothing.class);
        assertThat(scheduler.nextRead()).isPresent();
        batch(message, 3, true, smtp("a"));
        assertThat(chooseAll(Counter.OPEN)).hasSize(3);
        assertThat(Counter.job(message).isOnList()).isFalse();
        assertThat(reads).containsExactly("1:2", "2:1", "1:3");
    }
}
