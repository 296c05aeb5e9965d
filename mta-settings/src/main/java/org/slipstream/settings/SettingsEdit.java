package org.slipstream.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Changes single settings in the text of a `mta.toml`. Every other line, and every comment, stays.
///
/// A key that stands there gets another value, a default that is commented out gives its place to its
/// key, and otherwise the key goes to the end of its section. The text is read by lines, without the
/// grammar of TOML: the caller reads the result as a server does, and throws it away when another
/// value came out.
public final class SettingsEdit {
    private static final Pattern HEADER = Pattern.compile("\\s*+\\[([^\\[\\]#]++)\\]\\s*+(?:#.*)?");
    /// A value that ends on its line: a quoted text, a list of such, or a word.
    private static final Pattern VALUE = Pattern
            .compile("\\s*+(?:\"[^\"\\\\]*+\"|'[^']*+'|\\[[^\\]#]*+\\]|[^\\s\"'\\[#]++)(\\s*+(?:#.*)?)");

    private final List<String> lines;

    public SettingsEdit(String text) {
        this.lines = new ArrayList<>(text.lines().toList());
    }

    /// @param key dotted: `listen.smtp`
    /// @param toml the value as TOML writes it, on one line
    /// @return false when the value that stands there has several lines; nothing has changed then
    public boolean set(String key, String toml) {
        int dot = key.lastIndexOf('.');
        String section = dot < 0 ? "" : key.substring(0, dot);
        String name = key.substring(dot + 1);
        int from = start(section);
        if (from < 0) {
            lines.add("");
            lines.add("[" + section + "]");
            from = lines.size();
        }
        int to = end(from);
        String line = name + " = " + toml;
        int there = find(from, to, "\\s*+" + Pattern.quote(name) + "\\s*+=");
        if (there >= 0) {
            Matcher value = VALUE.matcher(lines.get(there).substring(lines.get(there).indexOf('=') + 1));
            if (!value.matches()) {
                return false;
            }
            lines.set(there, line + value.group(1));
            return true;
        }
        int standard = find(from, to, "#\\s?" + Pattern.quote(name) + "\\s*+=");
        if (standard >= 0) {
            lines.set(standard, line);
        } else {
            lines.add(place(from, to), line);
        }
        return true;
    }

    public String text() {
        return String.join("\n", lines) + "\n";
    }

    /// Behind the header of a section; -1 when there is none.
    private int start(String section) {
        if (section.isEmpty()) {
            return 0;
        }
        for (int i = 0; i < lines.size(); i++) {
            Matcher header = HEADER.matcher(lines.get(i));
            if (header.matches() && header.group(1).strip().equals(section)) {
                return i + 1;
            }
        }
        return -1;
    }

    private int end(int from) {
        int to = from;
        while (to < lines.size() && !HEADER.matcher(lines.get(to)).matches()) {
            to++;
        }
        return to;
    }

    private int find(int from, int to, String pattern) {
        Pattern beginning = Pattern.compile(pattern);
        for (int i = from; i < to; i++) {
            if (beginning.matcher(lines.get(i)).lookingAt()) {
                return i;
            }
        }
        return -1;
    }

    /// Before the blank lines and comments at the end of a section, which belong to the next one.
    private int place(int from, int to) {
        int place = to;
        while (place > from && (lines.get(place - 1).isBlank() || lines.get(place - 1).startsWith("#"))) {
            place--;
        }
        return place;
    }
}
