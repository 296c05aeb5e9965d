package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QueueSettings;
import org.slipstream.qmgr.settle.Settlement;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// When the sender is told, in virtual time.
class ReportRulesTest {
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;

    /// Four recipients: one fails at once, two within ten minutes, and one stays deferred.
    @Test
    @Tag("ZM-41")
    void threeFailuresInTenMinutesAreOneReport() {
        Story story = collecting();
        QueueId id = storyOfThreeFailures(story);
        story.until(15 * MINUTE - 1);
        assertThat(notices(story)).isEmpty();
        assertThat(story.index.get(id).failed).isEqualTo(3);
        story.until(15 * MINUTE);
        assertThat(notices(story)).containsExactly("collected");
        story.until(3 * HOUR);
        assertThat(notices(story)).hasSize(1);
        assertThat(story.index.get(id).failed).isZero();
    }

    @Test
    @Tag("ZM-41")
    void anIntervalOfNothingReportsEachFailureAtOnce() {
        Story story = new Story(s -> s.report("reportInterval", Duration.ZERO));
        storyOfThreeFailures(story);
        story.until(3 * HOUR);
        assertThat(notices(story)).containsExactly("failed", "failed", "failed");
    }

    @Test
    @Tag("ZM-41")
    void theReportDoesNotWaitWhenNoRecipientIsOpen() {
        Story story = collecting();
        story.replies.put("far.example", Story.NO_SUCH_USER);
        QueueId id = story.queue("a@far.example", "b@far.example", "c@near.example");
        assertThat(story.now).isZero();
        assertThat(notices(story)).containsExactly("failed");
        assertThat(story.removed).containsEntry(id, Settlement.BOUNCED);
    }

    @Test
    @Tag("ZM-41")
    void aRestartLosesNoCollectedFailure() {
        Story story = collecting();
        QueueId id = storyOfThreeFailures(story);
        story.restart();
        story.start();
        story.until(6 * HOUR);
        assertThat(notices(story)).containsOnlyOnce("failed");
        assertThat(story.index.get(id).failed).isZero();
    }

    @Test
    @Tag("ZM-41")
    void aReportThatCannotBeKeptIsMadeWithTheNextAttempt() {
        Story story = collecting();
        QueueId id = storyOfThreeFailures(story);
        story.reportsFail = true;
        story.until(15 * MINUTE);
        assertThat(notices(story)).containsExactly("collected");
        story.reportsFail = false;
        story.until(3 * HOUR);
        assertThat(notices(story)).containsExactly("collected", "failed");
        assertThat(story.index.get(id).failed).isZero();
    }

    @Test
    @Tag("ZM-41")
    void aMessageThatIsActiveAgainWhenItsReportIsAnsweredIsNotDisturbed() {
        Story story = collecting();
        QueueId id = storyOfThreeFailures(story);
        story.withhold(QmgrOrder.Notify.class);
        story.until(15 * MINUTE);
        story.replies.clear();
        story.until(HOUR);
        assertThat(story.waiting(QmgrOrder.Notify.class)).extracting(QmgrOrder.Notify::word)
                .containsExactly("collected", "failed");
        story.answerAll(QmgrOrder.Notify.class);
        assertThat(story.removed).containsKey(id);
        assertThat(story.manager.isQuiet()).isTrue();
    }

    /// The report changes the state of the message on disk, and so does the order that is under way.
    @Test
    @Tag("ZM-41")
    void aReportWaitsWhileItsMessageIsBeingFiled() {
        Story story = collecting();
        QueueId id = storyOfThreeFailures(story);
        story.withhold(QmgrOrder.SetHold.class);
        story.happens(new QmgrEvent.Operator(Story.hold(id), QmgrEvent.Operator.NO_TICKET));
        story.until(20 * MINUTE);
        assertThat(notices(story)).isEmpty();
        story.answerAll(QmgrOrder.SetHold.class);
        story.until(20 * MINUTE + 1);
        assertThat(notices(story)).containsExactly("collected");
    }

