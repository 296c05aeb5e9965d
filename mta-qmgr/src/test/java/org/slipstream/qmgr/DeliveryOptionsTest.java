package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settle.Settlement;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// Delivery options that a sender requested.
class DeliveryOptionsTest {
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private static QueueId queue(Story story, DeliveryOptions options) {
        Story.Row row = story.row("a@far.example");
        row.options = options;
        row.nextMillis = options.releaseMillis(row.createdMillis);
        return story.queue(row);
    }

    private static DeliveryOptions hold(long untilMillis) {
        return new DeliveryOptions(OptionalLong.of(untilMillis), Optional.empty(), 0, SenderTls.USUAL);
    }

    private static DeliveryOptions by(long deadlineMillis, boolean returned) {
        return new DeliveryOptions(OptionalLong.empty(),
                Optional.of(new DeliveryOptions.DeliverBy(deadlineMillis, returned, false)), 0,
                SenderTls.USUAL);
    }

    @Test
    void mailForTomorrowIsFirstTriedTomorrow() {
        Story story = new Story();
        queue(story, hold(DAY + 7));
        story.until(DAY + 6);
        assertThat(story.deliveries()).isEmpty();
        assertThat(story.active()).isEmpty();
        // Scans are a second apart at least.
        story.until(DAY + 7 + 1_000);
        assertThat(story.deliveries()).containsExactly("1>far.example");
    }

    /// Found by world 22: the clock went back between the first octet of a message and its 250.
    @Test
    void mailFromTheFutureOfAClockThatWentBackIsTriedAtOnce() {
        Story story = new Story();
        Story.Row row = story.row("a@far.example");
        row.createdMillis += HOUR;
        row.nextMillis = row.createdMillis;
        story.queue(row);
        assertThat(story.deliveries()).containsExactly("1>far.example");
    }

    @Test
    void mailForTomorrowIsStillMailForTomorrowAfterARestart() {
        Story story = new Story();
        queue(story, hold(DAY));
        story.after(HOUR);
        story.restart();
        story.start();
        story.until(DAY - 1);
        assertThat(story.deliveries()).isEmpty();
        story.until(DAY);
        assertThat(story.deliveries()).hasSize(1);
    }

    @Test
    void itsLifetimeBeginsWithItsRelease() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = queue(story, hold(10 * DAY));
        story.until(14 * DAY);
        assertThat(story.removed).isEmpty();
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSizeGreaterThan(10);
        story.until(15 * DAY + 2 * HOUR);
        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
    }

    /// The other mail of the domain has another set of hosts, and must not use the connections of this one.
    @Test
    void mailWithoutTheDemandsOfTheOwnerIsADestinationOfItsOwn() {
        Story story = new Story();
        queue(story, DeliveryOptions.NONE.with(SenderTls.OPTIONAL));
        queue(story, DeliveryOptions.NONE);
        queue(story, DeliveryOptions.NONE.with(SenderTls.REQUIRED));
        story.after(0);
        assertThat(story.ordered(QmgrOrder.FindRoute.class)).extracting(QmgrOrder.FindRoute::domain)
                .contains("far.example/may", "far.example");
        assertThat(story.deliveries()).containsExactlyInAnyOrder("1>far.example/may", "2>far.example", "3>far.example");
    }

    @Test
    void mailThatIsOfNoUseAfterItsHourGoesBackWhenTheHourIsOver() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = queue(story, by(HOUR, true));
        Story.Row row = story.index.get(id);
        story.until(HOUR - 1);
        int tried = story.deliveries().size();
        assertThat(story.removed).isEmpty();
        story.until(HOUR + 2_000);
        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
        assertThat(story.deliveries()).as("not offered any more").hasSize(tried);
        assertThat(row.last.get(1)).isInstanceOfSatisfying(Outcome.Failed.class,
                failed -> assertThat(failed.reply().toString()).startsWith("554 5.4.7 delivery time expired"));
    }

    @Test
    void mailThatHasMissedItsTimeWhileTheServerWasDownIsNotEvenTried() {
        Story story = new Story();
        Story.Row row = story.row("a@far.example");
        row.options = by(MINUTE, true);
        story.now = HOUR;
        story.start();
        assertThat(story.deliveries()).isEmpty();
        assertThat(story.removed).containsEntry(row.id, Settlement.BOUNCED);
    }

    @Test
    void ofTwoThatArriveTogetherTheHigherPriorityGoesFirstAndPassesNoEarlierMessage() {
        Story story = new Story();
        story.row("a@one.example");
        story.now = 1;
        Story.Row usual = story.row("a@two.example");
        Story.Row urgent = story.row("a@three.example");
        urgent.options = new DeliveryOptions(OptionalLong.empty(), Optional.empty(), 4, SenderTls.USUAL);
        Story.Row unimportant = story.row("a@four.example");
        unimportant.options = new DeliveryOptions(OptionalLong.empty(), Optional.empty(), -4, SenderTls.USUAL);
        Story.Row other = story.row("a@five.example");
        assertThat(usual.createdMillis).isEqualTo(other.createdMillis);
        story.start();
        assertThat(story.deliveries()).containsExactly("1>one.example", "3>three.example", "2>two.example",
                "5>five.example", "4>four.example");
    }

    @Test
    void inModeNotifyTheSenderGetsOneReportAndDeliveryContinues() {
        Story story = new Story(s -> s.delayNotice(0));
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = queue(story, by(20 * MINUTE, false));
        story.until(20 * MINUTE - 1);
        assertThat(story.ordered(QmgrOrder.Notify.class)).isEmpty();
        story.until(20 * MINUTE + 2_000);
        assertThat(story.ordered(QmgrOrder.Notify.class)).containsExactly(new QmgrOrder.Notify(id, ReportKind.DELAYED));
        story.until(3 * HOUR);
        assertThat(story.ordered(QmgrOrder.Notify.class)).hasSize(1);
        story.replies.clear();
        story.until(5 * HOUR);
        assertThat(story.removed).isEqualTo(java.util.Map.of(id, Settlement.SENT));
        assertThat(List.copyOf(story.index.keySet())).isEmpty();
    }
}
