package org.slipstream.shaping;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;

import java.nio.file.Path;
import java.util.Optional;

/// The section `[shaping]`: rules from replies (docs/shaping.md).
@SettingsSection("shaping")
public record ShapingSettings(
        @Setting(value = "false",
                doc = "The rules of the program for large providers are in force (`mta shaping show shipped`). Try them"
                        + " first: `mta shaping try shipped`.") boolean shipped,
        @Setting(value = "",
                doc = "File of further rules, relative to the home folder. A rule replaces one of the program that has"
                        + " its name.") Optional<Path> rules) {
    /// The setting that names the operator's file.
    public static final String KEY = "shaping.rules";
}