    @Test
    @Tag("ZM-42")
    void eachOfFourDelayTimesCausesOneReport() {
        Story story = new Story(s -> s.delayNotice(HOUR, 4 * HOUR, 24 * HOUR, 48 * HOUR));
        story.replies.put("far.example", Story.TRY_LATER);
        story.queue("a@far.example");
        long[] counts = {HOUR - 1, 0, 3 * HOUR, 1, 6 * HOUR, 2, 20 * HOUR, 2, 26 * HOUR, 3, 50 * HOUR, 4, 119 * HOUR,
                4};
        for (int i = 0; i < counts.length; i += 2) {
            story.until(counts[i]);
            assertThat(notices(story)).as("after %d ms", counts[i]).hasSize((int) counts[i + 1]).containsOnly(
                    java.util.Collections.nCopies((int) counts[i + 1], "delayed").toArray(String[]::new));
        }
    }

    @Test
    @Tag("ZM-42")
    void timesThatPassedWhileTheServerWasDownCauseOneReport() {
        Story story = new Story(s -> s.delayNotice(HOUR, 2 * HOUR, 3 * HOUR));
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");
        story.now = 10 * HOUR;
        story.restart();
        story.start();
        story.until(20 * HOUR);
        assertThat(notices(story)).containsExactly("delayed");
        assertThat(story.index.get(id).delayReports).isEqualTo(3);
    }

    @Test
    void theEndOfAReportedDelayIsReportedIfTheSettingsSaySo() {
        for (boolean confirms : new boolean[]{true, false}) {
            Story story = new Story(s -> s.report("confirmDelayCleared", confirms));
            story.replies.put("far.example", Story.TRY_LATER);
            QueueId id = story.queue("a@far.example");
            QueueId prompt = story.queue("a@near.example");
            story.until(6 * HOUR);
            story.replies.clear();
            story.until(9 * HOUR);
            assertThat(story.removed).containsEntry(id, Settlement.SENT).containsEntry(prompt, Settlement.SENT);
            assertThat(notices(story)).isEqualTo(
                    confirms ? List.of("delayed", "cleared") : List.of("delayed"));
        }
    }

    @Test
    void failuresOfTheNullSenderGoToThePostmasterIfTheSettingsSaySo() {
        for (QueueSettings.DoubleBounce choice : QueueSettings.DoubleBounce.values()) {
            Story story = new Story(s -> s.report("doubleBounce", choice));
            story.replies.put("far.example", Story.NO_SUCH_USER);
            Story.Row row = story.row("a@far.example");
            row.sender = Optional.empty();
            QueueId id = story.queue(row);
            boolean told = choice == QueueSettings.DoubleBounce.POSTMASTER;
            assertThat(notices(story)).isEqualTo(told ? List.of("failed") : List.of());
            assertThat(story.removed).containsEntry(id, told ? Settlement.BOUNCED : Settlement.UNRETURNABLE);
        }
    }

    /// With the default of a server.
    private static Story collecting() {
        return new Story(
                s -> s.report("reportInterval", QueueSettings.ReportSettings.defaults().reportInterval()));
    }

    private static QueueId storyOfThreeFailures(Story story) {
        story.replies.put("a.example", Story.NO_SUCH_USER);
        List.of("b.example", "c.example", "late.example").forEach(each -> story.replies.put(each, Story.TRY_LATER));
        QueueId id = story.queue("x@a.example", "x@b.example", "x@c.example", "x@late.example");
        story.replies.put("b.example", Story.NO_SUCH_USER);
        story.until(6 * MINUTE);
        story.replies.put("c.example", Story.NO_SUCH_USER);
        story.until(11 * MINUTE);
        assertThat(story.index.get(id).open).hasSize(1);
        return id;
    }

    private static List<String> notices(Story story) {
        return story.ordered(QmgrOrder.Notify.class).stream().map(QmgrOrder.Notify::word).toList();
    }
}
