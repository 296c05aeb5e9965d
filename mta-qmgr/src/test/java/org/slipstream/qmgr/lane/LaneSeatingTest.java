package org.slipstream.qmgr.lane;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.Outcome;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.Seating.Aftermath;
import org.slipstream.qmgr.Seating.Answer;
import org.slipstream.qmgr.Seating.Fate;
import org.slipstream.qmgr.Seating.Load;
import org.slipstream.qmgr.Settings;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// One lane, one connection: which is used, opened, closed.
class LaneSeatingTest {
    private static final Route A = route("a.example");
    private static final Route B = route("b.example");
    private static final QueueId ID = new QueueId(1);
    private static final List<Recipient> ONE = List.of(new Recipient(1, Address.of("x@a.example")));

    private final LaneSeating seating = new LaneSeating(Settings.of(s -> s.lanes(2, 3)));
    private final List<QmgrOrder> orders = new ArrayList<>();
    private long now = 1_000;
    private long deliveries;

    private static Route route(String domain) {
        return new Route.Smtp(domain, List.of(new Route.Host("mx." + domain, 25, 10)));
    }

    private long seat(Route route) {
        assertThat(seating.ask(ID, route, now)).isInstanceOf(Answer.Free.class);
        seating.seat(new Load(++deliveries, ID, route, ONE), now, orders::add);
        return deliveries;
    }

    /// Seats and lets the connection, if one was ordered, come up; the connection's number.
    private long connect(Route route) {
        seat(route);
        if (orders.getLast() instanceof QmgrOrder.Open open) {
            happens(new QmgrEvent.ConnectionReady(open.connection()));
        }
        return ((QmgrOrder.Deliver) orders.getLast()).connection();
    }

    private Aftermath happens(QmgrEvent.OfConnection event) {
        return seating.happened(event, now, orders::add);
    }

    private Aftermath done(long delivery, long connection, boolean usable, boolean trouble) {
        Reply reply = trouble ? Reply.of(421, "4.3.2", "closing") : Reply.of(250, "ok");
        return happens(new QmgrEvent.DeliveryDone(delivery, connection,
                List.of(new RecipientOutcome(1, Outcome.of(reply, "mx"))), usable, trouble));
    }

    @Test
    void theEntryIsDeliveredWhenItsConnectionIsUp() {
        seat(A);
        assertThat(orders).containsExactly(new QmgrOrder.Open(1, A));
        happens(new QmgrEvent.ConnectionReady(1));
        assertThat(orders).last().isEqualTo(new QmgrOrder.Deliver(1, 1, ID, A, ONE));
    }

    @Test
    void anIdleConnectionIsUsedAgainTheLatestFirst() {
        long first = connect(A);
        long second = connect(A);
        done(2, second, true, false);
        now++;
        done(1, first, true, false);
        orders.clear();
        seat(A);

        assertThat(orders).containsExactly(new QmgrOrder.Deliver(3, first, ID, A, ONE));
    }

    @Test
    @Tag("PF-26")
    void theFirstGateThatSaysNoNamesTheReason() {
        connect(A);
        connect(A);
        assertThat(seating.ask(ID, A, now)).isEqualTo(new Answer.FullHere("all 2 lanes to smtp/a.example are busy"));
        connect(B);
        assertThat(seating.ask(ID, B, now)).isEqualTo(new Answer.FullEverywhere("all 3 lanes of smtp are busy"));
        assertThat(seating.ask(ID, A, now)).isInstanceOf(Answer.FullEverywhere.class);
        assertThat(seating.ask(ID, new Route.Local("b.example"), now)).isInstanceOf(Answer.Free.class);
        assertThat(seating.connections(A)).isEqualTo(2);
    }

