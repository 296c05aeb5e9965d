package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.SenderTls;
import org.slipstream.qmgr.admit.UnannouncedMail;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The safety net: a scan finds each message that no event announced, and only those are counted.
class UnannouncedMailTest {
    private static final long SCAN_INTERVAL = 300_000;

    private static Story started() {
        Story story = new Story();
        story.start();
        story.after(1_000);
        return story;
    }

    private static long counted(Story story) {
        assertThat(story.manager.queries().snapshot(story.now).unannounced())
                .isEqualTo(story.manager.queries().unannounced());
        return story.manager.queries().unannounced();
    }

    @Test
    @Tag("IM-15")
    void announcedMailIsTakenUpWithoutAScanAndIsNeverCounted() {
        Story story = started();
        int scans = story.ordered(QmgrOrder.Scan.class).size();
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 500).forEach(i -> story.queue("u@far" + i % 50 + ".example"));

        assertThat(story.active()).hasSize(500);
        assertThat(story.ordered(QmgrOrder.Scan.class)).as("no scan was necessary").hasSize(scans);
        story.after(2 * SCAN_INTERVAL);
        assertThat(story.ordered(QmgrOrder.Scan.class)).as("the safety net has looked").hasSizeGreaterThan(scans + 2);
        story.answerAll(QmgrOrder.Deliver.class);
        story.after(2 * SCAN_INTERVAL);
        assertThat(story.removed).hasSize(500);
        assertThat(counted(story)).isZero();
    }

    @Test
    @Tag("IM-17")
    void mailThatNoEventAnnouncedIsDeliveredByTheNextScanAndCounted() {
        Story story = started();
        QueueId first = story.row("u@far.example").id;
        QueueId second = story.row("v@far.example").id;
        story.after(SCAN_INTERVAL);
        assertThat(story.removed).containsOnlyKeys(first, second);
        assertThat(counted(story)).as("the event may still come").isZero();
        story.after(UnannouncedMail.GRACE_MILLIS);
        assertThat(counted(story)).isEqualTo(2);
        assertThat(story.manager.queries().latestUnannounced()).contains(second);
        story.after(3 * SCAN_INTERVAL);
        assertThat(counted(story)).as("each once").isEqualTo(2);
    }

    @Test
    @Tag("IM-17")
    void mailThatAFullInboxRefusedIsFoundAtOnceAndIsNoFault() {
        Story story = started();
        story.after(10_000);
        IntStream.range(0, 2_500).forEach(i -> story.row("u@far" + i % 50 + ".example"));
        story.happens(new QmgrEvent.ArrivalsMissed());
        story.after(10_000);

        assertThat(story.removed).hasSize(2_500);
        assertThat(counted(story)).isZero();
        story.row("late@far.example");
        story.after(SCAN_INTERVAL + UnannouncedMail.GRACE_MILLIS);
        assertThat(counted(story)).as("the refusal is over").isEqualTo(1);
    }

    /// The inbox reports a refusal after the answers that came before it.
    @Test
    @Tag("IM-17")
    void aRefusalThatIsKnownOnlyAfterTheScanStillExcusesItsFinds() {
        Story story = started();
        story.row("u@far.example");
        story.after(SCAN_INTERVAL);
        assertThat(story.removed).hasSize(1);
        story.happens(new QmgrEvent.ArrivalsMissed());
        story.after(SCAN_INTERVAL);
        assertThat(counted(story)).isZero();
    }

    @Test
    void mailThatFoundNoPlaceInTheActiveSetIsNoFault() {
        Story story = new Story(s -> s.active(10).lanes(1, 10).scans(5));
        story.start();
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 100).forEach(i -> story.queue("u" + i + "@far.example"));
        story.answerAll(QmgrOrder.Deliver.class);
        story.after(SCAN_INTERVAL);

        assertThat(story.removed).hasSize(100);
        assertThat(counted(story)).isZero();
    }

    @Test
    void mailFromBeforeARestartIsNoFault() {
        Story story = started();
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 3_000).forEach(i -> story.queue("u" + i + "@far.example"));
        story.after(1_000);
        story.restart();
        story.answerAll(QmgrOrder.Deliver.class);
        story.start();
        story.after(2 * SCAN_INTERVAL);

        assertThat(story.removed).hasSize(3_000);
        assertThat(counted(story)).isZero();
    }

    /// The clock went back by an hour while the program was stopped.
    @Test
    void mailThatIsYoungerThanNowIsNoFault() {
        Story story = started();
        Story.Row row = story.row("u@far.example");
        row.createdMillis = story.now + 3_600_000;
        story.after(2 * SCAN_INTERVAL);
        assertThat(story.removed).containsOnlyKeys(row.id);
        assertThat(counted(story)).isZero();
    }

    @Test
    void mailWhoseSenderRequestedALaterDeliveryIsNoFault() {
        Story story = started();
        Story.Row row = story.row("u@far.example");
        row.options = new DeliveryOptions(OptionalLong.of(story.now + 3_600_000), Optional.empty(), 0, SenderTls.USUAL);
        row.nextMillis = story.now + 3_600_000;
        story.queue(row);
        story.after(4_000_000);

        assertThat(story.removed).containsOnlyKeys(row.id);
        assertThat(counted(story)).isZero();
    }

    /// A message is in the spool before it is announced.
    @Test
    @Tag("IM-15")
    void aScanThatIsFasterThanTheEventIsNoFaultAndTheMessageIsDeliveredOnce() {
        Story story = started();
        Story.Row row = story.row("u@far.example");
        story.after(SCAN_INTERVAL);
        assertThat(story.removed).containsOnlyKeys(row.id);
        story.queue(row);
        story.after(SCAN_INTERVAL);

        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(counted(story)).isZero();
    }

    @Test
    void aScanOfTheDeferredQueueFindsNoNewMail() {
        Story story = started();
        Story.Row row = story.row("u@far.example");
        row.putOff(story.now + 1_000);
        story.after(2 * SCAN_INTERVAL);
        assertThat(story.removed).containsOnlyKeys(row.id);
        assertThat(counted(story)).isZero();
    }
}
