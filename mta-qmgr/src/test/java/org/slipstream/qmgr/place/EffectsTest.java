package org.slipstream.qmgr.place;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Reply;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class EffectsTest {
    private static final Effects ENDED = new Effects(List.of(new Effects.Ended.Inconclusive(1, List.of())), List.of(),
            List.of(), false);
    private static final Effects REFUSED = new Effects(List.of(new Effects.Ended.Inconclusive(2, List.of())),
            List.of(new Effects.Refusal(3, Reply.of(450, "busy"))), List.of(4L), true);

    @Test
    void theEffectsOfSeveralTransportsStandInTheirOrder() {
        assertThat(ENDED.and(REFUSED)).isEqualTo(new Effects(
                List.of(ENDED.ended().getFirst(), REFUSED.ended().getFirst()), REFUSED.refusals(), REFUSED.opened(),
                true));
    }

    @Test
    void aTransportWithoutEffectsChangesNothing() {
        assertThat(Effects.NONE.and(REFUSED)).isEqualTo(REFUSED);
        assertThat(REFUSED.and(Effects.NONE)).isEqualTo(REFUSED);
    }

    @Test
    void aFreeSeatAloneIsAnEffect() {
        Effects free = new Effects(List.of(), List.of(), List.of(), true);
        assertThat(ENDED.and(free)).isEqualTo(new Effects(ENDED.ended(), List.of(), List.of(), true));
    }
}
