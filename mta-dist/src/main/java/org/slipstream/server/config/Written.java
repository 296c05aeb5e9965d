package org.slipstream.server.config;

import java.util.Map;

/// Where each setting was written, for what is found wrong with it after the file was read.
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
