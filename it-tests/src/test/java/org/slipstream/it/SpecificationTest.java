package org.slipstream.it;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.it.fixture.ClusterTrace;
import org.slipstream.it.fixture.ClusterTrace.Delivery;
import org.slipstream.it.fixture.ClusterTrace.Line;
import org.slipstream.it.fixture.ClusterTrace.Row;
import org.slipstream.it.fixture.ClusterTrace.ShardTrace;
import org.slipstream.it.fixture.ModelChecker;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import static org.assertj.core.api.Assertions.assertThat;

/// TLC checks the modules of `spec/` (docs/specification.md). Each rule that a module names as a constant
/// is also left out once, and TLC has to find the history in which that loses mail or doubles it.
class SpecificationTest {
    /// Bounds for a night. The files have those for the build.
    private static final Map<String, Integer> LONG = Map.of("MostEpochs", 3, "MostEntries", 6, "MostTime", 7,
            "MostPauses", 1,
            "MostCrashes", 5, "MostAttempts", 5);

    @TempDir
    private Path scratch;

    @ParameterizedTest
    @CsvSource({"Ownership", "Lease", "MovedMail"})
    void everyHistoryKeepsThePromises(String module) throws Exception {
        var settings = ModelChecker.settings(module);
        if (Boolean.getBoolean("slipstream.long")) {
            for (var bound : LONG.entrySet()) {
                settings = settings.replaceAll("(?m)" + bound.getKey() + " = \\d+",
                        bound.getKey() + " = " + bound.getValue());
            }
        }
        assertThat(ModelChecker.check(scratch, module, settings))
                .contains("Model checking completed. No error has been found.");
    }

    @ParameterizedTest
    @CsvSource({"Ownership, ChecksEpoch, EpochsNeverFall", "Ownership, AsksAfterACut, AcknowledgedIsKept",
            "Ownership, AsksByAWrite, AcknowledgedIsKept", "Ownership, WarningsCount, AcknowledgedIsKept",
            "Ownership, PromotesTheNewest, AcknowledgedIsKept", "Lease, CountsFromSending, NoStaleDelivery",
            "Lease, LeavesAfterDeliveries, NoStaleDelivery",
            "MovedMail, OldLeavesAfter, NeverLost", "MovedMail, SweepsFirst, NeverTwiceAtOnce",
            "MovedMail, ComparesStates, AttemptsAreKept"})
    void withoutARuleMailIsLostOrDoubled(String module, String rule, String promise) throws Exception {
        var settings = ModelChecker.settings(module);
        assertThat(settings).contains(rule + " = TRUE");
        assertThat(ModelChecker.check(scratch, module, settings.replace(rule + " = TRUE", rule + " = FALSE")))
                .contains("Invariant " + promise + " is violated.");
    }

    /// A rule that no case above leaves out would not be proven.
    @Test
    void eachRuleIsLeftOutOnce() throws Exception {
        var rules = 0;
        try (var files = Files.list(ModelChecker.SPEC)) {
            for (var file : (Iterable<Path>) files
                    .filter(each -> each.toString().matches(".*(?<!Trace)\\.cfg"))::iterator) {
                rules += (int) Pattern.compile(" = TRUE$", Pattern.MULTILINE).matcher(Files.readString(file)).results()
                        .count();
            }
        }
        var cases = getClass().getDeclaredMethod("withoutARuleMailIsLostOrDoubled", String.class, String.class,
                String.class).getAnnotation(CsvSource.class).value();
        assertThat(cases).hasSize(rules);
    }

    /// Each shard is a run of two nodes. The odd ones are real histories; after each of them stands one that
    /// differs by what must not happen.
    @Test
    void aTraceThatNoHistoryExplainsIsRefused() throws Exception {
        var trace = new ClusterTrace();
        takeover(trace.shard(1));
        takeover(trace.shard(2)).rows().add(new Row("write", "a", 2, 0));
        takeover(trace.shard(3)).rows().add(3, new Row("renewal", "a", 1, 3));
        takeover(trace.shard(4)).rows().add(5, new Row("write", "a", 1, 0));
        doubt(trace.shard(5)).rows().add(new Row("write", "a", 1, 0));
        trace.shard(5).lines().get("a").add(new Line("in", 0));
        doubt(trace.shard(6)).lines().get("a").add(new Line("in", 0));
        doubt(trace.shard(7));
        takeover(trace.shard(8)).rows().add(5, new Row("renewal", "a", 1, 9));
        takeover(trace.shard(9)).lines().get("a").add(new Line("lost", 1));
        takeover(trace.shard(10)).lines().get("b").add(new Line("claimed", 2));
        takeover(trace.shard(11)).rows().add(3, new Row("release", "a", 1, 3));
        takeover(trace.shard(12)).rows().add(2, new Row("release", "a", 1, 3));

        assertThat(trace.explain("OwnershipTrace", scratch).shards()).containsExactly(1, 3, 5, 7, 9, 11);
    }

    private static ShardTrace takeover(ShardTrace shard) {
        shard.rows().addAll(List.of(new Row("claim", "a", 1, 0), new Row("renewal", "a", 1, 1),
                new Row("write", "a", 1, 0), new Row("claim", "b", 2, 7_000), new Row("write", "b", 2, 0)));
        shard.lines().put("a", new ArrayList<>(List.of(new Line("claimed", 1))));
        shard.lines().put("b", new ArrayList<>(List.of(new Line("claimed", 2))));
        return shard;
    }

    /// A commit whose answer is lost.
    private static ShardTrace doubt(ShardTrace shard) {
        shard.rows().addAll(List.of(new Row("claim", "a", 1, 0), new Row("write", "a", 1, 0)));
        shard.lines().put("a", new ArrayList<>(List.of(new Line("claimed", 1), new Line("doubt", 0))));
        return shard;
    }

    @Test
    void aDeliveryWithoutALeaseIsRefused() throws Exception {
        var trace = new ClusterTrace();
        leases(trace.shard(1)).deliveries().add(new Delivery("a", 3_200, 4_900));
        leases(trace.shard(2)).deliveries().add(new Delivery("a", 3_400, 4_900));
        // It waited for the renewal.
        leases(trace.shard(3)).rows().add(1, new Row("renewal", "a", 1, 4_500));
        trace.shard(3).deliveries().add(new Delivery("a", 3_400, 4_900));
        leases(trace.shard(4)).deliveries().add(new Delivery("a", 6_100, 6_200));
        leases(trace.shard(5)).deliveries().add(new Delivery("b", 12_100, 12_200));
        leases(trace.shard(6)).rows().add(1, new Row("claim", "b", 2, 4_900));
        leases(trace.shard(7)).rows().addAll(1, List.of(new Row("release", "a", 1, 1_000),
                new Row("claim", "b", 2, 1_500)));

        assertThat(trace.explain("LeaseTrace", scratch).shards()).containsExactly(1, 3, 5, 7);
    }

    private static ShardTrace leases(ShardTrace shard) {
        shard.rows().addAll(List.of(new Row("claim", "a", 1, 0), new Row("claim", "b", 2, 12_000)));
        return shard;
    }
}
