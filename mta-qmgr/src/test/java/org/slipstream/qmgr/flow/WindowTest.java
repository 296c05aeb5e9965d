package org.slipstream.qmgr.flow;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slipstream.core.Reply;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.slipstream.qmgr.flow.FeedbackVariant.PLUS_MINUS_ONE;
import static org.slipstream.qmgr.flow.FeedbackVariant.POSTFIX_SOURCE;
import static org.slipstream.qmgr.flow.FeedbackVariant.PSEUDOCODE;

/// The window grows carefully and shrinks at once.
class WindowTest {
    private static FlowRules rules(int initial, int limit, String feedback, int cohorts, FeedbackVariant variant) {
        Feedback f = Feedback.parse(feedback).orElseThrow();
        return new FlowRules(initial, limit, f, f, cohorts, 0, variant);
    }

    /// The number of the success at which each window is reached.
    private static List<String> growth(FlowRules rules, int successes) {
        Window window = new Window(rules);
        List<String> steps = new ArrayList<>();
        for (int i = 1; i <= successes; i++) {
            int before = window.size();
            window.good(window.size());
            if (window.size() != before) {
                steps.add(window.size() + "@" + i);
            }
        }
        return steps;
    }

    private static List<String> shrinking(FlowRules rules, int failures) {
        Window window = new Window(rules);
        List<String> steps = new ArrayList<>();
        for (int i = 1; i <= failures; i++) {
            int before = window.size();
            if (window.bad()) {
                steps.add("dead@" + i);
                return steps;
            }
            if (window.size() != before) {
                steps.add(window.size() + "@" + i);
            }
        }
        return steps;
    }

    @Test
    @Tag("PF-02")
    @Tag("PF-03")
    void v1OneMoreWithEverySuccessUpToTheLimit() {
        for (FeedbackVariant variant : FeedbackVariant.values()) {
            assertThat(growth(rules(5, 20, "1", 1, variant), 16)).hasSize(15).startsWith("6@1", "7@2")
                    .endsWith("20@15");
        }
    }

    @Test
    @Tag("PF-08")
    void v2FailuresOnly() {
        assertThat(shrinking(rules(5, 20, "1", 1, PSEUDOCODE), 9)).containsExactly("4@1", "3@2", "2@3", "dead@4");
        assertThat(shrinking(rules(5, 20, "1", 1, POSTFIX_SOURCE), 9)).containsExactly("3@1", "2@2", "dead@3");
    }

    @Test
    @Tag("PF-03")
    void v3GrowthByOneInN() {
        assertThat(growth(rules(5, 20, "1/concurrency", 1, PSEUDOCODE), 26)).containsExactly("6@5", "7@12", "8@18",
                "9@26");
        assertThat(growth(rules(5, 20, "1/concurrency", 1, POSTFIX_SOURCE), 26)).containsExactly("6@5", "7@11", "8@18",
                "9@26");
    }

    @Test
    @Tag("PF-04")
    void v4TheFirstFailureOfACycleShrinks() {
        assertThat(shrinking(rules(20, 20, "1/concurrency", 10, PSEUDOCODE), 20)).containsExactly("19@1", "18@20");
        assertThat(shrinking(rules(20, 20, "1/concurrency", 10, POSTFIX_SOURCE), 20)).startsWith("19@1", "18@19");
    }

    @Test
    @Tag("PF-05")
    void withoutACohortLimitTheWindowStopsAtOne() {
        Window window = new Window(rules(5, 20, "1", 1_000, PSEUDOCODE));
        for (int i = 0; i < 100; i++) {
            assertThat(window.bad()).isFalse();
        }
        assertThat(window.size()).isEqualTo(1);
        Window never = new Window(rules(5, 20, "1", 0, POSTFIX_SOURCE));
        for (int i = 0; i < 100; i++) {
            assertThat(never.bad()).isFalse();
        }
    }

    @Test
    @Tag("PF-07")
    void oneSuccessForgivesTheCohort() {
        Window window = new Window(rules(10, 20, "1/4", 1, PSEUDOCODE));
        for (int i = 0; i < 10; i++) {
            for (int k = 0; k < 3; k++) {
                assertThat(window.bad()).as("round %d", i).isFalse();
            }
            for (int k = 0; k < 8; k++) {
                window.good(20);
            }
            assertThat(window.failedCohorts()).isZero();
        }
    }

    @Test
    @Tag("PF-11")
    void oneByOneTheWindowGrowsNoFurtherThanItIsTested() {
        Window window = new Window(rules(5, 20, "1", 1, PSEUDOCODE));
        for (int i = 0; i < 100; i++) {
            window.good(1);
        }
        assertThat(window.size()).isEqualTo(6);
    }

    @Test
    @Tag("PF-09")
    void revivedItStartsWithWhatRunsOrAfresh() {
        Reply down = Reply.of(450, "4.4.1", "refused");
        Destination destination = new Destination(rules(5, 20, "1", 1, PSEUDOCODE));
        for (int i = 0; i < 4; i++) {
            destination.bad(down, 300_000);
        }
        assertThat(destination.state()).isEqualTo(new DestinationState.Dead(300_000, down));
        assertThat(destination.allowed()).isZero();
        assertThat(destination.good(2)).isTrue();
        assertThat(destination.allowed()).isEqualTo(2);
        for (int i = 0; i < 4; i++) {
            destination.bad(down, 300_000);
        }
        destination.revive(0);
        assertThat(destination.allowed()).isEqualTo(5);
    }

