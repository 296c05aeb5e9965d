package org.slipstream.server.config;

import java.util.Map;

/// The place of each setting, for mistakes that are found after the file was read.
///
/// @param places by dotted key: `mta.toml:12`, `--set`
public record Written(Map<String, String> places) {
    public Written {
        places = Map.copyOf(places);
    }

    /// `mta.toml:12: tls.key: …`
    public String sentence(String key, String what) {
        return places.getOrDefault(key, SourcePlace.DEFAULT.toString()) + ": " + key + ": " + what;
    }
}
