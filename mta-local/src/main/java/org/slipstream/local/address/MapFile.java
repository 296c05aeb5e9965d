package org.slipstream.local.address;

import org.slipstream.settings.Forms;
import org.slipstream.settings.HomePath;

import java.nio.file.Path;
import java.util.Optional;

/// The name of a table's file, in the manner of Postfix.
///
/// @param patterns true after `regexp:` or `pcre:`: each line is a pattern and a result. Otherwise
///     each line is a key and a result
public record MapFile(boolean patterns, Path path) implements HomePath {
    public static Optional<MapFile> parse(String text) {
        boolean patterns = text.startsWith("regexp:") || text.startsWith("pcre:");
        String path = patterns ? text.substring(text.indexOf(':') + 1) : text;
        boolean otherKind = !patterns && path.matches("[a-z_]+:.*");
        return otherKind ? Optional.empty() : Forms.path(path).map(found -> new MapFile(patterns, found));
    }

    @Override
    public MapFile in(Path home) {
        return new MapFile(patterns, home.resolve(path));
    }
}
