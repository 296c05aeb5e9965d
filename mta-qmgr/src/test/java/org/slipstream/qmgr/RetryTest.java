package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.ReportKind;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settle.Settlement;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static org.assertj.core.api.Assertions.assertThat;

/// Mail that cannot be delivered now: its retries and its expiry.
class RetryTest {
    private static final long HOUR = 3_600_000;
    private static final long DAY = 24 * HOUR;

    private static List<Long> attempts(Story story, long untilMillis) {
        List<Long> seconds = new ArrayList<>();
        int before = story.ordered(QmgrOrder.Deliver.class).size();
        while (story.manager.nextAlarmMillis() <= untilMillis) {
            story.until(story.manager.nextAlarmMillis());
            int after = story.ordered(QmgrOrder.Deliver.class).size();
            if (after > before) {
                seconds.add(story.now / 1_000);
            }
            before = after;
        }
        return seconds;
    }

    @Test
    @Tag("PF-29")
    void aServerThatAlwaysSaysLaterIsAskedAfter300And600And1200SecondsAndSoOn() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        story.queue("a@far.example");
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);

        assertThat(attempts(story, 13_000_000)).containsExactly(300L, 600L, 1200L, 2400L, 4800L, 8800L, 12800L);
    }

    /// The clock was two days ahead when these were deferred.
    @Test
    void afterTheClockWentBackDeferredMailIsNoFurtherAwayThanTheLongestGap() {
        Story story = new Story();
        story.now = 1_000_000;
        Story.Row deferred = story.row("a@far.example");
        deferred.nextMillis = story.now + 2 * DAY;
        Story.Row later = story.row("b@far.example");
        later.options = new DeliveryOptions(OptionalLong.of(story.now + DAY), Optional.empty(), 0, SenderTls.USUAL);
        later.nextMillis = story.now + DAY;
        Story.Row held = story.row("c@far.example");
        held.held = true;
        held.nextMillis = story.now + 3 * DAY;

        story.start();
        assertThat(deferred.nextMillis).as("at the start").isEqualTo(story.now + 4_000_000);
        assertThat(later.nextMillis).as("its sender wants it then").isEqualTo(story.now + DAY);
        assertThat(held.nextMillis).isEqualTo(story.now + 3 * DAY);
        story.after(4_000_000);
        assertThat(story.removed).containsOnlyKeys(deferred.id);
    }

    @Test
    void aClockThatGoesBackUnderARunningServerCostsNoMoreThanTheLongestGap() {
        Story story = new Story(s -> s.lanes(1, 100));
        story.now = 2 * DAY;
        story.replies.put("late.example", Story.TRY_LATER);
        QueueId late = story.queue("a@late.example");
        story.down.put("down.example", Story.REFUSED);
        QueueId down = story.queue("a@down.example");
        story.replies.clear();
        story.down.clear();
        story.now = HOUR;
        story.start();
        story.after(1_000);

        assertThat(story.index.get(late).nextMillis).isEqualTo(story.now + 4_000_000);
        story.after(4_000_000);
        assertThat(story.removed).as("nor does a destination rest until the day after tomorrow").containsKeys(late,
                down);
    }

    @Test
    @Tag("PF-30")
    void afterFiveDaysTheSenderGetsOneReportAndTheMessageIsGone() {
        Story story = new Story(s -> s.delayNotice(0));
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");
        Story.Row row = story.index.get(id);

        story.until(5 * DAY + 2 * HOUR);

        assertThat(story.ordered(QmgrOrder.Notify.class)).containsExactly(new QmgrOrder.Notify(id, ReportKind.FAILED));
        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
        assertThat(row.last.get(1)).isInstanceOfSatisfying(Outcome.Failed.class, failed -> assertThat(
                failed.reply().toString()).startsWith("554 5.4.7 message expired in queue after 5d").endsWith(
                        "last reply: 450 4.2.0 try later"));
        assertThat(story.active()).isEmpty();
    }

    @Test
    @Tag("PF-30")
    void aLifetimeOfNothingMeansOneAttempt() {
        Story story = new Story(s -> s.lifetime(0, 0));
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");

        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
    }

    @Test
    @Tag("PF-30")
    void mailOfTheNullSenderIsNeverReportedOnAndGivesUpEarlier() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        Story.Row row = story.row("a@far.example");
        row.sender = Optional.empty();
        story.queue(row);

        story.until(2 * DAY - HOUR);
        assertThat(story.removed).isEmpty();
        story.until(2 * DAY + 2 * HOUR);

        assertThat(story.removed).containsEntry(row.id, Settlement.UNRETURNABLE);
        assertThat(story.ordered(QmgrOrder.Notify.class)).isEmpty();
    }

    @Test
    void aRefusedBounceIsDroppedWithoutAnotherBounce() {
        Story story = new Story();
        story.replies.put("far.example", Story.NO_SUCH_USER);
        Story.Row row = story.row("forged@far.example");
        row.sender = Optional.empty();
        story.queue(row);

        assertThat(story.removed).containsEntry(row.id, Settlement.UNRETURNABLE);
        assertThat(story.ordered(QmgrOrder.Notify.class)).isEmpty();
    }

    @Test
    void theSenderGetsOneDelayReportAfterFourHours() {
        Story story = new Story();
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");

        story.until(4 * HOUR - 1);
        assertThat(story.ordered(QmgrOrder.Notify.class)).isEmpty();
        story.until(2 * DAY);

        assertThat(story.ordered(QmgrOrder.Notify.class)).containsExactly(new QmgrOrder.Notify(id, ReportKind.DELAYED));
    }

    @Test
    void oneRecipientIsThereOneIsNotAndOneIsLate() {
        Story story = new Story();
        story.replies.put("gone@far.example", Story.NO_SUCH_USER);
        story.replies.put("late@far.example", Story.TRY_LATER);
        QueueId id = story.queue("here@far.example", "gone@far.example", "late@far.example");

        // The sender gets the failure report now, not when the deferred recipient is finished.
        assertThat(story.ordered(QmgrOrder.Notify.class)).containsExactly(new QmgrOrder.Notify(id, ReportKind.FAILED));
        assertThat(story.index.get(id).nextMillis).isEqualTo(300_000);

        story.replies.remove("late@far.example");
        story.until(300_000);

        assertThat(story.ordered(QmgrOrder.Deliver.class).getLast().recipients()).extracting(r -> r.number())
                .containsExactly(3);
        assertThat(story.removed).containsEntry(id, Settlement.SENT);
        assertThat(story.ordered(QmgrOrder.Notify.class)).hasSize(1);
    }

    @Test
    void aReportThatCannotBeWrittenIsTriedAgainLaterWithoutDeliveringAgain() {
        Story story = new Story();
        story.reportsFail = true;
        story.replies.put("far.example", Story.NO_SUCH_USER);
        QueueId id = story.queue("a@far.example");

        assertThat(story.removed).isEmpty();
        assertThat(story.index.get(id).nextMillis).isEqualTo(300_000);

        story.reportsFail = false;
        story.until(300_000);

        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
        assertThat(story.ordered(QmgrOrder.Deliver.class)).hasSize(1);
        assertThat(story.ordered(QmgrOrder.Notify.class)).hasSize(2);
    }

    @Test
    void aDelayReportThatCannotBeWrittenStopsNothing() {
        Story story = new Story(s -> s.delayNotice(1));
        story.reportsFail = true;
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");
        story.until(301_000);

        assertThat(story.ordered(QmgrOrder.Notify.class)).containsExactly(new QmgrOrder.Notify(id, ReportKind.DELAYED));
        assertThat(story.ordered(QmgrOrder.Defer.class)).hasSize(2);
    }

    @Test
    void troubleWithDnsDefersAndNoSuchDomainReturns() {
        Story story = new Story();
        story.dnsFailures.put("servfail.example", Reply.of(451, "4.4.3", "DNS timeout"));
        story.dnsFailures.put("nowhere.example", Reply.of(550, "5.1.2", "no such domain"));
        QueueId waits = story.queue("a@servfail.example");
        QueueId returns = story.queue("a@nowhere.example");

        assertThat(story.index.get(waits).last.get(1)).isInstanceOf(Outcome.Deferred.class);
        assertThat(story.index.get(waits).nextMillis).isEqualTo(300_000);
        assertThat(story.removed).containsEntry(returns, Settlement.BOUNCED);
        assertThat(story.ordered(QmgrOrder.Open.class)).isEmpty();
    }

    @Test
    @Tag("ZM-36")
    void expiryReachesMailThatNeverGotASeat() {
        Story story = new Story(s -> s.lanes(1, 1).lifetime(DAY, DAY));
        story.withhold(QmgrOrder.Deliver.class);
        story.queue("a@slow.example");
        QueueId behind = story.queue("b@slow.example");

        story.until(3 * DAY - 1);
        assertThat(story.removed).isEmpty();
        story.until(3 * DAY + HOUR);

        assertThat(story.removed).containsEntry(behind, Settlement.BOUNCED);
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(1);
    }

    /// This server was down for six days, and its first connections fail for a local reason.
    private static QueueId sixDaysOld(Story story) {
        story.broken = true;
        story.now = 6 * DAY;
        Story.Row row = story.row("a@far.example");
        row.createdMillis = 0;
        row.nextMillis = 0;
        story.start();
        assertThat(story.index.get(row.id).attempts).isZero();
        return row.id;
    }

    @Test
    @Tag("ZM-35")
    void aBacklogOlderThanItsLifetimeIsNotReturnedBeforeItsAttempt() {
        Story story = new Story();
        QueueId old = sixDaysOld(story);
        story.until(6 * DAY + HOUR);
        assertThat(story.removed).isEmpty();
        story.broken = false;
        story.until(6 * DAY + 4 * HOUR);

        assertThat(story.removed).containsEntry(old, Settlement.SENT);
    }

    @Test
    @Tag("ZM-35")
    void aBacklogOlderThanItsLifetimeIsReturnedAfterOneAttempt() {
        Story story = new Story();
        QueueId old = sixDaysOld(story);
        story.replies.put("far.example", Story.TRY_LATER);
        story.broken = false;
        story.until(6 * DAY + 2 * HOUR);

        assertThat(story.removed).containsEntry(old, Settlement.BOUNCED);
    }

    @Test
    @Tag("ZM-36")
    void afterTheSecondExpiryMailIsReturnedThatWasNeverTried() {
        Story story = new Story();
        story.broken = true;
        QueueId old = story.queue("a@far.example");
        story.until(7 * DAY - 1);
        assertThat(story.removed).isEmpty();
        story.until(7 * DAY + 2 * HOUR);

        assertThat(story.removed).containsEntry(old, Settlement.BOUNCED);
    }

    @Test
    @Tag("ZM-36")
    void withoutASecondExpiryMailThatWasNeverTriedStays() {
        Story story = new Story(s -> s.also(config -> config.withSecondExpiry(Optional.empty())));
        story.broken = true;
        QueueId old = story.queue("a@far.example");
        story.until(30 * DAY);

        assertThat(story.removed).isEmpty();
        assertThat(story.index.get(old).attempts).isZero();
    }

    @Test
    @Tag("ZM-36")
    void aSecondExpiryOfNothingComesWithTheLifetime() {
        Story story = new Story(s -> s.also(config -> config.withSecondExpiry(Optional.of(Duration.ZERO))));
        story.broken = true;
        QueueId old = story.queue("a@far.example");
        story.until(5 * DAY + 2 * HOUR);

        assertThat(story.removed).containsEntry(old, Settlement.BOUNCED);
    }

    @Test
    void aRetryDoesNotWaitForTheSafetyNet() {
        Story story = new Story(s -> {
            s.minimalBackoffMillis = 7_000;
            return s;
        });
        story.replies.put("far.example", Story.TRY_LATER);
        story.queue("a@far.example");

        // The interval of scans is 300 s, but the queue manager knows the time of the next attempt.
        assertThat(attempts(story, 60_000)).containsExactly(7L, 14L, 28L, 56L);
    }

    @Test
    void mailThatFallsDueAllTheTimeIsNoReasonToScanAllTheTime() {
        Story story = new Story();
        story.withhold(QmgrOrder.Deliver.class);
        story.start();
        for (int i = 0; i < 1_000; i++) {
            story.row("u" + i + "@far.example").nextMillis = 10_000 + i;
        }
        story.until(9_999);
        story.happens(new QmgrEvent.ArrivalsMissed());
        story.until(11_500);

        assertThat(story.ordered(QmgrOrder.Scan.class)).hasSizeLessThanOrEqualTo(4);
        assertThat(story.active()).hasSize(1_000);
    }
}
