package org.slipstream.bench;

import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.Collection;

import static org.assertj.core.api.Assertions.assertThat;

/// Verifies that the benchmarks run. Their speed is not measured here.
class ShardTimesTest {
    @Test
    void everyBenchmarkRuns() throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder().include(ShardTimes.class.getSimpleName())
                .param("shards", "8").forks(0).warmupIterations(0).measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(100)).verbosity(VerboseMode.SILENT).shouldFailOnError(true)
                .build()).run();
        assertThat(results).hasSize(4)
                .allSatisfy(result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
    }
}
