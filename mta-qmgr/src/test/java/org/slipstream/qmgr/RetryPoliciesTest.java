package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.SettingsRecords;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.wake.DestinationPattern;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.DestinationTable;
import org.slipstream.qmgr.wake.ErrorClass;
import org.slipstream.qmgr.wake.RetryPolicies;
import org.slipstream.qmgr.wake.RetrySettings;
import org.slipstream.qmgr.wake.RetrySettings.RetryFactors;
import org.slipstream.qmgr.wake.RetrySettings.RetryKind;
import org.slipstream.qmgr.wake.RetrySettings.RetryPauses;
import org.slipstream.qmgr.wake.RetryTimes;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SequencedMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Retry policies in the queue manager: attempts at exactly the times of the policy.
class RetryPoliciesTest {
    private static final Reply GREYLISTED = Reply.of(450, "4.2.0", "Greylisted, please come back later");
    private static final long HOUR = 3_600_000;

    private static RetrySettings with(Map<String, ?> changes) {
        return SettingsRecords.with(RetrySettings.defaults(), changes);
    }

    private static RetrySettings factors(String list) {
        return with(Map.of("kind", RetryKind.FACTORS, "factors", RetryFactors.parse(list).orElseThrow()));
    }

    private static RetrySettings pauses(String list) {
        return with(Map.of("kind", RetryKind.LIST, "pauses", RetryPauses.parse(list).orElseThrow()));
    }

    /// @param common the policy of all mail
    private static Story story(String common, Map<String, RetrySettings> policies) {
        SequencedMap<String, RetrySettings> all = new LinkedHashMap<>(policies);
        return new Story(s -> s.delayNotice(0).also(config -> config.withRetries(all)
                .withQueue(SettingsRecords.with(config.queue(), "retry", common))));
    }

    /// The times of the attempts for one message, in seconds.
    private static List<Long> attempts(Story story, QueueId id, long untilMillis) {
        List<Long> seconds = new ArrayList<>();
        int seen = count(story, id);
        while (story.manager.nextAlarmMillis() <= untilMillis) {
            story.until(story.manager.nextAlarmMillis());
            if (count(story, id) > seen) {
                seconds.add(story.now / 1_000);
                seen = count(story, id);
            }
        }
        return seconds;
    }

    private static int count(Story story, QueueId id) {
        return (int) story.ordered(QmgrOrder.Deliver.class).stream().filter(deliver -> deliver.id().equals(id)).count();
    }

    @Test
    @Tag("ZM-30")
    void attemptsComeAtTheFactorsOfTheList() {
        Story story = story("slow", Map.of("slow", factors("1 1 2 3 5 8 13 21 34")));
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");

        assertThat(attempts(story, id, 90 * 60_000)).containsExactly(60L, 120L, 240L, 420L, 720L, 1200L, 1980L, 3240L,
                5280L);
    }

    @Test
    @Tag("IM-29")
    void attemptsComeAtTheSquares() {
        Story story = story("qmail", Map.of());
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");

        assertThat(attempts(story, id, 3 * HOUR)).containsExactly(400L, 1600L, 3600L, 6400L, 10_000L);
    }

    @Test
    void attemptsWithJitterAreThoseThatTheProgramForetells() {
        Story story = story("jittery", Map.of("jittery", with(Map.of("kind", RetryKind.LIST, "pauses",
                RetryPauses.parse("10m").orElseThrow(), "jitter", new RetrySettings.JitterPercent(50)))));
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");

        List<Long> foretold = RetryTimes
                .exact(story.config.retryPolicies().common(), HOUR, id.value(), 5).stream().skip(1)
                .map(attempt -> attempt.afterMillis() / 1_000).toList();
        assertThat(attempts(story, id, HOUR).subList(0, 4)).isEqualTo(foretold);
        assertThat(foretold).isNotEqualTo(List.of(600L, 1200L, 1800L, 2400L));
    }

    @Test
    @Tag("ZM-32")
    void aHammerStrikesOnceASecondAndNotMoreOften() {
        Story story = story("hammer", Map.of("hammer", factors("0")));
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@far.example");

        assertThat(attempts(story, id, 5_000)).containsExactly(1L, 2L, 3L, 4L, 5L);
    }