    /// Successful deliveries, one cohort after the other: each is as large as the window at its
    /// start.
    private static List<Integer> cohorts(FlowRules rules, int count) {
        Window window = new Window(rules);
        List<Integer> sizes = new ArrayList<>(List.of(window.size()));
        for (int cohort = 0; cohort < count; cohort++) {
            int deliveries = window.size();
            for (int i = 0; i < deliveries; i++) {
                window.good(window.size()); // what is done is replaced at once
            }
            sizes.add(window.size());
        }
        return sizes;
    }

    @Test
    @Tag("PF-74")
    void theOldManagerDoublesWithEachCohortThatWorksAndDiesOfOneThatFails() {
        assertThat(cohorts(rules(5, 100, "1/concurrency", 1, PLUS_MINUS_ONE), 4)).containsExactly(5, 10, 20, 40, 80);
        assertThat(cohorts(rules(5, 20, "1", 1, PLUS_MINUS_ONE), 3)).containsExactly(5, 10, 20, 20);
        // The same network, feedback of today: one more with each cohort.
        assertThat(cohorts(rules(5, 100, "1/concurrency", 1, POSTFIX_SOURCE), 4)).containsExactly(5, 6, 7, 8, 9);

        assertThat(shrinking(rules(5, 20, "1/concurrency", 99, PLUS_MINUS_ONE), 9)).containsExactly("4@1", "3@2",
                "2@3", "1@4", "dead@5");
        // "A single failure could be sufficient": a channel of one.
        assertThat(shrinking(rules(1, 1, "1", 99, PLUS_MINUS_ONE), 9)).containsExactly("dead@1");
    }

    @RepeatedTest(200)
    void theWindowStaysBetweenOneAndTheLimitWhileAlive(RepetitionInfo info) {
        Random random = new Random(info.getCurrentRepetition());
        String[] kinds = {"1", "0.3", "1/4", "1/concurrency", "1/sqrt_concurrency", "0"};
        int limit = random.nextInt(30);
        FlowRules rules = new FlowRules(1 + random.nextInt(30), limit,
                Feedback.parse(kinds[random.nextInt(6)]).orElseThrow(),
                Feedback.parse(kinds[random.nextInt(6)]).orElseThrow(), random.nextInt(5), 0,
                FeedbackVariant.values()[random.nextInt(FeedbackVariant.values().length)]);
        Window window = new Window(rules);
        for (int i = 0; i < 500; i++) {
            if (random.nextInt(3) > 0) {
                window.good(random.nextInt(30));
            } else if (window.bad()) {
                window.revive(random.nextInt(Math.max(1, Math.min(window.size(), limit == 0 ? 30 : limit))));
            }
            assertThat(window.size()).as("seed %d step %d", info.getCurrentRepetition(), i).isBetween(1,
                    limit == 0 ? Integer.MAX_VALUE : limit);
        }
    }

    @Test
    void connectionsThatAreUpOpenTheWindowUntilTheFirstDeliveryEnds() {
        Window window = new Window(rules(5, 14, "1", 1, POSTFIX_SOURCE));
        int running = 5;
        for (int up = 0; up < running; up++) {
            assertThat(window.opened(running)).isTrue();
            running = window.size();
        }
        assertThat(window.size()).isEqualTo(14);
    }

    @Test
    void anUntestedWindowDoesNotOpenFurther() {
        Window window = new Window(rules(5, 0, "1", 1, POSTFIX_SOURCE));
        for (int up = 0; up < 100; up++) {
            window.opened(1);
        }
        assertThat(window.size()).as("PF-11: one delivery and the first window").isEqualTo(6);
    }

    @Test
    void afterTheFirstEndOfADeliveryAConnectionSaysNothing() {
        Window good = new Window(rules(5, 0, "1", 1, POSTFIX_SOURCE));
        good.good(5);
        assertThat(good.opened(5)).isFalse();
        assertThat(good.size()).isEqualTo(6);

        Window refused = new Window(rules(5, 0, "1", 1, POSTFIX_SOURCE));
        refused.bad();
        int shrunk = refused.size();
        assertThat(refused.opened(5)).isFalse();
        assertThat(refused.size()).isEqualTo(shrunk);
    }

    @Test
    void aConnectionThatIsUpLeavesTheFailedCohorts() {
        Window window = new Window(rules(2, 0, "1", 1, POSTFIX_SOURCE));
        window.bad();
        window.opened(2);
        assertThat(window.failedCohorts()).as("failed cohorts").isEqualTo(0.5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.5", "-1", "2/concurrency", "3/2", "x", "1/", "", "1/n", "1/0"})
    void feedbackThatMakesNoSense(String text) {
        assertThat(Feedback.parse(text)).isEmpty();
    }

    @Test
    void feedbackThatMakesSense() {
        assertThat(Feedback.parse("1/4").orElseThrow().of(7)).isEqualTo(0.25);
        assertThat(Feedback.parse("0.5 / concurrency").orElseThrow().of(5)).isEqualTo(0.1);
        assertThat(Feedback.parse("1/sqrt_concurrency").orElseThrow().of(16)).isEqualTo(0.25);
        assertThat(Feedback.parse("0")).contains(new Feedback.Fixed(0));
    }
}
