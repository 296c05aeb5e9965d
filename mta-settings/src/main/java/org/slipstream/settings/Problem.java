package org.slipstream.settings;

import java.util.Objects;
import java.util.Optional;

/// One mistake in the configuration, as a sentence for the operator.
///
/// @param source `mta.toml` or `--set`
/// @param line from 1; 0 where there are no lines
/// @param key dotted, `limits.hops`; empty when no key is concerned
/// @param what the mistake
/// @param suggestion what to write instead, when it is known
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
