package org.slipstream.lab.study;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.lab.Latency;
import org.slipstream.lab.study.Study.Row;
import org.slipstream.lab.study.Study.StudyResult;
import org.slipstream.lab.study.Study.Variation;
import org.slipstream.qmgr.flow.FeedbackVariant;

import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/// The published measurements, made again with the queue manager that ships.
class StudiesTest {
    private static final double ONE_POINT = 1;
    private static final double WINDOW = 0.3;

    private static final List<StudyResult> LIMITER = Once.LIMITER;
    private static final List<StudyResult> CONNECT = Once.CONNECT;
    private static final List<StudyResult> GREETING = Once.GREETING;

    private static void isAsPublished(StudyResult result, Measured run) {
        Published published = result.row().published();
        String row = StudyText.left(result.row());
        assertThat(run.deferredPercent()).as("percentage deferred of " + row).isCloseTo(published.deferredPercent(),
                within(ONE_POINT));
        assertThat(run.average()).as("average window of " + row).isCloseTo(published.average(), within(WINDOW));
    }

    @Test
    @Tag("PF-14")
    void aServerThatAnswers421GetsTheWindowsThatWerePublishedWithEverySeed() {
        assertThat(LIMITER).hasSize(6).allSatisfy(result -> {
            assertThat(result.runs()).hasSize(10).allSatisfy(run -> isAsPublished(result, run));
            assertThat(result.mean().deviation()).isCloseTo(result.row().published().deviation(), within(0.1));
        });
    }

    @Test
    @Tag("PF-14")
    void aSixthAQuarterAndHalfOfTheMailAreDeferredAsThePencilSays() {
        assertThat(LIMITER.stream().map(result -> result.row().setup().style().goodPerStep(5)).toList())
                .containsExactly(5, 5, 3, 3, 1, 1);
        assertThat(LIMITER).allSatisfy(result -> assertThat(result.mean().deferredPercent()).isCloseTo(
                Theory.deferredPercent(result.row().setup(), result.mean().average()).orElseThrow(),
                within(ONE_POINT)));
    }

    @Test
    @Tag("PF-14")
    void whoeverIsDeferredByTheLimiterReadA421AndNothingElseHappened() {
        assertThat(LIMITER).flatExtracting(StudyResult::runs).allSatisfy(run -> {
            assertThat(run.turnedAway()).isCloseTo(run.deferredPercent() * 20, within(1e-6));
            assertThat(run.connectTimeouts() + run.greetingTimeouts() + run.untried()).isZero();
            // The server's limit of ten processes, which is not modelled, was not reached.
            assertThat(run.widest()).isLessThanOrEqualTo(10);
        });
    }

    /// The window after each of the last deliveries, when it has found its place.
    private static List<Integer> windowsInTheEnd(Setup setup) {
        List<Integer> windows = StudyWorld.run(setup, 1).samples().stream().map(Tally.Sample::window).toList();
        return windows.subList(windows.size() * 3 / 4, windows.size());
    }

    /// "Stops increasing its concurrency once it reaches a concurrency level of about K", says the
    /// document. Where below K depends on where the window began.
    @Test
    @Tag("PF-14")
    void aBadServerAmongKStallsAWindowOf1OverNBelowK() {
        for (int servers : List.of(5, 10, 15)) {
            Setup setup = new Setup(FeedbackStyle.PER_N, false, 2_000, 5, new Door.Balanced(servers));
            assertThat(windowsInTheEnd(setup)).as("K = " + servers)
                    .allSatisfy(window -> assertThat(window).isBetween(servers / 2, servers));
        }
        Setup atK = new Setup(FeedbackStyle.PER_N, false, 2_000, 10, new Door.Balanced(10));
        assertThat(windowsInTheEnd(atK)).containsOnly(9, 10);
    }

    @Test
    @Tag("PF-14")
    void aWindowWithABadServerAmongKStandsWhereThePencilSays() {
        assertThat(Studies.BALANCER.rows()).hasSize(9).allSatisfy(row -> {
            Theory.Stall stall = Theory.stall(row.setup()).orElseThrow();
            assertThat(windowsInTheEnd(row.setup())).as(StudyText.left(row))
                    .allSatisfy(window -> assertThat(window).isBetween(stall.least(), stall.most()));
        });
        assertThat(Once.BALANCER).allSatisfy(result -> assertThat(result.mean().deferredPercent()).isCloseTo(
                Theory.deferredPercent(result.row().setup(), result.mean().average()).orElseThrow(),
                within(ONE_POINT)));
    }

    /// Nobody knows how long EHLO took in 2007. It is of no importance as long as a refusal is
    /// quick.
    @Test
    @Tag("PF-14")
    void theTableDoesNotHangOnTheSmallTimesThatTheDocumentDoesNotName() {
        Latency.Uniform none = new Latency.Uniform(0, 1);
        Latency.Uniform brief = new Latency.Uniform(1, 10);
        for (Habits habits : List.of(new Habits(none, none, new Latency.Uniform(0, 20)),
                new Habits(none, none, new Latency.Uniform(0, 500)),
                new Habits(brief, brief, new Latency.Uniform(100, 200)))) {
            assertThat(Studies.LIMITER.measure(new Variation("", setup -> setup.with(habits)), _ -> {}))
                    .allSatisfy(result -> isAsPublished(result, result.mean()));
        }
    }

