package org.slipstream.settings;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// The settings as they were written, with their places: for mistakes that are found after the file
/// was read, and for operators.
///
/// @param settings all keys, in the order of the reference, then those of sections with free names
public record Written(List<EffectiveSetting> settings) {
    public Written {
        settings = List.copyOf(settings);
    }

    /// `mta.toml:12: tls.key: …`
    public String sentence(String key, String what) {
        return settings.stream().filter(each -> each.key().equals(key)).findFirst().map(EffectiveSetting::place)
                .orElse(SourcePlace.DEFAULT.toString()) + ": " + key + ": " + what;
    }

    /// True when the file of settings has any of them.
    public boolean isFromFile() {
        return settings.stream().map(EffectiveSetting::place)
                .anyMatch(place -> !place.equals(SourcePlace.DEFAULT.toString())
                        && !place.equals(SourcePlace.OVERRIDE.toString())
                        && !place.startsWith(SettingsSource.VARIABLE));
    }

    /// These settings, with those of the running server where a change needs a restart.
    public Written keeping(Written running) {
        Map<String, EffectiveSetting> inForce = running.settings.stream()
                .collect(Collectors.toMap(EffectiveSetting::key, each -> each));
        return new Written(settings.stream()
                .map(each -> each.isLive() ? each : inForce.getOrDefault(each.key(), each)).toList());
    }
}
