package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.sched.Counter.job;
import static org.slipstream.qmgr.sched.Counter.smtp;

/// Messages that do not fit into memory.
class MemoryTest {
    private static final int LIVES = Boolean.getBoolean("slipstream.long") ? 100 : 24;

    private static ServiceRules rules(int cost, int limit, int extra) {
        return new ServiceRules(cost, 0, 0, 0, 1, limit, extra, 1, 5_000);
    }

    private static Scheduler scheduler(ServiceRules rules, int recipientLimit, int minimum) {
        return new Scheduler(recipientLimit, minimum, 5_000, _ -> rules, OrderPolicy.PREEMPTIVE, new SchedTrace() {},
                BothSearches::new, true);
    }

    /// This number of further recipients, each for another destination.
    private static void read(Scheduler scheduler, Message message, int count, boolean end,
            Function<Recipient, Route> routes) {
        List<Recipient> batch = Counter.recipients(message.readUpTo + 1, count);
        scheduler.batchRead(message, batch, end, 0);
        scheduler.place(message, batch.stream().map(r -> {
            DestinationQueue line = scheduler.queue(routes.apply(r), "r" + message.id().value() + "." + r.number());
            scheduler.allow(line, 1);
            return new Scheduler.PlacedRecipient(r, line);
        }).toList());
    }

    private static Entry choose(Scheduler scheduler) {
        return ((Choice.Taken<Boolean>) scheduler.choose(Counter.OPEN, 0)).entry();
    }

    @Test
    @Tag("PF-56")
    void aJobWithNothingInMemoryIsRetiredAndComesBackWithItsSavingsWhenMoreIsRead() {
        Scheduler scheduler = scheduler(rules(2, 0, 0), 5, 5);
        Message message = scheduler.admit(new QueueId(1), 0, 100, 100);
        scheduler.nextRead();
        // One for a mailbox, one to discard, three for a destination without a seat: five is the
        // limit.
        read(scheduler, message, 5, false, r -> r.number() == 1
                ? new Route.Local("l")
                : r.number() == 2 ? new Route.Discard("d") : smtp("far"));
        List<DestinationQueue> far = scheduler.queues("smtp");
        far.forEach(line -> scheduler.allow(line, 0));
        Entry one = choose(scheduler);
        Entry two = choose(scheduler);
        assertThat(List.of(one.queue().transport(), two.queue().transport())).containsExactlyInAnyOrder("local",
                "discard");
        Job mailbox = message.existingJob(scheduler.queue(new Route.Local("l"), "r1.1").transport).orElseThrow();
        Job remote = message.existingJob(far.getFirst().transport).orElseThrow();

        // Another message triggers the search.
        Message other = scheduler.admit(new QueueId(2), 0, 2, 2);
        scheduler.nextRead();
        read(scheduler, other, 2, true, _ -> new Route.Local("l"));
        choose(scheduler);
        assertThat(mailbox.isOnList()).as("stalled: all that was in memory runs, and more may not be read").isFalse();
        assertThat(remote.isOnList()).as("blocked only").isTrue();
        assertThat(mailbox.slots.balance).isEqualTo(1);

        scheduler.finished(one.message() == message && one.queue().transport().equals("local") ? one : two);
        far.forEach(line -> {
            scheduler.allow(line, 1);
            scheduler.mayGo(line, false);
        });
        assertThat(scheduler.choose(Counter.OPEN, 0)).isInstanceOf(Choice.Reading.class);
        assertThat(scheduler.nextRead()).contains(new Scheduler.ReadRequest(message, 5, 1));
        read(scheduler, message, 1, false, _ -> new Route.Local("l"));
        assertThat(mailbox.isOnList()).as("revived").isTrue();
        assertThat(mailbox.slots.balance).as("what it has saved it keeps").isEqualTo(1);
    }

