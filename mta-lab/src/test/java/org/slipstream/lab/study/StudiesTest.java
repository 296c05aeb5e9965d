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

/// The published measurements, repeated with the production queue manager.
class StudiesTest {
    private static final double ONE_POINT = 1;
    private static final double WINDOW = 0.3;

    private static final List<StudyResult> LIMITER = SharedStudyResults.LIMITER;
    private static final List<StudyResult> CONNECT = SharedStudyResults.CONNECT;
    private static final List<StudyResult> GREETING = SharedStudyResults.GREETING;

    private static void agreesWithPublication(StudyResult result, Measurement run) {
        PublishedFigures published = result.row().published();
        String row = StudyText.label(result.row());
        assertThat(run.deferredPercent()).as("percentage deferred of " + row).isCloseTo(published.deferredPercent(),
                within(ONE_POINT));
        assertThat(run.average()).as("average window of " + row).isCloseTo(published.average(), within(WINDOW));
    }

    @Test
    @Tag("PF-14")
    void aServerThatAnswers421GivesThePublishedWindowsWithEverySeed() {
        assertThat(LIMITER).hasSize(6).allSatisfy(result -> {
            assertThat(result.runs()).hasSize(10).allSatisfy(run -> agreesWithPublication(result, run));
            assertThat(result.mean().deviation()).isCloseTo(result.row().published().deviation(), within(0.1));
        });
    }

    @Test
    @Tag("PF-14")
    void aSixthAQuarterAndHalfOfTheMailAreDeferredAsPredicted() {
        assertThat(LIMITER.stream().map(result -> result.row().experiment().feedback().successesPerStep(5)).toList())
                .containsExactly(5, 5, 3, 3, 1, 1);
        assertThat(LIMITER).allSatisfy(result -> assertThat(result.mean().deferredPercent()).isCloseTo(
                Theory.deferredPercent(result.row().experiment(), result.mean().average()).orElseThrow(),
                within(ONE_POINT)));
    }

    @Test
    @Tag("PF-14")
    void everyRecipientThatTheLimiterDefersReceived421() {
        assertThat(LIMITER).flatExtracting(StudyResult::runs).allSatisfy(run -> {
            assertThat(run.refused()).isCloseTo(run.deferredPercent() * 20, within(1e-6));
            assertThat(run.connectTimeouts() + run.greetingTimeouts() + run.untried()).isZero();
            // The server's process limit of ten is not modelled; no window exceeds it.
            assertThat(run.widest()).isLessThanOrEqualTo(10);
        });
    }

    /// The windows of the last quarter of the samples, when the window is stable.
    private static List<Integer> finalWindows(Experiment experiment) {
        List<Integer> windows = StudySimulation.run(experiment, 1).samples().stream()
                .map(RunStatistics.FeedbackSample::window).toList();
        return windows.subList(windows.size() * 3 / 4, windows.size());
    }

    /// The document says: "stops increasing its concurrency once it reaches a concurrency level of
    /// about K". The exact level below K depends on the initial window.
    @Test
    @Tag("PF-14")
    void aBadServerAmongKStopsAWindowOf1OverNBelowK() {
        for (int servers : List.of(5, 10, 15)) {
            Experiment experiment = new Experiment(FeedbackPair.PER_N, false, 2_000, 5,
                    new ServerModel.Balanced(servers));
            assertThat(finalWindows(experiment)).as("K = " + servers)
                    .allSatisfy(window -> assertThat(window).isBetween(servers / 2, servers));
        }
        Experiment atK = new Experiment(FeedbackPair.PER_N, false, 2_000, 10, new ServerModel.Balanced(10));
        assertThat(finalWindows(atK)).containsOnly(9, 10);
    }

    @Test
    @Tag("PF-14")
    void aWindowWithABadServerAmongKEndsAsPredicted() {
        assertThat(Studies.BALANCER.rows()).hasSize(9).allSatisfy(row -> {
            Theory.FinalWindow predicted = Theory.finalWindow(row.experiment()).orElseThrow();
            assertThat(finalWindows(row.experiment())).as(StudyText.label(row))
                    .allSatisfy(window -> assertThat(window).isBetween(predicted.least(), predicted.most()));
        });
        assertThat(SharedStudyResults.BALANCER)
                .allSatisfy(result -> assertThat(result.mean().deferredPercent()).isCloseTo(
                        Theory.deferredPercent(result.row().experiment(), result.mean().average()).orElseThrow(),
                        within(ONE_POINT)));
    }

