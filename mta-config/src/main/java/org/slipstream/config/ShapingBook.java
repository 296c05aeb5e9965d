package org.slipstream.config;

import org.slipstream.settings.NamedFiles;
import org.slipstream.settings.SourcePlace;
import org.slipstream.settings.TomlMistake;
import org.slipstream.shaping.ShapingRules;
import org.slipstream.shaping.ShapingSettings;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Reads the rules from replies that settings put into force.
final class ShapingBook {
    private static final Pattern PLACED = Pattern.compile(".*?:([0-9]{1,9}): (.*)", Pattern.DOTALL);

    private ShapingBook() {}

    static ShapingRules read(ShapingSettings settings, NamedFiles files) {
        ShapingRules own = settings.rules().map(file -> own(file, files)).orElse(ShapingRules.NONE);
        return settings.shipped() ? ShapingRules.shipped().with(own) : own;
    }

    private static ShapingRules own(Path file, NamedFiles files) {
        try {
            return ShapingRules.read(files.name(file), String.join("\n", files.lines(ShapingSettings.KEY, file)));
        } catch (TomlMistake mistake) {
            Matcher placed = PLACED.matcher(String.valueOf(mistake.getMessage()));
            files.complaints().add(
                    new SourcePlace(files.name(file), placed.matches() ? Integer.parseInt(placed.group(1)) : 0),
                    ShapingSettings.KEY, placed.matches() ? placed.group(2) : String.valueOf(mistake.getMessage()));
            return ShapingRules.NONE;
        }
    }
}
