package org.slipstream.settings;

/// The place of a setting, for messages.
///
/// @param source `mta.toml` or `--set`
/// @param line from 1; 0 where there are no lines
public record SourcePlace(String source, int line) {
    static final SourcePlace OVERRIDE = new SourcePlace("--set", 0);
    static final SourcePlace DEFAULT = new SourcePlace("default", 0);

    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line;
    }
}
