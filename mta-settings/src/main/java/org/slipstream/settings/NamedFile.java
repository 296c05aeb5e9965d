package org.slipstream.settings;

import java.nio.file.Path;

/// A text file that a setting names, as it was read.
///
/// @param key of the setting
/// @param print of the content; another content has another one
public record NamedFile(String key, Path path, int print) {}
