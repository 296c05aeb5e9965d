package org.slipstream.server.config;

import java.util.Objects;
import java.util.Optional;

/// One thing that is wrong with the configuration, as a sentence for whoever wrote it.
///
/// @param source `mta.toml` or `--set`
/// @param line from 1; 0 where lines mean nothing
/// @param key dotted, `limits.hops`; empty when no key is concerned
/// @param what what is wrong
/// @param suggestion what to write instead, when that can be told
public record Problem(String source, int line, String key, String what, Optional<String> suggestion) {
    public Problem {
        Objects.requireNonNull(source);
        Objects.requireNonNull(key);
        Objects.requireNonNull(what);
        Objects.requireNonNull(suggestion);
    }

    /// `mta.toml:12: unknown key "limits.mesage-size"; did you mean "message-size"?`
    @Override
    public String toString() {
        return new SourcePlace(source, line) + ": " + what + suggestion.map(s -> "; " + s).orElse("");
    }
}
