package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// Recipients that get no mail fail without an attempt, and the others of the message are delivered.
class SuppressedRecipientsTest {
    private final Story story = new Story();

    private <T extends QmgrOrder> List<T> orders(Class<T> type) {
        return story.orders.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private List<String> delivered() {
        return orders(QmgrOrder.Deliver.class).stream().flatMap(each -> each.recipients().stream())
                .map(Recipient::address).map(Object::toString).toList();
    }

    @Test
    void onlyTheOthersAreDeliveredAndTheSenderIsTold() {
        story.suppressed.add("bob@far.example");
        QueueId id = story.queue("ann@far.example", "bob@far.example", "cid@far.example");
        assertThat(delivered()).containsExactlyInAnyOrder("ann@far.example", "cid@far.example");
        assertThat(orders(QmgrOrder.RecordOutcome.class)).flatExtracting(QmgrOrder.RecordOutcome::outcomes)
                .filteredOn(each -> each.outcome().reply().equals(Story.SUPPRESSED)).singleElement()
                .satisfies(each -> {
                    assertThat(each.number()).isEqualTo(2);
                    assertThat(each.reached().reason()).contains(QueuePhase.Code.SUPPRESSED);
                });
        assertThat(orders(QmgrOrder.Notify.class)).extracting(QmgrOrder.Notify::kind)
                .containsExactly(ReportKind.FAILED);
        assertThat(story.removed).containsKey(id);
    }

    @Test
    void aMessageOfSuppressedRecipientsAloneNeedsNoRoute() {
        story.suppressed.add("bob@far.example");
        QueueId id = story.queue("bob@far.example");
        assertThat(orders(QmgrOrder.FindRoute.class)).isEmpty();
        assertThat(orders(QmgrOrder.Open.class)).isEmpty();
        assertThat(story.removed).containsKey(id);
    }

    /// The list is asked before each attempt, not only at the first.
    @Test
    void mailThatWaitsIsReturnedAtItsNextAttempt() {
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("bob@far.example");
        assertThat(story.removed).isEmpty();
        int attempts = delivered().size();
        story.suppressed.add("bob@far.example");
        story.until(86_400_000);
        assertThat(story.removed).containsKey(id);
        assertThat(delivered()).hasSize(attempts);
    }

    @Test
    void aReportIsNeverSuppressed() {
        story.suppressed.add("bob@far.example");
        Story.Row report = story.row("bob@far.example");
        report.sender = Optional.empty();
        story.queue(report);
        assertThat(delivered()).containsExactly("bob@far.example");
    }

    /// With many recipients the batches are read while earlier ones are delivered.
    @Test
    void everyBatchIsAsked() {
        String[] recipients = new String[5_000];
        for (int i = 0; i < recipients.length; i++) {
            recipients[i] = "user" + i + "@far.example";
            if (i % 3 == 0) {
                story.suppressed.add(recipients[i]);
            }
        }
        QueueId id = story.queue(recipients);
        assertThat(story.removed).containsKey(id);
        assertThat(delivered()).hasSize(recipients.length - story.suppressed.size())
                .doesNotContainAnyElementsOf(story.suppressed);
        assertThat(orders(QmgrOrder.RecordOutcome.class)).flatExtracting(QmgrOrder.RecordOutcome::outcomes)
                .extracting(RecipientOutcome::number).doesNotHaveDuplicates().hasSize(recipients.length);
    }
}
