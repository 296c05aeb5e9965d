package org.slipstream.qmgr.sched;

import java.util.LinkedHashMap;
import java.util.Map;

/// A way of handing mail over, with its destinations and its own order of jobs.
final class Transport {
    final String name;
    final Map<String, Line> lines = new LinkedHashMap<>();
    final JobList jobs = new JobList();

    Transport(String name) {
        this.name = name;
    }
}
