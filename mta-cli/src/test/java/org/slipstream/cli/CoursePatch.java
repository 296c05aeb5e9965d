package org.slipstream.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The solution of an exercise of the course: one changed line of the sources, the command that shows
/// its effect, and the figure before and after.
record CoursePatch(String id, String command, String figure, Pattern place, String before, String after, String file,
        String oldText, String newText) {
    static CoursePatch read(Path patch) {
        try {
            String text = Files.readString(patch);
            List<String> hunk = text.substring(text.indexOf("\n@@")).lines().skip(2).toList();
            return new CoursePatch(patch.getFileName().toString().replace(".patch", ""), head(text, "Command"),
                    head(text, "Figure"), Pattern.compile(head(text, "Found by"), Pattern.MULTILINE),
                    head(text, "Before"), head(text, "After"), head(text, "\\+\\+\\+ b/").strip(), side(hunk, '-'),
                    side(hunk, '+'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String head(String text, String name) {
        Matcher line = Pattern.compile("^" + name + ":?\\s*(.*)$", Pattern.MULTILINE).matcher(text);
        if (!line.find()) {
            throw new IllegalArgumentException("no line " + name + " in\n" + text);
        }
        return line.group(1);
    }

    private static String side(List<String> hunk, char sign) {
        return hunk.stream().filter(line -> line.startsWith(" ") || line.charAt(0) == sign)
                .map(line -> line.substring(1) + "\n").collect(Collectors.joining());
    }

    long changedLines() {
        return oldText.lines().filter(line -> !newText.contains(line + "\n")).count();
    }

    /// The figure in the output of the command.
    String figureIn(String output) {
        Matcher found = place.matcher(output);
        if (!found.find()) {
            throw new IllegalArgumentException("no " + figure + " in\n" + output);
        }
        return found.group(1);
    }
}
