package org.slipstream.qmgr.sched;

import org.junit.jupiter.api.Test;
import org.slipstream.core.queue.QueuePhase.Code;
import org.slipstream.core.queue.QueuePhase.Extent;
import org.slipstream.qmgr.sched.Gate.GateAnswer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Thousands of messages that one limit refuses, beside other mail for the same destinations.
class LimitOfMessagesTest {
    private static final int HELD = 2_000;

    private final Counter counter = new Counter(Counter.slots(5, 3, 50, 3), true);
    private final Set<Message> limited = new HashSet<>();
    private final List<Entry> served = new ArrayList<>();
    private boolean open;
    private int asked;
    private final Blocker limit = () -> open;

    private GateAnswer<Boolean> gate(Message message) {
        if (!limited.contains(message)) {
            return Counter.FREE;
        }
        asked++;
        return open ? Counter.FREE : new GateAnswer.Refused<>(Code.SENDER, Extent.MESSAGE, Optional.of(limit));
    }

    private Message message(int number) {
        return counter.messageFor(1, List.of(counter.line("d" + number % 5 + ".example")));
    }

    private Optional<Entry> choose() {
        Optional<Entry> chosen = counter.scheduler.choose((message, _) -> gate(message),
                counter.now) instanceof Choice.Taken(Entry entry, _) ? Optional.of(entry) : Optional.empty();
        chosen.ifPresent(served::add);
        return chosen;
    }

    private void finish(Entry entry) {
        counter.scheduler.finished(entry);
        counter.scheduler.mayGo(entry.queue(), false);
        counter.now += 1_000;
    }

    private boolean serve() {
        Optional<Entry> chosen = choose();
        chosen.ifPresent(this::finish);
        return chosen.isPresent();
    }

    /// The end of each delivery to a full destination voids all marks.
    @Test
    void aSearchFromTheFirstJobPassesThemAsOneRun() {
        IntStream.range(0, HELD).forEach(i -> limited.add(message(i)));
        assertThat(serve()).isFalse();
        DestinationQueue busy = counter.line("busy.example");
        counter.scheduler.allow(busy, 1);
        IntStream.range(0, 100).forEach(_ -> counter.messageFor(1, List.of(busy)));
        asked = 0;
        for (int i = 0; i < 100; i++) {
            assertThat(choose()).isPresent();
            assertThat(choose()).isEmpty();
            finish(served.removeLast());
        }
        assertThat(asked).isLessThan(2_000);
    }

    @Test
    void anEventDoesNotAskEachOfThem() {
        IntStream.range(0, HELD).forEach(i -> limited.add(message(i)));
        assertThat(serve()).isFalse();
        assertThat(asked).isBetween(HELD, HELD + 10);
        asked = 0;
        for (int i = 0; i < 200; i++) {
            Message other = message(i);
            assertThat(serve()).isTrue();
            assertThat(served.getLast().message()).isSameAs(other);
            assertThat(serve()).isFalse();
        }
        assertThat(asked).isLessThan(2_000);

        open = true;
        counter.scheduler.seatsMayBeFree();
        while (serve()) {
            // until nothing waits
        }
        assertThat(served).hasSize(HELD + 200);
    }
}
