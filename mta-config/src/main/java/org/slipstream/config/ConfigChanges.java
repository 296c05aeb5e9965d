package org.slipstream.config;

import org.slipstream.settings.EffectiveSetting;
import org.slipstream.settings.NamedFile;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The keys whose values differ between two configurations.
///
/// @param live a reload puts them into force
/// @param restart they take effect at the next start, each with the reason
/// @param onlyFiles all keys of `live` name files, and only the content of these has changed
public record ConfigChanges(List<String> live, Map<String, String> restart, boolean onlyFiles) {
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
        boolean onlyFiles = live.isEmpty();
        fileKeys(running, next).filter(key -> !live.contains(key)).forEach(live::add);
        return new ConfigChanges(List.copyOf(live), restart, onlyFiles);
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

    /// The settings that name a file whose content has changed.
    private static Stream<String> fileKeys(Config running, Config next) {
        return next.files().stream().filter(file -> !running.files().contains(file)).map(NamedFile::key).distinct();
    }
}
