package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Delivery;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.trace.RefusalObserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Which events are refusals, and how many.
class RefusalObserverTest {
    private static final String MX = "mx.far.example[192.0.2.1]:25";
    private static final Reply BUSY = Reply.of(421, "4.7.0", "too many connections");
    private static final Route FAR = new Route.Smtp("far.example", List.of(new Route.Host("mx.far.example", 25, 0)));
    private static final Route NEAR = new Route.Smtp("near.example", List.of(new Route.Host("mx.far.example", 25, 0)));

    private final List<String> seen = new ArrayList<>();
    private final RefusalObserver observer = new RefusalObserver((at, route, remote, reply) -> seen
            .add(at + " " + route.nextHop() + " " + remote + " " + reply));

    private void opens(long connection, Route route) {
        observer.ordered(0, new QmgrOrder.Open(connection, route));
    }

    private void delivers(long number, Route route) {
        List<Recipient> recipients = List.of(new Recipient(1, Address.parse("bob@far.example").orElseThrow()));
        observer.ordered(0, new QmgrOrder.Deliver(7, new Delivery(number, new QueueId(1), route, recipients)));
    }

    private void done(long number, Reply... replies) {
        List<RecipientOutcome> outcomes = IntStream.range(0, replies.length)
                .mapToObj(i -> new RecipientOutcome(i + 1, Outcome.of(replies[i], MX))).toList();
        observer.happened(9, new QmgrEvent.DeliveryDone(new DeliveryResult.Answered(number, 7, outcomes, true)));
    }

    @Test
    void aRefusedConnectionIsOneAndAFailureOfThisServerIsNone() {
        opens(1, FAR);
        observer.happened(5, new QmgrEvent.ConnectionFailed(1, BUSY, MX));
        opens(2, FAR);
        observer.happened(6, new QmgrEvent.ConnectionFailed(2, Reply.of(451, "4.3.0", "too many open files"), MX, true,
                OptionalLong.empty(), Optional.empty()));
        assertThat(seen).containsExactly("5 far.example " + MX + " 421 4.7.0 too many connections");
    }

    @Test
    void aDeliveryCountsForItsOwnDestinationOnASharedConnection() {
        opens(7, FAR);
        observer.happened(1, new QmgrEvent.ConnectionReady(7));
        delivers(1, FAR);
        delivers(2, NEAR);
        done(1, Reply.of(250, "2.0.0", "ok"));
        done(2, Reply.of(450, "4.7.1", "slow down"));
        assertThat(seen).containsExactly("9 near.example " + MX + " 450 4.7.1 slow down");
    }

    @Test
    void recipientsWithTheSameReplyAreOneRefusalAndADeliveryHasTenAtMost() {
        delivers(1, FAR);
        done(1, BUSY, BUSY, Reply.of(250, "2.0.0", "ok"), Reply.of(550, "5.1.1", "no such user"), BUSY);
        assertThat(seen).hasSize(2);

        seen.clear();
        delivers(2, FAR);
        done(2, IntStream.range(0, 50).mapToObj(i -> Reply.of(450, "4.2.0", "later " + i)).toArray(Reply[]::new));
        assertThat(seen).hasSize(10);
    }

    @Test
    void aBrokenConnectionIsOneAndADeliveryThatIsNotKnownIsNone() {
        delivers(1, FAR);
        observer.happened(9, new QmgrEvent.DeliveryDone(
                new DeliveryResult.Unanswered(1, 7, Reply.of(450, "4.4.2", "connection reset"), MX, false)));
        done(1, BUSY);
        delivers(3, FAR);
        observer.happened(9, new QmgrEvent.DeliveryDone(
                new DeliveryResult.OwnFailure(3, 7, BUSY, DeliveryResult.Scope.MESSAGE, true)));
        assertThat(seen).containsExactly("9 far.example " + MX + " 450 4.4.2 connection reset");
    }
}