    @Test
    @Tag("ZM-32")
    void aHammerDoesNotKnockAtADeadDestination() {
        Story story = story("hammer", Map.of("hammer", factors("0")));
        story.down.put("far.example", Story.REFUSED);
        QueueId id = story.queue("a@far.example");

        int connects = story.ordered(QmgrOrder.Open.class).size();
        story.until(299_000);
        assertThat(story.ordered(QmgrOrder.Open.class)).as("the host is dead for 300 s").hasSize(connects);
        assertThat(story.ordered(QmgrOrder.Defer.class)).as("and nothing is written meanwhile").hasSize(1);
        story.down.clear();
        story.until(301_000);
        assertThat(story.removed).containsKey(id);
    }

    @Test
    void aGreylistedMessageComesAtTheTimesOfItsOwnPolicyWhileAnotherDoubles() {
        Story story = story("postfix",
                Map.of("postfix", with(Map.of("onGreylisting", "quick")), "quick", pauses("2m 5m 10m")));
        story.replies.put("grey.example", GREYLISTED);
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId grey = story.queue("a@grey.example");
        QueueId far = story.queue("a@far.example");

        List<Long> greyTimes = new ArrayList<>();
        List<Long> farTimes = new ArrayList<>();
        int greys = 1;
        int fars = 1;
        while (story.manager.nextAlarmMillis() <= 2_500_000) {
            story.until(story.manager.nextAlarmMillis());
            if (count(story, grey) > greys) {
                greys = count(story, grey);
                greyTimes.add(story.now / 1_000);
            }
            if (count(story, far) > fars) {
                fars = count(story, far);
                farTimes.add(story.now / 1_000);
            }
        }
        assertThat(greyTimes).containsExactly(120L, 420L, 1020L, 1620L, 2220L);
        assertThat(farTimes).containsExactly(300L, 600L, 1200L, 2400L);
    }

    @Test
    void aDestinationHasThePolicyThatItsClauseNames() {
        DestinationSettings hourly = SettingsRecords.with(DestinationSettings.NONE, "retry", Optional.of("hourly"));
        DestinationTable table = new DestinationTable(List.of(new DestinationTable.Clause(
                DestinationPattern.parse("far.example").orElseThrow(), hourly)), Map.of());
        Story story = new Story(s -> s.delayNotice(0).also(config -> config.withDestinations(table)
                .withRetries(new LinkedHashMap<>(Map.of("hourly", pauses("1h"))))));
        story.replies.put("far.example", Story.TRY_LATER);
        story.replies.put("other.example", Story.TRY_LATER);
        QueueId far = story.queue("a@far.example");
        QueueId other = story.queue("a@other.example");
        QueueId both = story.queue("a@far.example", "a@other.example");

        assertThat(story.index.get(far).nextMillis).isEqualTo(HOUR);
        assertThat(story.index.get(other).nextMillis).isEqualTo(300_000);
        assertThat(story.index.get(both).nextMillis).as("the earliest").isEqualTo(300_000);
        assertThat(attempts(story, far, 3 * HOUR)).containsExactly(3600L, 7200L, 10_800L);
    }

    @Test
    void aMessageWaitsForTheEarliestOfItsRecipients() {
        Story story = story("postfix",
                Map.of("postfix", with(Map.of("onGreylisting", "quick")), "quick", pauses("2m")));
        story.replies.put("grey.example", GREYLISTED);
        story.replies.put("far.example", Story.TRY_LATER);
        QueueId id = story.queue("a@grey.example", "b@far.example");

        assertThat(story.index.get(id).nextMillis).isEqualTo(120_000);
    }

    @Test
    @Tag("ZM-33")
    void aHintLengthensThePauseOfThePolicy() {
        assertThat(nextAfterHint(OptionalLong.of(900_000))).isEqualTo(900_000);
    }

    @Test
    @Tag("ZM-33")
    void aHintNeverShortensThePauseOfThePolicy() {
        assertThat(nextAfterHint(OptionalLong.of(10_000))).isEqualTo(600_000);
        assertThat(nextAfterHint(OptionalLong.empty())).isEqualTo(600_000);
    }

    /// The connection fails with this hint; the policy says ten minutes.
    private static long nextAfterHint(OptionalLong hintMillis) {
        Story story = story("ten", Map.of("ten", pauses("10m 2h")));
        story.withhold(QmgrOrder.Open.class);
        QueueId id = story.queue("a@far.example");
        QmgrOrder.Open open = story.waiting(QmgrOrder.Open.class).getFirst();
        story.happens(new QmgrEvent.ConnectionFailed(open.connection(), Reply.of(421, "4.3.2", "busy, come back later"),
                "mx.far.example", false, hintMillis));
        return story.index.get(id).nextMillis;
    }

