package org.slipstream.qmgr.flow;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.slipstream.core.Reply;
import org.slipstream.qmgr.TransitionTable;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

/// The table of transitions in the class comment of [Destination], cell by cell, with the effect on
/// the window.
class DestinationTest {
    private static final Reply REFUSED = Reply.of(421, "4.3.2", "Connection refused");

    /// Postfix's defaults: window 5, and the fourth consecutive failure kills the destination
    /// (PF-08, vector V2).
    private static Destination live() {
        return new Destination(new FlowRules(5, 20, new Feedback.Fixed(1), new Feedback.Fixed(1), 1, 0,
                FeedbackVariant.PSEUDOCODE));
    }

    private static Destination failed(int failures) {
        Destination destination = live();
        IntStream.range(0, failures).forEach(_ -> destination.bad(REFUSED, 300_000));
        return destination;
    }

    private static Destination suspended() {
        Destination destination = live();
        destination.suspend(1_000);
        return destination;
    }

    /// Ways into each state. A live destination may be new or one failure before its death.
    private static final Map<String, List<Supplier<Destination>>> STATES = Map.of("Live",
            List.of(DestinationTest::live, () -> failed(3)), "Dead", List.of(() -> failed(4)), "Suspended",
            List.of(DestinationTest::suspended));

    private static final Map<String, Consumer<Destination>> CALLS = Map.of("good", d -> d.good(5), "bad",
            d -> d.bad(REFUSED, 300_000), "revive", d -> d.revive(0), "suspend", d -> d.suspend(1_000), "resume",
            Destination::resume);

    @Test
    void theTableHasARowForEachStateAndAColumnForEachCall() throws IOException {
        assertThat(TransitionTable.of(Destination.class).keySet()).isEqualTo(STATES.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        Arrays.stream(DestinationState.class.getPermittedSubclasses()).map(Class::getSimpleName)
                                .toList());
        assertThat(TransitionTable.of(Destination.class).values())
                .allSatisfy(row -> assertThat(row.keySet()).isEqualTo(CALLS.keySet()));
    }

    @TestFactory
    @Tag("PF-08")
    @Tag("PF-09")
    @Tag("PF-15")
    Stream<DynamicTest> eachCellIsWhatHappens() throws IOException {
        return TransitionTable.of(Destination.class).entrySet().stream()
                .flatMap(row -> row.getValue().entrySet().stream().map(cell -> dynamicTest(
                        row.getKey() + ", " + cell.getKey() + ": " + cell.getValue(),
                        () -> walk(row.getKey(), cell.getKey(), cell.getValue()))));
    }

    private static void walk(String from, String call, String written) {
        Set<String> results = new TreeSet<>();
        for (Supplier<Destination> way : STATES.get(from)) {
            Destination destination = way.get();
            assertThat(name(destination)).isEqualTo(from);
            results.add(result(destination, CALLS.get(call)));
        }
        assertThat(results).isEqualTo(new TreeSet<>(Arrays.asList(written.replaceAll(" \\(.*?\\)", "").split(" or "))));
    }

    /// The state after the call, and the effect on the window of a destination that was counted.
    private static String result(Destination destination, Consumer<Destination> call) {
        Destination.FlowFigures before = destination.figures();
        String from = name(destination);
        try {
            call.accept(destination);
        } catch (IllegalStateException _) {
            assertThat(destination.figures()).as("a refused call changes nothing").isEqualTo(before);
            return "refused";
        }
        int change = from.equals("Live") && destination.isLive() ? destination.figures().window() - before.window() : 0;
        if (name(destination).equals(from) && change == 0) {
            assertThat(destination.figures()).as("nothing is counted").isEqualTo(before);
        }
        return name(destination) + (change > 0 ? ", grows" : change < 0 ? ", shrinks" : "");
    }

    private static String name(Destination destination) {
        return destination.state().getClass().getSimpleName();
    }

    @Test
    @Tag("PF-10")
    @Tag("PF-22")
    void onlyADeadDestinationDefersWhatWaitsForItAndWithTheReasonOfItsDeath() {
        assertThat(live().suspension()).isEmpty();
        assertThat(failed(3).suspension()).isEmpty();
        assertThat(suspended().suspension()).isEmpty();
        assertThat(failed(4).suspension()).hasValueSatisfying(reply -> assertThat(reply.toString())
                .contains("421", "4.3.2", "delivery temporarily suspended: Connection refused"));
    }
}
