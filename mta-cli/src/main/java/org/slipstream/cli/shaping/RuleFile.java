package org.slipstream.cli.shaping;

import org.slipstream.cli.frame.CommandFailure;
import org.slipstream.cli.frame.Exit;
import org.slipstream.settings.BoundedFiles;
import org.slipstream.settings.TomlMistake;
import org.slipstream.shaping.ShapingRules;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// A file of rules as an argument of a command, or the word for the set of the program.
///
/// @param text empty for that set
record RuleFile(String name, String text, ShapingRules rules) {
    /// @throws CommandFailure with the place of the first mistake
    static RuleFile read(String name) {
        if (name.equals(ShapingRules.SHIPPED_NAME)) {
            return new RuleFile(name, "", ShapingRules.shipped());
        }
        try {
            String text = String.join("\n",
                    BoundedFiles.lines(Path.of(name), ShapingRules.MOST_CHARACTERS)) + "\n";
            return new RuleFile(name, text, ShapingRules.read(name, text));
        } catch (TomlMistake mistake) {
            throw new CommandFailure(Exit.USAGE, "mta: " + mistake.getMessage(), mistake);
        } catch (NoSuchFileException none) {
            throw new CommandFailure(Exit.USAGE,
                    "mta: there is no file " + name + " (" + ShapingRules.SHIPPED_NAME + ": the rules of the program)",
                    none);
        } catch (IOException unreadable) {
            throw new CommandFailure(Exit.USAGE, "mta: cannot read " + name + ": " + unreadable.getMessage(),
                    unreadable);
        }
    }
}
