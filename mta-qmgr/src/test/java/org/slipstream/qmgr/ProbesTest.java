package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Outcome;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.DestDb;
import org.slipstream.qmgr.place.HostKeys;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.settle.Settlement;

import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/// Address verification: probes ask a host and leave no state behind.
@Tag("FI-07")
class ProbesTest {
    private static void verify(Story story, String address, long ticket) {
        story.happens(new QmgrEvent.Operator(new OperatorCommand.Verify(Address.of(address)), ticket));
    }

    private static QmgrOrder.Verified verdict(Story story, long ticket) {
        return story.ordered(QmgrOrder.Verified.class).stream().filter(v -> v.ticket() == ticket).findFirst()
                .orElseThrow();
    }

    @Test
    void theAnswerIsWhatTheHostSays() {
        Story story = new Story();
        story.replies.put("gone@far.example", Story.NO_SUCH_USER);
        story.replies.put("busy@far.example", Story.TRY_LATER);
        verify(story, "ann@far.example", 1);
        verify(story, "gone@far.example", 2);
        verify(story, "busy@far.example", 3);

        assertThat(verdict(story, 1).outcome()).isInstanceOf(Outcome.Delivered.class);
        assertThat(verdict(story, 1).route()).isEqualTo("smtp:far.example");
        assertThat(verdict(story, 2).outcome()).isInstanceOf(Outcome.Failed.class);
        assertThat(verdict(story, 3).outcome()).isInstanceOf(Outcome.Deferred.class);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(3).allMatch(d -> d.delivery().probe());
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class)).as("nothing is recorded").isEmpty();
    }

    @Test
    void aHostThatCannotBeAskedGivesNoResultForTheAddressAndNoFeedback() {
        Story story = new Story();
        story.down.put("down.example", Story.REFUSED);
        story.dnsFailures.put("nowhere.example", Story.NO_SUCH_USER);
        for (int i = 0; i < 10; i++) {
            verify(story, "a" + i + "@down.example", i);
        }
        verify(story, "ann@nowhere.example", 20);

        assertThat(verdict(story, 9).outcome()).isInstanceOf(Outcome.Deferred.class);
        assertThat(verdict(story, 20).outcome()).isInstanceOf(Outcome.Failed.class);
        story.down.clear();
        QueueId mail = story.queue("ann@down.example");
        assertThat(story.removed).as("the destination is not dead").containsEntry(mail, Settlement.SENT);
    }

    @Test
    void aThousandProbesHaveNoMoreConnectionsThanTheirShareAndMailGoesOn() {
        Story story = new Story();
        PlaceRules rules = PlaceRules.defaults();
        story.manager = new QueueManager(story.config, new Seating(_ -> rules, new DestDb(rules.memory()),
                HostKeys.BY_NAME, HostMemory.NONE, new Random(1)), new Random(1));
        story.withhold(QmgrOrder.Deliver.class);
        for (int i = 0; i < 1_000; i++) {
            verify(story, "ann@d" + i + ".example", i);
        }
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(rules.verification().floor());
        QueueId mail = story.queue("bob@far.example");
        assertThat(story.waiting(QmgrOrder.Deliver.class)).anyMatch(d -> d.id().equals(mail));

        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.ordered(QmgrOrder.Verified.class)).hasSize(1_000);
        List<Long> tickets = story.ordered(QmgrOrder.Verified.class).stream().map(QmgrOrder.Verified::ticket).toList();
        assertThat(tickets).doesNotHaveDuplicates();
    }
}
