package org.slipstream.bench;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.Collection;

import static org.assertj.core.api.Assertions.assertThat;

/// Verifies that the benchmark runs. Its speed is not measured here.
class SelectionsTest {
    @ParameterizedTest
    @ValueSource(strings = {"false", "true"})
    void aListThatKeepsItsLengthNeverRunsDry(String blocked) throws Exception {
        Collection<RunResult> results = new Runner(new OptionsBuilder().include(Selections.class.getSimpleName())
                .param("jobs", "100").param("blocked", blocked).forks(0).warmupIterations(0).measurementIterations(1)
                .measurementTime(TimeValue.milliseconds(200)).verbosity(VerboseMode.SILENT).shouldFailOnError(true)
                .build()).run();
        assertThat(results).singleElement()
                .satisfies(result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
    }
}