    /// The document does not say how long EHLO took. Its latency has no effect while a refusal is
    /// quick.
    @Test
    @Tag("PF-14")
    void theTableDoesNotDependOnTheAssumedLatencies() {
        Latency.Uniform none = new Latency.Uniform(0, 1);
        Latency.Uniform shortTime = new Latency.Uniform(1, 10);
        for (AssumedLatencies latencies : List.of(new AssumedLatencies(none, none, new Latency.Uniform(0, 20)),
                new AssumedLatencies(none, none, new Latency.Uniform(0, 500)),
                new AssumedLatencies(shortTime, shortTime, new Latency.Uniform(100, 200)))) {
            assertThat(Studies.LIMITER.measure(new Variation("", experiment -> experiment.with(latencies)), _ -> {}))
                    .allSatisfy(result -> agreesWithPublication(result, result.mean()));
        }
    }

    /// While a refusal is under way, further good deliveries widen the window.
    @Test
    void aSlowRefusalDefersMoreMailThanTheTableSays() {
        List<StudyResult> quick = LIMITER;
        List<StudyResult> slow = Studies.LIMITER.measure(
                new Variation("", experiment -> experiment.with(AssumedLatencies.distantServer())),
                _ -> {});

        assertThat(slow.get(2).mean().deferredPercent()).isGreaterThan(quick.get(2).mean().deferredPercent() + 1);
        assertThat(slow.get(4).mean().average()).isGreaterThan(quick.get(4).mean().average() + 0.3);
        assertThat(slow.get(0).mean().deferredPercent()).isCloseTo(quick.get(0).mean().deferredPercent(), within(1.0));
    }

    @Test
    @Tag("PF-74")
    void theManagerBefore25DefersHalfWithAnyFeedback() {
        assertThat(Studies.LIMITER.measure(
                new Variation("", experiment -> experiment.with(FeedbackVariant.PLUS_MINUS_ONE)),
                _ -> {}))
                .allSatisfy(result -> assertThat(result.mean().deferredPercent()).isCloseTo(50, within(ONE_POINT)));
    }

    @Test
    @Tag("PF-70")
    void aConnectionCacheChangesLittleUnderCongestion() {
        for (List<StudyResult> study : List.of(LIMITER, CONNECT, GREETING)) {
            for (List<StudyResult> pair : pairs(study)) {
                Measurement without = pair.getFirst().mean();
                Measurement with = pair.getLast().mean();
                assertThat(pair.stream().map(result -> result.row().experiment().cached())).containsExactly(false,
                        true);
                assertThat(with.deferredPercent()).isCloseTo(without.deferredPercent(), within(1.2));
                assertThat(with.average()).isCloseTo(without.average(), within(0.3));
            }
        }
    }

    /// The figures of 2007 depend on a kernel's listen queue. This test checks the conclusions of
    /// the document instead.
    @Test
    @Tag("PF-14")
    void feedbackMattersToALimiterAndHardlyToCongestion() {
        assertThat(farthestApart(LIMITER)).isGreaterThan(30);
        assertThat(farthestApart(CONNECT)).isLessThan(2);
        assertThat(farthestApart(GREETING)).isLessThan(0.2);
    }

    @Test
    void congestionDefersRetransmittingConnectionsPerTimeoutAsPredicted() {
        List<StudyResult> results = new ArrayList<>(CONNECT);
        results.addAll(GREETING);

        assertThat(results).filteredOn(result -> !result.row().experiment().cached()).hasSize(6)
                .allSatisfy(result -> assertThat(result.mean().deferredPercent() / Theory
                        .deferredPercent(result.row().experiment(), result.mean().average()).orElseThrow())
                        .isCloseTo(1, within(0.05)));
    }

    @Test
    void aFullQueueMakesConnectTimeoutsAndAMissingGreetingGreetingTimeouts() {
        assertThat(CONNECT).allSatisfy(result -> {
            assertThat(result.mean().connectTimeouts()).isGreaterThan(9 * result.mean().greetingTimeouts());
            assertThat(result.mean().refused() + result.mean().untried()).isZero();
        });
        assertThat(GREETING).allSatisfy(result -> {
            assertThat(result.mean().greetingTimeouts()).isPositive();
            assertThat(result.mean().connectTimeouts() + result.mean().refused() + result.mean().untried()).isZero();
        });
    }

    @Test
    void theSameSeedGivesTheSameTranscriptAndAnotherSeedAnother() {
        for (Study study : Studies.all()) {
            for (Row row : study.rows()) {
                String once = transcript(row.experiment(), 7);
                assertThat(once).as(study.name()).isNotEmpty().isEqualTo(transcript(row.experiment(), 7))
                        .isNotEqualTo(transcript(row.experiment(), 8));
            }
        }
    }

    private static String transcript(Experiment experiment, long seed) {
        StringBuilder lines = new StringBuilder();
        Experiment small = new Experiment(experiment.feedback(), experiment.cached(), 300,
                experiment.initialConcurrency(), experiment.server());
        StudySimulation.run(small, seed, line -> lines.append(line).append('\n'));
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
