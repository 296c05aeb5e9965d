package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.Effects.Ended;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.slipstream.qmgr.place.Yard.REFUSED;
import static org.slipstream.qmgr.place.Yard.to;

/// Events of connections that are gone: each delivery ends once.
class LateEventsTest {
    private static final PlaceRules RULES = PlaceRules.defaults();

    @Test
    void aLateEventOfAConnectionThatIsGoneChangesNothing() {
        Yard yard = new Yard(RULES);
        long gone = yard.idle(1, to("a"));
        yard.seat(1, to("a"));
        yard.seat(1, to("a"));
        yard.lose(gone);
        long next = yard.last();
        yard.ready(next);
        assertThat(yard.deliveredOn).contains(Map.entry(2L, next), Map.entry(3L, next));
        PlaceSnapshot before = yard.connections.snapshot(yard.now);
        List<String> orders = List.copyOf(yard.log);
        List<Ended> ended = List.copyOf(yard.ended);

        yard.ready(gone);
        yard.refuse(gone);
        yard.news(new QmgrEvent.ConnectionLost(gone, "gone"));
        yard.news(new QmgrEvent.ConnectionDepth(gone, 10));
        yard.news(new QmgrEvent.PipelinesBadly(gone, "503 out of step"));
        yard.answer(gone, 2);
        yard.answer(gone, 3, REFUSED, false);
        yard.done(new DeliveryResult.Unanswered(2, gone, Yard.RESET, "mx", false));
        yard.done(new DeliveryResult.OwnFailure(3, gone, REFUSED, DeliveryResult.Scope.TRANSPORT, false));

        assertThat(yard.log).isEqualTo(orders);
        assertThat(yard.ended).isEqualTo(ended);
        assertThat(yard.refusals).isEmpty();
        assertThat(yard.connections.snapshot(yard.now)).isEqualTo(before);
    }

    @Test
    @Tag("FI-38")
    void fi38WhatWasAnsweredIsDeliveredOnceAndEachDeliveryEndsExactlyOnce() {
        Yard yard = new Yard(RULES.with(new PlaceRules.Depth(6, 50, 1)));
        long connection = yard.opened(1, to("a"));
        for (int i = 0; i < 5; i++) {
            yard.seat(1, to("a"));
        }
        yard.answer(connection, 1);
        yard.news(new QmgrEvent.ConnectionLost(connection, "gone"));
        yard.open.remove(connection);
        yard.answer(connection, 2);
        yard.comesBack(connection, 3, true);
        yard.comesBack(connection, 4, false);
        yard.comesBack(connection, 5, false);
        yard.done(new DeliveryResult.OwnFailure(6, connection, REFUSED, DeliveryResult.Scope.MESSAGE, false));
        long second = yard.last();
        yard.ready(second);
        yard.answer(second, 4);
        // The second answer comes over a connection that the delivery has left.
        yard.answer(connection, 4);
        yard.comesBack(connection, 5, false);
        yard.answer(second, 5);
        assertThat(yard.endedDeliveries()).containsExactly(1L, 2L, 3L, 6L, 4L, 5L);
        assertThat(yard.delivered.stream().map(deliver -> deliver.delivery().number())).as("only 4 and 5 twice")
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 4L, 5L);
        assertThat(yard.connections.snapshot(yard.now).counts().withoutSeat()).isZero();
    }

    @Test
    void aDeliveryThatComesBackFromItsSecondConnectionIsNotEndedByALateAnswerOfTheFirst() {
        Yard yard = new Yard(RULES);
        long first = yard.idle(1, to("a"));
        yard.seat(2, to("a"));
        yard.seat(3, to("a"));
        yard.lose(first);
        long second = yard.last();
        yard.ready(second);
        yard.answer(second, 2);
        yard.news(new QmgrEvent.ConnectionLost(second, "gone"));
        yard.answer(first, 3);
        assertThat(yard.endedDeliveries()).containsExactly(1L, 2L);
        yard.comesBack(second, 3, true);
        assertThat(yard.endedDeliveries()).containsExactly(1L, 2L, 3L);
        assertThat(yard.ended.getLast()).isInstanceOf(Ended.Inconclusive.class);
    }

    @Test
    void anAnswerToADeliveryThatDoesNotSitOnTheConnectionIsImpossible() {
        Yard yard = new Yard(RULES);
        long connection = yard.opened(1, to("a"));
        assertThatThrownBy(() -> yard.answer(connection, 99)).isInstanceOf(ImpossibleEventException.class);
        assertThatThrownBy(() -> yard.ready(connection)).isInstanceOf(ImpossibleEventException.class);
        yard.answer(connection, 1);
        assertThat(yard.endedDeliveries()).containsExactly(1L);
    }
}
