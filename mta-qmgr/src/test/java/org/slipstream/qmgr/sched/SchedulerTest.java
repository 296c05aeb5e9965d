package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The order of service by itself.
class SchedulerTest {
    private static final Gate OPEN = (message, line) -> Gate.Answer.FREE;

    private final Scheduler scheduler = new Scheduler(2, 10);

    private static Route smtp(String hop) {
        return new Route.Smtp(hop, List.of(new Route.Host(hop, 25, 0)));
    }

    private static List<Recipient> recipients(int from, int count) {
        return IntStream.range(from, from + count).mapToObj(i -> new Recipient(i, Address.of("r" + i + "@x.example")))
                .toList();
    }

    private Message message(long id) {
        Message message = scheduler.admit(new QueueId(id), 1);
        scheduler.nextRead();
        return message;
    }

    private void add(Message message, Route route, int from, int count) {
        List<Recipient> some = recipients(from, count);
        scheduler.batchRead(message, some, true);
        scheduler.add(message, scheduler.line(route), some);
    }

    private List<String> selectAll(Gate gate) {
        List<String> taken = new ArrayList<>();
        for (Optional<Entry> e = scheduler.select(gate); e.isPresent(); e = scheduler.select(gate)) {
            taken.add(e.get().message().id().value() + ">" + e.get().line());
        }
        return taken;
    }

    @Test
    @Tag("PF-20")
    void threeMessagesBecomeTheGraphOfTheBook() {
        Message one = message(1);
        add(one, smtp("a"), 1, 3);
        add(one, new Route.Local("b"), 4, 1);
        Message two = message(2);
        add(two, smtp("a"), 1, 1);
        Message three = message(3);
        add(three, smtp("c"), 1, 2);

        assertThat(one.jobs).extracting(job -> job.transport.name).containsExactly("smtp", "local");
        assertThat(one.waiting()).isEqualTo(3);
        Line a = scheduler.line(smtp("a"));
        assertThat(a.peers.values()).extracting(peer -> peer.job.message).containsExactly(one, two);
        assertThat(a.peers.firstEntry().getValue().waiting).extracting(e -> e.recipients().size()).containsExactly(2,
                1);
        assertThat(scheduler.lines()).extracting(Line::toString).containsExactlyInAnyOrder("smtp/a", "smtp/c",
                "local/b");
    }

    @Test
    void aLaterBatchTopsUpAWaitingEntry() {
        Message message = message(1);
        add(message, smtp("a"), 1, 1);
        add(message, smtp("a"), 2, 2);

        assertThat(scheduler.line(smtp("a")).peers.firstEntry().getValue().waiting).extracting(Entry::recipients)
                .containsExactly(recipients(1, 2), recipients(3, 1));
    }

    @Test
    @Tag("PF-24")
    void transportsInTurnThenJobsByAgeThenPeersInTurn() {
        Message one = message(1);
        add(one, smtp("a"), 1, 4);
        add(one, smtp("b"), 5, 2);
        add(one, new Route.Local("l"), 7, 4);
        Message two = message(2);
        add(two, smtp("a"), 1, 1);

        // The transport that came last is at the front.
        assertThat(selectAll(OPEN)).containsExactly("1>local/l", "1>smtp/a", "1>local/l", "1>smtp/b", "1>smtp/a",
                "2>smtp/a");
    }

    @Test
    void anOlderMessageWhoseRouteIsKnownLaterStillGoesFirst() {
        Message one = message(1);
        Message two = message(2);
        add(two, smtp("a"), 1, 1);
        add(one, smtp("a"), 1, 1);

        assertThat(selectAll(OPEN)).containsExactly("1>smtp/a", "2>smtp/a");
    }

