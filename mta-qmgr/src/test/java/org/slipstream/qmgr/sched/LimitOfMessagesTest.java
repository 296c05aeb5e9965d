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
    private final List<Message> served = new ArrayList<>();
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

    private boolean serve() {
        if (!(counter.scheduler.choose((message, _) -> gate(message), counter.now)
                instanceof Choice.Taken(Entry entry, _))) {
            return false;
        }
        served.add(entry.message());
        counter.scheduler.finished(entry);
        counter.scheduler.mayGo(entry.queue(), false);
        counter.now += 1_000;
        return true;
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
            assertThat(served.getLast()).isSameAs(other);
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
