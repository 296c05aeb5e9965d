package org.slipstream.qmgr.event;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.event.ActivationOrder.PickUp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// New and deferred mail alternate; when the active set is full, new mail is next.
class ActivationOrderTest {
    private final Deque<ActivationOrder.Offer> incoming = new ArrayDeque<>();
    private final Deque<ActivationOrder.Offer> deferred = new ArrayDeque<>();
    private final ActivationOrder admission = new ActivationOrder(_ -> Optional.ofNullable(incoming.poll()),
            _ -> Optional.ofNullable(deferred.poll()));
    private final List<Long> active = new ArrayList<>();
    private int limit = 100;

    private static ActivationOrder.Offer offer(long id, boolean due) {
        return new ActivationOrder.Offer(
                new MessageSummary(new QueueId(id), Optional.of(Address.of("s@here.example")), 0, 1,
                        1, 1, 0, 0, false, false),
                due);
    }

    private boolean pass() {
        return admission.pass(() -> limit - active.size(), 0, message -> active.add(message.id().value()));
    }

    private void passes(int times) {
        for (int i = 0; i < times; i++) {
            pass();
        }
    }

    @Test
    @Tag("PF-28")
    void newAndDeferredMailTakeTurns() {
        for (int i = 1; i <= 5; i++) {
            incoming.add(offer(i, true));
            deferred.add(offer(100 + i, true));
        }
        passes(6);
        assertThat(active).containsExactly(1L, 101L, 2L, 102L, 3L, 103L);
    }

    @Test
    @Tag("PF-28")
    void anEmptyQueueGivesItsTurnAway() {
        for (int i = 1; i <= 10_000; i++) {
            deferred.add(offer(100_000 + i, true));
        }
        limit = 20_000;
        passes(1_000);
        incoming.add(offer(1, true));
        passes(2);
        assertThat(active).hasSize(1_002).contains(1L);
    }

    @Test
    @Tag("PF-28")
    void aMessageWhoseTimeHasNotComeIsPassedOverForOneOfTheOtherKind() {
        incoming.add(offer(1, false));
        deferred.add(offer(101, true));
        assertThat(pass()).isTrue();
        assertThat(active).containsExactly(101L);
        assertThat(pass()).isFalse();
    }

    @Test
    @Tag("PF-60")
    void whenTheActiveSetWasFullNewMailIsNext() {
        limit = 1;
        for (int i = 1; i <= 3; i++) {
            incoming.add(offer(i, true));
            deferred.add(offer(100 + i, true));
        }
        for (int i = 0; i < 4; i++) {
            pass();
            limit++;
        }
        // One place at a time becomes free, and each admission fills the active set again.
        assertThat(active).containsExactly(1L, 2L, 3L, 101L);
        limit = active.size();
        assertThat(pass()).as("no place, no scan").isFalse();
    }

    @Test
    @Tag("PF-28")
    void newMailMayComeBeforeAllDeferredMail() {
        for (PickUp rule : PickUp.values()) {
            ActivationOrder order = new ActivationOrder(_ -> Optional.ofNullable(incoming.poll()),
                    _ -> Optional.ofNullable(deferred.poll()));
            order.change(rule);
            for (long i = 1; i <= 4; i++) {
                incoming.add(offer(i, true));
                deferred.add(offer(100 + i, true));
            }
            List<Long> all = new ArrayList<>();
            while (order.pass(() -> 9, 0, message -> all.add(message.id().value()))) {
                // One message a pass.
            }
            assertThat(all).containsExactlyElementsOf(rule == PickUp.NEW_FIRST
                    ? List.of(1L, 2L, 3L, 4L, 101L, 102L, 103L, 104L)
                    : List.of(1L, 101L, 2L, 102L, 3L, 103L, 4L, 104L));
        }
    }
}