    @Test
    @Tag("PF-51")
    void aFullDestinationIsAskedOnceUntilSomethingHappensThere() {
        for (int i = 1; i <= 100; i++) {
            add(message(i), smtp("full"), 1, 1);
        }
        add(message(101), smtp("free"), 1, 1);
        int[] asked = new int[1];
        Gate gate = (message, line) -> {
            asked[0]++;
            return line.nextHop().equals("full") ? Gate.Answer.NOT_HERE : Gate.Answer.FREE;
        };
        assertThat(selectAll(gate)).containsExactly("101>smtp/free");
        assertThat(asked[0]).isEqualTo(2);
        assertThat(selectAll(OPEN)).isEmpty();

        scheduler.seatMayBeFree(scheduler.line(smtp("full")));
        assertThat(selectAll(OPEN)).hasSize(100).startsWith("1>smtp/full", "2>smtp/full");
    }

    @Test
    void withdrawingAMessageLeavesTheOthersInOrder() {
        Message one = message(1);
        add(one, smtp("a"), 1, 3);
        add(one, smtp("b"), 4, 1);
        Message two = message(2);
        add(two, smtp("a"), 1, 1);

        assertThat(scheduler.withdraw(one)).hasSize(3);
        assertThat(one.isExhausted()).isTrue();
        assertThat(selectAll(OPEN)).containsExactly("2>smtp/a");
    }

    @Test
    void theNextBatchIsWishedForWhenTheLastOneIsGone() {
        Message message = scheduler.admit(new QueueId(1), 25);
        assertThat(scheduler.nextRead()).contains(new Scheduler.Read(message, 0, 10));
        scheduler.batchRead(message, recipients(1, 10), false);
        scheduler.add(message, scheduler.line(smtp("a")), recipients(1, 9));
        scheduler.settled(message, 1);
        assertThat(scheduler.nextRead()).isEmpty();
        for (int i = 0; i < 5; i++) {
            assertThat(scheduler.nextRead()).isEmpty();
            scheduler.finished(scheduler.select(OPEN).orElseThrow());
        }
        assertThat(scheduler.nextRead()).contains(new Scheduler.Read(message, 10, 10));
    }

    /// The list without a walk decides as the walk would: oldest job first, its peers in turn.
    @RepeatedTest(200)
    void theShortWayEqualsTheLongWalk(RepetitionInfo info) {
        long seed = info.getCurrentRepetition();
        Random random = new Random(seed);
        List<Message> messages = new ArrayList<>();
        Set<String> full = new LinkedHashSet<>();
        for (int i = 0; i < 100; i++) {
            switch (random.nextInt(4)) {
                case 0 -> messages.add(message(messages.size() + 1));
                case 1 -> {
                    if (!messages.isEmpty()) {
                        add(messages.get(random.nextInt(messages.size())), smtp("d" + random.nextInt(6)), 1 + i * 10,
                                1 + random.nextInt(5));
                    }
                }
                case 2 -> {
                    String hop = "d" + random.nextInt(6);
                    if (!full.remove(hop)) {
                        full.add(hop);
                    } else {
                        scheduler.seatMayBeFree(scheduler.line(smtp(hop)));
                    }
                }
                default -> {
                    Optional<Peer> byWalk = walk(messages, full);
                    Optional<Entry> taken = scheduler.select((_, line) -> full.contains(line.nextHop())
                            ? Gate.Answer.NOT_HERE
                            : Gate.Answer.FREE);
                    assertThat(taken.map(e -> e.message().id() + " " + e.line())).as("seed %d step %d", seed, i)
                            .isEqualTo(byWalk.map(p -> p.job.message.id() + " " + p.line));
                }
            }
        }
    }

    private static Optional<Peer> walk(List<Message> messages, Set<String> full) {
        for (Message message : messages) {
            Optional<Peer> first = message.jobs.stream().flatMap(job -> job.peers.stream())
                    .filter(peer -> !full.contains(peer.line.nextHop())).min((x, y) -> Long.compare(x.turn, y.turn));
            if (first.isPresent()) {
                return first;
            }
        }
        return Optional.empty();
    }
}
