package org.slipstream.qmgr.run;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.QueueManager;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.List;
import java.util.Optional;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// A message that waits although nothing holds it. A queue manager that is not pumped loses the wake-up.
@Tag("ZM-22")
class StuckWatchTest {
    private static final long START = 1_000_000;

    private final QueueManager manager = new QueueManager(QmgrConfig.defaults(),
            QmgrConfig.defaults().plainSeating(new Random(1)), new Random(1));
    private final StuckWatch watch = new StuckWatch();

    private void active(long number) {
        QueueId id = new QueueId(number);
        manager.step(new QmgrEvent.MessageQueued(new MessageSummary(id, Optional.of(Address.of("s@here.example")),
                START, 10, 1, 1, 0, 0, false, false)), START, _ -> {});
        manager.step(new QmgrEvent.RecipientsRead(id, List.of(new Recipient(1, Address.of("a@" + number + ".example"))),
                true), START, _ -> {});
    }

    /// The message is routed, and the choice that would deliver it is not made.
    private void forgotten(long number) {
        manager.absorb(new QmgrEvent.RouteKnown(number + ".example", new Route.Discard(number + ".example")), START,
                _ -> {});
    }

    @Test
    void eachStuckMessageIsCountedAndLoggedOnceAfterAMinute() {
        active(1);
        active(2);
        forgotten(1);
        assertThat(watch.look(manager, START)).isEmpty();
        forgotten(2);
        assertThat(watch.look(manager, START + 59_000)).as("a minute is not over").isEmpty();
        assertThat(watch.look(manager, START + 60_000)).containsExactly(new QueueId(1));
        assertThat(watch.look(manager, START + 120_000)).containsExactly(new QueueId(2));
        assertThat(watch.look(manager, START + 180_000)).as("once for each").isEmpty();
        assertThat(watch.count()).isEqualTo(2);
    }

    @Test
    void aMessageThatIsDeliveredLaterIsNoFault() {
        active(1);
        forgotten(1);
        watch.look(manager, START);
        manager.pump(START + 1, _ -> {});
        watch.look(manager, START + 60_000);
        watch.look(manager, START + 120_000);
        assertThat(watch.count()).isZero();
    }
}