    @Test
    @Tag("ZM-34")
    void aDeadDestinationIsOneDiagnosisForAllThatWaits() {
        Story story = new Story(s -> s.lanes(1, 10).transport(t -> t.withConcurrency(10, 1, 1)));
        story.withhold(QmgrOrder.Open.class);
        List<QueueId> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(story.queue("u" + i + "@far.example"));
        }
        assertThat(story.ordered(QmgrOrder.Open.class)).hasSize(1);
        story.down.put("far.example", Story.REFUSED);
        story.answerAll(QmgrOrder.Open.class);

        assertThat(story.ordered(QmgrOrder.Open.class)).as("a window of 1 dies with its second failure (PF-08)")
                .hasSize(2);
        assertThat(story.ordered(QmgrOrder.Defer.class)).extracting(QmgrOrder.Defer::id)
                .containsExactlyInAnyOrderElementsOf(all);
        assertThat(all).allSatisfy(id -> assertThat(story.index.get(id).last.get(1).reply().text())
                .contains("connection refused"));
    }

    @Test
    void afterTheClockWentBackMailWaitsNoLongerThanTheLongestPauseInUse() {
        Story story = story("slow", Map.of("slow", pauses("1m 2h")));
        story.now = 48 * HOUR;
        Story.Row row = story.row("a@far.example");
        row.nextMillis = story.now + 48 * HOUR;
        row.attempts = 1;
        story.start();
        assertThat(row.nextMillis).isEqualTo(story.now + 2 * HOUR);
    }

    @Test
    void thePolicyOfTheDestinationComesFirstAndThenThatOfTheError() {
        RetryPolicies policies = RetryPolicies.of("postfix",
                Map.of("slow", with(Map.of("onGreylisting", "quick", "onDns", "postfix")), "quick",
                        with(Map.of("onGreylisting", "slow"))),
                List.of("slow"), Duration.ofSeconds(300), Duration.ofSeconds(4_000));

        assertThat(policies.of(Optional.empty(), ErrorClass.GREYLISTING).name()).isEqualTo("postfix");
        assertThat(policies.of(Optional.of("slow"), ErrorClass.OTHER).name()).isEqualTo("slow");
        assertThat(policies.of(Optional.of("slow"), ErrorClass.DNS).name()).isEqualTo("postfix");
        assertThat(policies.of(Optional.of("slow"), ErrorClass.GREYLISTING).name()).as("no chain").isEqualTo("quick");
        assertThatThrownBy(() -> RetryPolicies.of("fast", Map.of(), List.of(), Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("fast");
    }

    @Test
    @Tag("ZM-33")
    void aDelayThatAHostNamesForARecipientLengthensItsPause() {
        Story story = new Story(s -> s.delayNotice(0));
        story.replies.put("grey.example", Reply.of(450, "4.2.0", "Greylisted, try again in 10 minutes"));
        story.replies.put("far.example", Reply.of(450, "4.2.0", "try again in 30 seconds"));
        QueueId grey = story.queue("a@grey.example");
        QueueId far = story.queue("a@far.example");

        story.until(300_000);
        assertThat(count(story, grey)).as("not after the minimal backoff").isEqualTo(1);
        assertThat(count(story, far)).as("a shorter delay changes nothing").isEqualTo(2);
        story.until(600_000);
        assertThat(count(story, grey)).isEqualTo(2);
    }

    @Test
    @Tag("ZM-35")
    void recipientsOfAPolicyWithALifetimeFailWhileTheOthersStay() {
        Story story = story("postfix", Map.of("postfix", with(Map.of("onFullMailbox", "brief")), "brief",
                with(Map.of("lifetime", Optional.of(Duration.ofHours(1))))));
        story.replies.put("full@far.example", Reply.of(452, "4.2.2", "mailbox full"));
        story.replies.put("slow@far.example", Story.TRY_LATER);
        QueueId id = story.queue("full@far.example", "slow@far.example");

        story.until(HOUR - 1_000);
        assertThat(story.index.get(id).open).as("young").hasSize(2);
        story.until(2 * HOUR);
        assertThat(story.index.get(id).open.values()).extracting(each -> each.address().toString())
                .containsExactly("slow@far.example");
        assertThat(story.removed).doesNotContainKey(id);
    }
}
