package org.slipstream.settings;

import java.util.List;

/// A value and its path: `[limits, hops]`, `[routes, far.example]`.
///
/// @param path one or two names without quotes
public record SettingEntry(List<String> path, Value value) {
    public SettingEntry {
        path = List.copyOf(path);
    }

    static SettingEntry of(String section, String name, Value value) {
        return new SettingEntry(section.isEmpty() ? List.of(name) : List.of(section, name), value);
    }
}