    @Test
    @Tag("FI-36")
    void whenAllLanesAreTakenTheOneIdleForLongestMakesRoomForAnotherDestination() {
        long first = connect(A);
        long second = connect(A);
        long third = connect(B);
        done(2, second, true, false);
        now++;
        done(1, first, true, false);
        orders.clear();
        seat(B);

        assertThat(orders).containsExactly(new QmgrOrder.Close(second), new QmgrOrder.Open(third + 1, B));
        assertThat(seating.connections(A)).isEqualTo(1);
        assertThat(seating.connections(B)).isEqualTo(2);
    }

    private int closed() {
        return (int) orders.stream().filter(QmgrOrder.Close.class::isInstance).count();
    }

    @Test
    @Tag("PF-71")
    void whereMailFlowsAnIdleLaneIsKeptForTwoSeconds() {
        long lane = connect(A);
        assertThat(seating.nextAlarmMillis()).isEqualTo(Long.MAX_VALUE);
        done(1, lane, true, false);
        now += 900;
        assertThat(connect(A)).as("the same connection").isEqualTo(lane);
        done(2, lane, true, false);
        assertThat(seating.nextAlarmMillis()).isEqualTo(now + 2_000);
        now += 1_999;
        seating.alarm(now, orders::add);
        assertThat(closed()).isZero();
        now++;
        seating.alarm(now, orders::add);
        assertThat(orders).last().isEqualTo(new QmgrOrder.Close(lane));
        assertThat(seating.nextAlarmMillis()).isEqualTo(Long.MAX_VALUE);
        assertThat(seating.connections(A)).isZero();
    }

    @Test
    @Tag("PF-71")
    void whereMailTricklesNoConnectionIsKeptForIt() {
        for (int i = 1; i <= 5; i++) {
            assertThat(connect(A)).as("a new connection each time").isEqualTo(i);
            done(i, i, true, false);
            now += 1_000;
            seating.alarm(now, orders::add);
            assertThat(closed()).isEqualTo(i);
            now += 500;
        }
    }

    @Test
    @Tag("PF-71")
    void theHintIsKeptWhileOthersRunAndGivenUpWhenOneStartsAlone() {
        long first = connect(A);
        done(1, first, true, false);
        connect(A); // back to back: worth keeping from now on
        now += 5_000;
        long second = connect(A); // long after the last end, but not alone
        done(3, second, true, false);
        assertThat(seating.nextAlarmMillis()).isEqualTo(now + 2_000);
        done(2, first, true, false);
        now += 1_500;
        long again = connect(A); // nobody else runs, and the last end is a while ago
        done(4, again, true, false);
        assertThat(seating.nextAlarmMillis()).as("the other's time, or a moment for this one")
                .isEqualTo(Math.min(now + 500, now + 1_000));
    }

    @Test
    @Tag("PF-71")
    void aConnectionIsNotUsedForEver() {
        long lane = connect(A);
        for (int i = 1; now < 301_000; i++) {
            now += 500;
            done(i, lane, true, false);
            if (closed() == 0) {
                assertThat(connect(A)).isEqualTo(lane);
            }
        }
        assertThat(orders).last().isEqualTo(new QmgrOrder.Close(lane));
        assertThat(connect(A)).isEqualTo(lane + 1);
    }

    @Test
    void anEntryWhoseConnectionCannotBeOpenedComesBack() {
        seat(A);
        Reply refused = Reply.of(450, "4.4.1", "refused");
        Aftermath after = happens(new QmgrEvent.ConnectionFailed(1, refused, "mx.a.example"));

        assertThat(after.fates()).containsExactly(new Fate.Troubled(1,
                List.of(new RecipientOutcome(1, new Outcome.Deferred(refused, "mx.a.example"))), refused, true));
        assertThat(seating.connections(A)).isZero();
    }

