package org.slipstream.smtpin;

import org.slipstream.core.ContentFacts;

import java.util.Arrays;
import java.util.List;

/// Facts of a content found in the simplest way: all of it as one text, cut into lines.
public final class FactsByTheBook {
    private FactsByTheBook() {}

    /// @throws IllegalArgumentException when a line has another end than CR LF, so that there may
    ///     be no facts
    public static ContentFacts of(String content) {
        if (!content.isEmpty() && !content.endsWith("\r\n") || content.replace("\r\n", "").matches("(?s).*[\r\n].*")) {
            throw new IllegalArgumentException("no clean lines: " + content);
        }
        List<String> lines = content.isEmpty()
                ? List.of()
                : Arrays.asList(content.substring(0, content.length() - 2).split("\r\n", -1));
        return new ContentFacts(lines.stream().anyMatch(line -> line.startsWith(".")),
                content.chars().anyMatch(octet -> octet > 127),
                lines.stream().mapToInt(String::length).max().orElse(0), lines.size());
    }
}
