package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.TransportTable;

import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// A slow server, four connections, and a mailing that would use them all at once.
class SpacedStartsTest {
    private static final long SERVICE_MILLIS = 1_000;

    private final Story story = new Story(s -> s.recipients(1_000, 1_000).lanes(4, 100)
            .also(config -> config.withSpacedStarts(true)
                    .withTransports(TransportTable.of(config.transports().common().withRecipientsPerDelivery(2)
                            .withConcurrency(100, 4, 4)))));

    private QueueId mailing(int recipients) {
        return story.queue(IntStream.range(0, recipients).mapToObj(i -> "u" + i + "@slow.example")
                .toArray(String[]::new));
    }

    private List<QmgrOrder.Deliver> underWay() {
        return story.waiting(QmgrOrder.Deliver.class);
    }

    private void firstRound() {
        story.start();
        story.withhold(QmgrOrder.Deliver.class);
        mailing(100);
        assertThat(underWay()).as("nothing is known yet").hasSize(4);
        story.after(SERVICE_MILLIS);
        List.copyOf(underWay()).forEach(story::answer);
    }

    private String why(QueueId id) {
        return story.manager.queries().snapshot(story.now).messages().stream().filter(m -> m.id().equals(id))
                .findFirst()
                .orElseThrow().why();
    }

    @Test
    void theSecondRoundIsSpreadOverTheTimeOfOneDelivery() {
        firstRound();
        long begin = story.now;
        assertThat(underWay().size()).isBetween(1, 2);
        story.until(begin + 600);
        assertThat(underWay()).hasSizeBetween(3, 4);
        story.until(begin + SERVICE_MILLIS);
        assertThat(underWay()).as("all turns come within one delivery").hasSize(4);
    }

    @Test
    void aMessageTakesTheConnectionThatWaitsForItsTurn() {
        firstRound();
        QueueId message = story.queue("boss@slow.example");
        assertThat(underWay()).last().satisfies(deliver -> assertThat(deliver.id()).isEqualTo(message));
        assertThat(underWay()).hasSizeLessThan(4);
    }

    @Test
    void connectionsThatAreUpOpenTheWindowBeforeADeliveryEnds() {
        Story wide = new Story(s -> s.recipients(1_000, 1_000).lanes(20, 100)
                .also(config -> config.withSpacedStarts(true).withTransports(TransportTable.of(
                        config.transports().common().withRecipientsPerDelivery(2).withConcurrency(100, 4, 20)))));
        wide.start();
        wide.withhold(QmgrOrder.Deliver.class);
        wide.queue(IntStream.range(0, 100).mapToObj(i -> "u" + i + "@slow.example").toArray(String[]::new));
        assertThat(wide.waiting(QmgrOrder.Deliver.class)).hasSize(20);
    }

    @Test
    void anOperatorSeesThatAMailingWaitsForItsTurn() {
        firstRound();
        QueueId second = mailing(100);
        assertThat(why(second)).startsWith("its turn is in ").contains(" ms", "starts to smtp/slow.example")
                .contains("spaced");
        assertThat(why(new QueueId(1)))
                .startsWith("being delivered to mx.slow.example[mx.slow.example]:25/may; its turn is in ");
    }

    @Test
    void aMailingThatFitsIntoTheConnectionsIsNotHeldUp() {
        firstRound();
        story.command(new QmgrEvent.OperatorCommand.OfMessage(new QueueId(1), new MessageOrder.Delete()));
        List.copyOf(underWay()).forEach(story::answer);
        story.after(50);
        mailing(7);
        assertThat(underWay()).hasSize(4);
    }

    @Test
    void mailForAQuickServerIsNeverSpaced() {
        story.start();
        story.withhold(QmgrOrder.Deliver.class);
        mailing(400);
        for (int i = 0; i < 190; i++) {
            story.now += 1;
            story.answerNext(QmgrOrder.Deliver.class);
            assertThat(underWay()).hasSize(4);
            assertThat(story.manager.nextAlarmMillis()).as("no timer").isGreaterThan(story.now + 1_000);
        }
    }

    @Test
    void ofADestinationThatIsGoneNoTimerIsLeft() {
        firstRound();
        assertThat(story.manager.nextAlarmMillis()).isLessThan(story.now + SERVICE_MILLIS);
        story.command(new QmgrEvent.OperatorCommand.OfMessage(new QueueId(1), new MessageOrder.Delete()));
        story.answerAll(QmgrOrder.Deliver.class);
        assertThat(story.removed).hasSize(1);
        assertThat(story.manager.nextAlarmMillis()).as("idle lanes are closed, no more")
                .isGreaterThanOrEqualTo(story.now + SERVICE_MILLIS);
    }
}