    /// While a refusal is on its way, further good deliveries widen the window.
    @Test
    void aRefusalThatTakesLongCostsMoreMailThanTheTableSays() {
        List<StudyResult> quick = LIMITER;
        List<StudyResult> slow = Studies.LIMITER.measure(new Variation("", setup -> setup.with(Habits.slow())),
                _ -> {});

        assertThat(slow.get(2).mean().deferredPercent()).isGreaterThan(quick.get(2).mean().deferredPercent() + 1);
        assertThat(slow.get(4).mean().average()).isGreaterThan(quick.get(4).mean().average() + 0.3);
        assertThat(slow.get(0).mean().deferredPercent()).isCloseTo(quick.get(0).mean().deferredPercent(), within(1.0));
    }

    @Test
    @Tag("PF-74")
    void theManagerBefore25DefersHalfWhateverFeedbackIsSet() {
        assertThat(Studies.LIMITER.measure(new Variation("", setup -> setup.with(FeedbackVariant.PLUS_MINUS_ONE)),
                _ -> {}))
                .allSatisfy(result -> assertThat(result.mean().deferredPercent()).isCloseTo(50, within(ONE_POINT)));
    }

    @Test
    @Tag("PF-70")
    void aConnectionCacheChangesLittleUnderCongestion() {
        for (List<StudyResult> study : List.of(LIMITER, CONNECT, GREETING)) {
            for (List<StudyResult> pair : pairs(study)) {
                Measured without = pair.getFirst().mean();
                Measured with = pair.getLast().mean();
                assertThat(pair.stream().map(result -> result.row().setup().cached())).containsExactly(false, true);
                assertThat(with.deferredPercent()).isCloseTo(without.deferredPercent(), within(1.2));
                assertThat(with.average()).isCloseTo(without.average(), within(0.3));
            }
        }
    }

    /// Not the figures of 2007, which hang on a kernel's queue, but what the document concludes
    /// from them.
    @Test
    @Tag("PF-14")
    void feedbackMattersToALimiterAndHardlyToCongestion() {
        assertThat(farthestApart(LIMITER)).isGreaterThan(30);
        assertThat(farthestApart(CONNECT)).isLessThan(2);
        assertThat(farthestApart(GREETING)).isLessThan(0.2);
    }

    @Test
    void congestionIsTheNumberOfOutsidersOverTheTimeoutAsThePencilSays() {
        List<StudyResult> results = new ArrayList<>(CONNECT);
        results.addAll(GREETING);

        assertThat(results).filteredOn(result -> !result.row().setup().cached()).hasSize(6)
                .allSatisfy(result -> assertThat(result.mean().deferredPercent() / Theory
                        .deferredPercent(result.row().setup(), result.mean().average()).orElseThrow())
                        .isCloseTo(1, within(0.05)));
    }

    @Test
    void aFullQueueMakesConnectTimeoutsAndAMissingGreetingGreetingTimeouts() {
        assertThat(CONNECT).allSatisfy(result -> {
            assertThat(result.mean().connectTimeouts()).isGreaterThan(9 * result.mean().greetingTimeouts());
            assertThat(result.mean().turnedAway() + result.mean().untried()).isZero();
        });
        assertThat(GREETING).allSatisfy(result -> {
            assertThat(result.mean().greetingTimeouts()).isPositive();
            assertThat(result.mean().connectTimeouts() + result.mean().turnedAway() + result.mean().untried()).isZero();
        });
    }

    @Test
    void theSameSeedGivesTheSameTranscriptAndAnotherSeedAnother() {
        for (Study study : Studies.all()) {
            for (Row row : study.rows()) {
                String once = transcript(row.setup(), 7);
                assertThat(once).as(study.name()).isNotEmpty().isEqualTo(transcript(row.setup(), 7))
                        .isNotEqualTo(transcript(row.setup(), 8));
            }
        }
    }

    private static String transcript(Setup setup, long seed) {
        StringBuilder lines = new StringBuilder();
        Setup small = new Setup(setup.style(), setup.cached(), 300, setup.initialConcurrency(), setup.door());
        StudyWorld.run(small, seed, line -> lines.append(line).append('\n'));
        return lines.toString();
    }

    private static List<List<StudyResult>> pairs(List<StudyResult> results) {
        List<List<StudyResult>> pairs = new ArrayList<>();
        for (int i = 0; i < results.size(); i += 2) {
            pairs.add(results.subList(i, i + 2));
        }
        return pairs;
    }

    private static double farthestApart(List<StudyResult> results) {
        var shares = results.stream().mapToDouble(result -> result.mean().deferredPercent())
                .summaryStatistics();
        return shares.getMax() - shares.getMin();
    }
}
