package org.slipstream.qmgr.wake;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.qmgr.wake.RetryTimes.RetryAttempt;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The curves of the retry policies, each as the exact list of its times.
class RetryPolicyTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long FIVE_DAYS = Duration.ofDays(5).toMillis();

    /// Four jumps, each to a place from which the list goes on to its end.
    private static final Long[] WALK_OF_4711 = {1L, 1L, 2L, 3L, 5L, 8L, 13L, 21L, 34L, 2L, 3L, 5L, 8L, 13L, 21L, 34L,
            3L, 5L, 8L, 13L, 21L, 34L, 13L, 21L, 34L, 3L, 5L, 8L, 13L, 21L, 34L};

    private static RetryPolicy factors(String list) {
        return new RetryPolicy.Factors(MINUTE, RetrySettings.RetryFactors.parse(list).orElseThrow().values());
    }

    private static RetryClause clause(RetryPolicy policy, int jitterPercent) {
        return new RetryClause("test", policy, Duration.ofDays(1).toMillis(), Long.MAX_VALUE, jitterPercent, Map.of());
    }

    /// The pauses of one message, in intervals of a minute.
    private static List<Long> minutes(RetryPolicy policy, long seed, int pauses) {
        return IntStream.rangeClosed(1, pauses).mapToObj(n -> policy.pauseMillis(0, n, seed) / 60_000).toList();
    }

    private static List<Long> seconds(RetryPolicy policy, int most) {
        return RetryTimes.exact(clause(policy, 0), FIVE_DAYS, 1, most).stream()
                .map(attempt -> attempt.afterMillis() / 1_000).toList();
    }

    @ParameterizedTest
    @Tag("PF-29")
    @CsvSource({"0, 300000", "299999, 300000", "300000, 300000", "1200000, 1200000", "4000000, 4000000",
            "9000000, 4000000"})
    void ageDoublingWaitsAsLongAsTheMessageHasExisted(long age, long pause) {
        RetryPolicy postfix = new RetryPolicy.AgeDoubling(Duration.ofSeconds(300), Duration.ofSeconds(4_000));
        assertThat(postfix.pauseMillis(age, 3, 1)).isEqualTo(pause);
    }

    @Test
    @Tag("PF-29")
    void ageDoublingDoublesUpToItsLongestPause() {
        RetryPolicy postfix = new RetryPolicy.AgeDoubling(Duration.ofSeconds(300), Duration.ofSeconds(4_000));
        assertThat(seconds(postfix, 8)).containsExactly(0L, 300L, 600L, 1200L, 2400L, 4800L, 8800L, 12800L);
    }

    @Test
    @Tag("ZM-30")
    void factorsGoThroughTheListAndThenOnFromARandomPlace() {
        RetryPolicy zmailer = factors("1 1 2 3 5 8 13 21 34");

        assertThat(minutes(zmailer, 4711, 9)).containsExactly(1L, 1L, 2L, 3L, 5L, 8L, 13L, 21L, 34L);
        List<Long> after = minutes(zmailer, 4711, 40).subList(9, 40);
        assertThat(after).as("the places of this seed").containsExactly(WALK_OF_4711);
        assertThat(minutes(zmailer, 4711, 40)).as("the same seed, the same walk").endsWith(after.toArray(Long[]::new));
        assertThat(minutes(zmailer, 4712, 40)).as("another message walks elsewhere")
                .isNotEqualTo(minutes(zmailer, 4711, 40));
        // After any factor but the last comes the next one of the list.
        List<Long> list = List.of(1L, 2L, 3L, 5L, 8L, 13L, 21L, 34L);
        for (int i = 0; i + 1 < after.size(); i++) {
            if (after.get(i) != 34 && after.get(i) != 1) {
                assertThat(after.get(i + 1)).isEqualTo(list.get(list.indexOf(after.get(i)) + 1));
            }
        }
    }

    @Test
    @Tag("ZM-30")
    void everyPlaceOfTheListIsJumpedTo() {
        RetryPolicy policy = factors("1 2 3 4");
        assertThat(IntStream.range(0, 200).mapToLong(seed -> policy.pauseMillis(0, 5, seed) / 60_000).distinct()
                .sorted()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    @Tag("ZM-31")
    void noFactorIsSkipped() {
        assertThat(seconds(factors("1 2 4 8"), 5)).containsExactly(0L, 60L, 180L, 420L, 900L);
    }

    @ParameterizedTest
    @Tag("ZM-32")
    @CsvSource({"hammer, 0, '1 2 3 4 5'", "constant, 1, '60 120 180 240 300'",
            "fibonacci, 1 1 2 3 5 8, '60 120 240 420 720'", "s-curve, 1 1 3 9 12 12, '60 120 300 840 1560'",
            "exponential, 1 2 4 8 16 32, '60 180 420 900 1860'"})
    void theStrategiesOfZMailersManualAreListsOfFactors(String name, String list, String times) {
        List<Long> expected = new ArrayList<>(List.of(0L));
        List.of(times.split(" ")).forEach(time -> expected.add(Long.valueOf(time)));
        assertThat(seconds(factors(list), 6)).as(name).isEqualTo(expected);
    }

    @ParameterizedTest
    @Tag("ZM-32")
    @ValueSource(strings = {"", " ", "1 -1", "one", "1,2", "1.5", "1000000"})
    void textThatIsNoListOfFactorsIsRefused(String text) {
        assertThat(RetrySettings.RetryFactors.parse(text)).isEmpty();
    }

    /// qmail-send: `nextretry()` with `chanskip` 20 for remote and 10 for local mail.
    @Test
    @Tag("IM-29")
    void quadraticComesAtTheSquaresOfQmail() {
        assertThat(seconds(new RetryPolicy.Quadratic(Duration.ofSeconds(400)), 7))
                .containsExactly(0L, 400L, 1600L, 3600L, 6400L, 10_000L, 14_400L);
        assertThat(seconds(new RetryPolicy.Quadratic(Duration.ofSeconds(100)), 5))
                .containsExactly(0L, 100L, 400L, 900L, 1600L);
        RetryPolicy remote = new RetryPolicy.Quadratic(Duration.ofSeconds(400));
        assertThat(remote.pauseMillis(1_000_000, 3, 1)).as("⌊√1000⌋ + 20 = 51, 51² = 2601").isEqualTo(1_601_000);
    }

    @Test
    void aListRepeatsItsLastPause() {
        RetryPolicy list = new RetryPolicy.PauseList(
                RetrySettings.RetryPauses.parse("5m 15m 1h").orElseThrow().values());
        assertThat(seconds(list, 6)).containsExactly(0L, 300L, 1200L, 4800L, 8400L, 12_000L);
        assertThat(RetrySettings.RetryPauses.parse("5m soon")).isEmpty();
        assertThat(RetrySettings.RetryPauses.parse("")).isEmpty();
    }

    @Test
    void noPolicySpins() {
        assertThat(factors("0").pauseMillis(0, 1, 1)).isEqualTo(1_000);
        assertThat(new RetryPolicy.PauseList(List.of(Duration.ZERO)).pauseMillis(0, 7, 1)).isEqualTo(1_000);
        assertThat(new RetryPolicy.Quadratic(Duration.ZERO).pauseMillis(500, 1, 1)).isEqualTo(1_000);
    }

    @Test
    void jitterFollowsFromTheMessageAndOnlyLengthens() {
        RetryClause clause = clause(factors("10"), 10);
        List<Long> pauses = IntStream.range(1, 500).mapToObj(n -> clause.pauseMillis(0, n, 99)).toList();

        assertThat(pauses).allSatisfy(pause -> assertThat(pause).isBetween(600_000L, 660_000L));
        assertThat(pauses.stream().mapToLong(pause -> pause).average().orElseThrow()).isBetween(625_000.0, 635_000.0);
        assertThat(pauses).as("a replay").isEqualTo(
                IntStream.range(1, 500).mapToObj(n -> clause.pauseMillis(0, n, 99)).toList());
        assertThat(clause.pauseMillis(0, 1, 100)).as("another message").isNotEqualTo(pauses.getFirst());
    }

    @Test
    void theRangeOfJitterHoldsEveryMessage() {
        RetryClause clause = clause(new RetryPolicy.AgeDoubling(MINUTE, Duration.ofHours(1)), 20);
        List<RetryAttempt> range = RetryTimes.range(clause, FIVE_DAYS, 0, 30);
        for (long seed = 1; seed < 50; seed++) {
            List<RetryAttempt> exact = RetryTimes.exact(clause, FIVE_DAYS, seed, 30);
            for (int i = 0; i < range.size(); i++) {
                assertThat(exact.get(i).afterMillis()).isBetween(range.get(i).afterMillis(),
                        range.get(i).latestMillis());
            }
        }
    }

    @Test
    void noPauseIsLongerThanTheLongest() {
        RetryClause clause = new RetryClause("test", new RetryPolicy.Quadratic(Duration.ofSeconds(400)), 3_600_000,
                Long.MAX_VALUE, 0,
                Map.of());
        assertThat(clause.pauseMillis(FIVE_DAYS, 100, 1)).isEqualTo(3_600_000);
        assertThat(clause.furthestMillis()).isEqualTo(3_600_000);
        assertThat(RetryTimes.count(clause, FIVE_DAYS, 1))
                .isEqualTo(RetryTimes.exact(clause, FIVE_DAYS, 1, 10_000).size());
    }
}