    @Test
    void troubleSaysWhetherAnotherConnectionStands() {
        connect(A);
        seat(A);
        Aftermath after = happens(new QmgrEvent.ConnectionFailed(2, Reply.of(450, "refused"), "mx"));
        assertThat(after.fates()).singleElement().isInstanceOfSatisfying(Fate.Troubled.class,
                t -> assertThat(t.cutOff()).isFalse());
        Aftermath last = done(1, 1, false, true);
        assertThat(last.fates()).singleElement().isInstanceOfSatisfying(Fate.Troubled.class, t -> {
            assertThat(t.cutOff()).isTrue();
            assertThat(t.reason().code()).isEqualTo(421);
        });
    }

    @Test
    void aConnectionThatEndsWithItsEntryIsNotUsedAgain() {
        long lane = connect(A);
        assertThat(done(1, lane, false, false).fates()).singleElement().isInstanceOf(Fate.Worked.class);
        orders.clear();
        seat(A);
        assertThat(orders).containsExactly(new QmgrOrder.Open(2, A));
    }

    @Test
    void anIdleConnectionThatThePeerClosedIsForgotten() {
        long lane = connect(A);
        done(1, lane, true, false);
        assertThat(happens(new QmgrEvent.ConnectionLost(lane, "timeout"))).isEqualTo(Aftermath.NOTHING);
        orders.clear();
        seat(A);
        assertThat(orders).containsExactly(new QmgrOrder.Open(2, A));
        assertThat(orders).noneMatch(QmgrOrder.Close.class::isInstance);
    }

    @Test
    void anEntrySentOverAConnectionThatWasJustLostMovesToAnother() {
        long lane = connect(A);
        done(1, lane, true, false);
        seat(A);
        assertThat(happens(new QmgrEvent.ConnectionLost(lane, "peer hung up")).fates()).isEmpty();
        assertThat(orders).last().isEqualTo(new QmgrOrder.Open(2, A));
        // The lost connection's own answer, late, means nothing any more.
        assertThat(done(2, lane, false, true)).isEqualTo(Aftermath.NOTHING);
        happens(new QmgrEvent.ConnectionReady(2));
        assertThat(orders).last().isEqualTo(new QmgrOrder.Deliver(2, 2, ID, A, ONE));
        assertThat(done(2, 2, true, false).fates()).hasSize(1);
    }

    @Test
    void aWordAboutAConnectionThatWeClosedMeanwhileIsNoNews() {
        long lane = connect(A);
        done(1, lane, true, false);
        now += 2_000;
        seating.alarm(now, orders::add);
        assertThat(happens(new QmgrEvent.ConnectionLost(lane, "closed"))).isEqualTo(Aftermath.NOTHING);
    }

    @Test
    void whatCannotHappenIsRefused() {
        assertThatThrownBy(() -> happens(new QmgrEvent.ConnectionReady(1)))
                .isInstanceOf(ImpossibleEventException.class);
        seat(A);
        assertThatThrownBy(() -> done(1, 1, true, false)).isInstanceOf(ImpossibleEventException.class)
                .hasMessageContaining("OPENING");
        happens(new QmgrEvent.ConnectionReady(1));
        assertThatThrownBy(() -> happens(new QmgrEvent.ConnectionReady(1)))
                .isInstanceOf(ImpossibleEventException.class);
        assertThatThrownBy(() -> done(7, 1, true, false)).isInstanceOf(ImpossibleEventException.class);
    }

    @Test
    void anEntryThatComesBackUnansweredWasTroubleAndWhatWiresSayOfDepthIsNoMatterOfLanes() {
        long connection = connect(A);
        assertThat(happens(new QmgrEvent.ConnectionDepth(connection, 10))).isEqualTo(Aftermath.NOTHING);
        Aftermath after = happens(new QmgrEvent.DeliveryReturned(deliveries, connection,
                Reply.of(450, "4.4.2", "connection reset"), "mx", true));
        assertThat(after.fates()).singleElement().isInstanceOfSatisfying(Fate.Troubled.class, t -> {
            assertThat(t.delivery()).isEqualTo(deliveries);
            assertThat(t.outcomes()).hasSize(1);
        });
        assertThat(seating.connections(A)).isZero();
    }
}
