package org.slipstream.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/// Runs a command of the course, in whichever class loader has loaded it.
public final class CourseProgram {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    private CourseProgram() {}

    /// @param command as in the pages: relative to the repository, in which the test's module is a folder
    /// @return what the command prints to standard output
    public static String run(String command) {
        List<String> words = WORD.matcher(command).results().map(CourseProgram::word).toList();
        if (!words.getFirst().equals("./mta")) {
            throw new IllegalArgumentException(command);
        }
        return new Console(Path.of("target")).run(words.stream().skip(1)
                .map(word -> word.startsWith("docs/") ? "../" + word : word).toArray(String[]::new)).out();
    }

    private static String word(java.util.regex.MatchResult word) {
        return word.group(1) == null ? word.group(2) : word.group(1);
    }
}
