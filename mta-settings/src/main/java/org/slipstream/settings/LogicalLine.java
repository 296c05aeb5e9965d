package org.slipstream.settings;

import java.util.ArrayList;
import java.util.List;

/// A line of a file of Postfix, with those that continue it: a line that begins with a blank continues
/// the line before it, and `#` begins a comment.
///
/// @param place of its first line
public record LogicalLine(String text, SourcePlace place) {
    /// @param name of the file
    public static List<LogicalLine> of(List<String> physical, String name) {
        List<LogicalLine> logical = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        int begun = 0;
        for (int i = 0; i < physical.size(); i++) {
            String line = physical.get(i);
            if (line.isBlank() || line.strip().startsWith("#")) {
                continue;
            }
            if (!Character.isWhitespace(line.charAt(0)) || begun == 0) {
                add(logical, text, new SourcePlace(name, begun));
                begun = i + 1;
            } else {
                text.append(' ');
            }
            text.append(line.strip());
        }
        add(logical, text, new SourcePlace(name, begun));
        return logical;
    }

    private static void add(List<LogicalLine> logical, StringBuilder text, SourcePlace place) {
        if (!text.isEmpty()) {
            logical.add(new LogicalLine(text.toString(), place));
            text.setLength(0);
        }
    }
}
