package org.slipstream.dist.config;

/// Where something was written, for messages.
///
/// @param source `mta.toml` or `--set`
/// @param line from 1; 0 where lines mean nothing
record Place(String source, int line) {
    static final Place OVERRIDE = new Place("--set", 0);
    static final Place DEFAULT = new Place("default", 0);

    @Override
    public String toString() {
        return line == 0 ? source : source + ":" + line;
    }
}
