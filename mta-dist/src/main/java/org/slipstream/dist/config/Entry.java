package org.slipstream.dist.config;

import java.util.List;

/// A value and the way to it: `[limits, hops]`, `[routes, far.example]`.
///
/// @param path one or two names without quotes
record Entry(List<String> path, Value value) {
    Entry {
        path = List.copyOf(path);
    }

    static Entry of(String section, String name, Value value) {
        return new Entry(section.isEmpty() ? List.of(name) : List.of(section, name), value);
    }
}
