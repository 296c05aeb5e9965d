package org.slipstream.core;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class EnvelopeTest {
    @Test
    void recipientsAreNumberedFromOneWithoutGaps() {
        Envelope envelope = Envelope.of(Optional.empty(),
                List.of(Address.of("a@x.example"), Address.of("b@x.example")));
        assertThat(envelope.recipients()).extracting(Recipient::number).containsExactly(1, 2);
        assertThatThrownBy(() -> new Envelope(Optional.empty(), BodyType.SEVEN_BIT, false, Optional.empty(),
                DsnReturn.UNSPECIFIED, List.of(new Recipient(2, Address.of("a@x.example")))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anEnvelopeWithoutRecipientIsNone() {
        assertThatThrownBy(() -> Envelope.of(Optional.empty(), List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void withoutNotifyFailureAndDelayAreReportedAndWithNeverNothing() {
        Address someone = Address.of("a@x.example");
        Recipient silent = new Recipient(1, someone);
        Recipient never = new Recipient(1, someone, Optional.empty(), Set.of(DsnNotify.NEVER));
        Recipient failure = new Recipient(1, someone, Optional.empty(), Set.of(DsnNotify.FAILURE));
        assertThat(silent.wantsFailureNotice() && silent.wantsDelayNotice()).isTrue();
        assertThat(never.wantsFailureNotice() || never.wantsDelayNotice()).isFalse();
        assertThat(failure.wantsFailureNotice()).isTrue();
        assertThat(failure.wantsDelayNotice()).isFalse();
    }
}
