package org.slipstream.server.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The keys whose values differ between two configurations.
///
/// @param live a reload puts them into force
/// @param restart they take effect at the next start, each with the reason
public record ConfigChanges(List<String> live, Map<String, String> restart) {
    private static final String HEADER_CHECKS = "policy.header-checks";

    /// From what a server uses to what the file and the other sources say.
    public static ConfigChanges between(Config running, Config next) {
        Map<String, EffectiveSetting> before = byKey(running);
        Map<String, EffectiveSetting> after = byKey(next);
        List<String> live = new ArrayList<>();
        Map<String, String> restart = new LinkedHashMap<>();
        Map<String, EffectiveSetting> all = new LinkedHashMap<>(after);
        before.forEach(all::putIfAbsent);
        all.forEach((key, setting) -> {
            if (!after.containsKey(key) || !before.containsKey(key)
                    || !after.get(key).meaning().equals(before.get(key).meaning())) {
                add(key, setting, live, restart);
            }
        });
        if (!live.contains(HEADER_CHECKS) && !texts(running).equals(texts(next))) {
            live.add(HEADER_CHECKS);
        }
        return new ConfigChanges(List.copyOf(live), restart);
    }

    private static void add(String key, EffectiveSetting setting, List<String> live, Map<String, String> restart) {
        if (setting.isLive()) {
            live.add(key);
        } else {
            restart.put(key, setting.restart());
        }
    }

    private static Map<String, EffectiveSetting> byKey(Config config) {
        Map<String, EffectiveSetting> byKey = new LinkedHashMap<>();
        config.written().settings().forEach(each -> byKey.put(each.key(), each));
        return byKey;
    }

    /// Patterns have no equality of their own.
    private static List<String> texts(Config config) {
        return config.headerRules().stream().map(Config.HeaderRule::toString).toList();
    }
}