    @Test
    @Tag("PF-63")
    void anUnreadJobThatPreemptsGetsHalfOfThePoolAndTheExtraPoolTogether() {
        Scheduler scheduler = scheduler(rules(2, 100, 20), 20, 5);
        Message bulk = scheduler.admit(new QueueId(1), 0, 20, 20);
        scheduler.nextRead();
        read(scheduler, bulk, 20, true, _ -> smtp("far"));
        TransportQueues transport = scheduler.at(job(bulk).transport);
        assertThat(transport.pool.free).as("twenty are in memory").isEqualTo(100 - 20);

        // Eight recipients, five of them read: it takes all that is left when it enters.
        Message unread = scheduler.admit(new QueueId(2), 0, 8, 8);
        scheduler.nextRead();
        read(scheduler, unread, 5, false, _ -> smtp("far"));
        assertThat(transport.pool.free).isZero();
        assertThat(job(unread).limit).isEqualTo(80);

        List<Entry> bulks = new ArrayList<>();
        while (job(unread).level <= 0) {
            Entry entry = ((Choice.Taken<Boolean>) chooseReading(scheduler, unread)).entry();
            if (entry.message() == bulk) {
                bulks.add(entry);
            }
        }
        assertThat(bulks).as("eight entries need sixteen").hasSize(16);
        assertThat(job(unread).limit).isEqualTo(80 + (20 + 0 + 1) / 2);
        assertThat(transport.pool.free).isEqualTo(-10);

        // A second preempting job finds half of the rest, and the negative balance recovers when
        // slots return.
        RecipientPool pool = transport.pool;
        pool.lendExtraTo(job(bulk));
        assertThat(pool.free).isEqualTo(-10 - (20 - 10 + 1) / 2);
        assertThat(pool.free).isGreaterThanOrEqualTo(-20);
    }

    // A refill is due at every selection; it returns nothing here.
    private static Choice<Boolean> chooseReading(Scheduler scheduler, Message unread) {
        Choice<Boolean> choice = scheduler.choose(Counter.OPEN, 0);
        while (choice instanceof Choice.Reading) {
            scheduler.nextRead();
            scheduler.batchRead(unread, List.of(), false, 0);
            choice = scheduler.choose(Counter.OPEN, 0);
        }
        return choice;
    }

    /// The published bound counts what messages may have: the minimum each, and the slots that are
    /// lent. A first batch that filled memory up to the limit of the process may be more than its
    /// message may have afterwards; that much comes on top.
    @Test
    @Tag("PF-67")
    void recipientsInMemoryStayWithinTheBoundAndWhatTheFirstBatchIsAhead() {
        Scheduler scheduler = scheduler(rules(2, 20, 0), 100, 10);
        for (int i = 1; i <= 50; i++) {
            Message message = scheduler.admit(new QueueId(i), 0, 1_000, 1_000);
            int batch = scheduler.nextRead().orElseThrow().limit();
            assertThat(batch).isEqualTo(i == 1 ? 100 : 10);
            read(scheduler, message, batch, false, _ -> smtp("far"));
        }
        int published = Math.max(10 * 50 + 20, 100);
        int aheadOfItsSlots = 100 - (10 + 20);
        assertThat(scheduler.inCore()).isEqualTo(590).isEqualTo(published + aheadOfItsSlots);
    }

    /// [Life] asserts the invariants after every step; this test checks how close runs come to the
    /// published bound.
    @Test
    @Tag("PF-67")
    void recipientsInMemoryNeverExceedTheBoundInManyLives() {
        int nearest = 0;
        int beyond = 0;
        for (long seed = 1_001; seed <= 1_000 + LIVES; seed++) {
            Life life = new Life(seed, OrderPolicy.values()[(int) (seed % 3)]);
            for (int i = 0; i < 800; i++) {
                life.step();
            }
            assertThat(life.mostInCore).as("seed %d", seed)
                    .isLessThanOrEqualTo(life.publishedBound() + life.recipientLimit);
            nearest = Math.max(nearest, 100 * life.mostInCore / life.publishedBound());
            beyond += life.mostInCore > life.publishedBound() ? 1 : 0;
        }
        // A bound far above all runs would prove nothing; one that is often exceeded would be none.
        assertThat(nearest).isGreaterThan(60);
        assertThat(beyond).isLessThan(5);
    }
}
