package org.slipstream.server.monitor;

import com.sun.management.UnixOperatingSystemMXBean;
import org.slipstream.monitor.MetricFamilies;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;

/// The figures of the process that every Java program has, by their customary names.
final class ProcessMetrics {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double MILLIS = TimeUnit.SECONDS.toMillis(1);

    private ProcessMetrics() {}

    static void add(MetricFamilies out) {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        out.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.",
                runtime.getStartTime() / MILLIS);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            out.counter("process_cpu_seconds_total", "Processor time of the process.",
                    system.getProcessCpuTime() / NANOS);
            out.gauge("process_open_fds", "Open files and sockets.", system.getOpenFileDescriptorCount());
            out.gauge("process_max_fds", "Their limit.", system.getMaxFileDescriptorCount());
        }
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        MemoryUsage other = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage();
        out.gauges("jvm_memory_used_bytes", "Memory of Java in use.", series -> {
            series.add(heap.getUsed(), "area", "heap");
            series.add(other.getUsed(), "area", "nonheap");
        });
        out.gauges("jvm_memory_committed_bytes", "Memory of Java that the system has given.", series -> {
            series.add(heap.getCommitted(), "area", "heap");
            series.add(other.getCommitted(), "area", "nonheap");
        });
        out.gauge("jvm_memory_heap_max_bytes", "The limit of the heap.", heap.getMax());
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        out.gauge("jvm_threads_current", "Platform threads. Virtual ones are not counted.", threads.getThreadCount());
        out.gauge("jvm_threads_daemon", "Those that do not keep the process alive.", threads.getDaemonThreadCount());
        out.counters("jvm_gc_collections_total", "Garbage collections.", series -> ManagementFactory
                .getGarbageCollectorMXBeans().forEach(each -> series.add(each.getCollectionCount(), "gc", name(each))));
        out.counters("jvm_gc_collection_seconds_total", "Time of garbage collections.",
                series -> ManagementFactory.getGarbageCollectorMXBeans()
                        .forEach(each -> series.add(each.getCollectionTime() / MILLIS, "gc", name(each))));
    }

    private static String name(GarbageCollectorMXBean collector) {
        return collector.getName();
    }
}
