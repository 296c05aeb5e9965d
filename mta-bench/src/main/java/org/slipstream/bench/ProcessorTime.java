package org.slipstream.bench;

import com.sun.management.OperatingSystemMXBean;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;

/// Operations by second of processor time, of all threads of the process, compiler and collector
/// included.
///
/// On a shared machine, the score by the clock depends on the other load more than on the code:
/// `-prof org.slipstream.bench.ProcessorTime`.
public final class ProcessorTime implements InternalProfiler {
    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private long before;

    @Override
    public String getDescription() {
        return "operations by second of processor time";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = system.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(BenchmarkParams benchmark, IterationParams iteration,
            IterationResult result) {
        double seconds = (system.getProcessCpuTime() - before) / 1e9;
        return List.of(new ScalarResult("cpu", result.getMetadata().getAllOps() / seconds, "ops/s",
                AggregationPolicy.AVG));
    }
}
