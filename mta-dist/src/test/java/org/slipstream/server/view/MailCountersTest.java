package org.slipstream.server.view;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.server.view.MailCounters.DomainError;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class MailCountersTest {
    private final MailCounters counters = new MailCounters(0);
    private long nowMillis;
    private final OrderSink orders = counters.counting(_ -> {}, () -> nowMillis);

    private void deferred(String domain, String why) {
        decided(domain, new Outcome.Deferred(Reply.of(450, "4.2.0", why), "mx"));
    }

    private void decided(String domain, Outcome outcome) {
        nowMillis++;
        orders.order(new QmgrOrder.RecordOutcome(new QueueId(1), 1,
                List.of(new Recipient(1, Address.of("a@" + domain))), List.of(new RecipientOutcome(1, outcome)), true));
    }

    @Test
    void theSameErrorAgainIsOneErrorWithItsNumberAndTimes() {
        deferred("far.example", "later");
        deferred("far.example", "later");
        deferred("far.example", "disk full");
        deferred("FAR.example", "later");

        assertThat(counters.errors("far.example")).containsExactly(new DomainError("450 4.2.0 later", 1, 4, 4),
                new DomainError("450 4.2.0 disk full", 1, 3, 3), new DomainError("450 4.2.0 later", 2, 1, 2));
        assertThat(counters.errors()).containsEntry("far.example", new DomainError("450 4.2.0 later", 1, 4, 4));
    }

    @Test
    void aSuccessIsNoErrorAndAnUnknownDomainHasNone() {
        decided("far.example", new Outcome.Delivered(Reply.of(250, "2.0.0", "ok"), "mx"));

        assertThat(counters.errors("far.example")).isEmpty();
        assertThat(counters.errors()).isEmpty();
    }

    @Test
    void tenErrorsOfAThousandDomainsAreKeptAndTheOldestGo() {
        for (int i = 0; i < 11; i++) {
            deferred("far.example", "reason " + i);
        }
        assertThat(counters.errors("far.example")).hasSize(10).first()
                .returns("450 4.2.0 reason 10", DomainError::reply);
        assertThat(counters.errors("far.example")).last().returns("450 4.2.0 reason 1", DomainError::reply);

        for (int i = 0; i < 1_000; i++) {
            deferred("d" + i + ".example", "later");
        }
        assertThat(counters.errors()).hasSize(1_000).doesNotContainKey("far.example").containsKey("d0.example");
        assertThat(counters.errors("far.example")).isEmpty();
    }
}
