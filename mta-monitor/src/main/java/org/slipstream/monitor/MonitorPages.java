package org.slipstream.monitor;

import java.util.List;

/// The facts behind the pages of the [MonitorServer]. Each method returns within a bounded time.
public interface MonitorPages {
    MetricFamilies metrics();

    /// The reasons for which the server should get no mail now; empty when it is ready. They contain no
    /// text of strangers.
    List<String> notReady();
}
