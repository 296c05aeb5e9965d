package org.slipstream.settings;

/// One setting as a server uses it.
///
/// @param key dotted: `limits.hops`, `transport.smtp.lanes`
/// @param meaning the parsed value: `"5m"` and `"300s"` have the same
/// @param value as `mta.toml` writes it
/// @param standard the default, written in the same way; empty for keys that have none
/// @param differs the value is not the default
/// @param place `mta.toml:12`, `--set`, `SLIPSTREAM_SET:3`, `default`
/// @param doc what the setting means
/// @param restart the reason for which a change takes effect at the next start; empty: a reload puts it
///     into force
public record EffectiveSetting(String key, Object meaning, String value, String standard, boolean differs,
        String place, String doc, String restart) {
    public boolean isLive() {
        return restart.isEmpty();
    }
}
