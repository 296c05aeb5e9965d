package org.slipstream.settings;

import java.nio.file.Path;

/// A value of a setting that holds names of files. Relative ones start from the home folder.
@FunctionalInterface
public interface HomePath {
    /// The same value with absolute names.
    Object in(Path home);
}
