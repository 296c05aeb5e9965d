package org.slipstream.spool.history;

import java.util.Collection;
import java.util.Iterator;

/// One JSON object in one line. Every byte of foreign text is escaped or kept, so a text cannot end the
/// line or begin a field.
///
/// It is written by hand because most events are never read: a generator of a library per event costs
/// more than the event.
final class JsonLine {
    private final StringBuilder text;
    private boolean empty = true;

    JsonLine(StringBuilder text) {
        this.text = text.append('{');
    }

    JsonLine add(String name, String value) {
        name(name);
        quote(text, value);
        return this;
    }

    /// Adds nothing for an empty text.
    JsonLine addIfKnown(String name, String value) {
        return value.isEmpty() ? this : add(name, value);
    }

    JsonLine add(String name, long value) {
        name(name);
        text.append(value);
        return this;
    }

    JsonLine add(String name, Collection<String> values) {
        name(name);
        text.append('[');
        for (Iterator<String> each = values.iterator(); each.hasNext();) {
            quote(text, each.next());
            if (each.hasNext()) {
                text.append(',');
            }
        }
        text.append(']');
        return this;
    }

    void end() {
        text.append("}\n");
    }

    /// The text as it stands in a line, with its quotes.
    static String quoted(String value) {
        StringBuilder quoted = new StringBuilder(value.length() + 2);
        quote(quoted, value);
        return quoted.toString();
    }

    private void name(String name) {
        text.append(empty ? "\"" : ",\"").append(name).append("\":");
        empty = false;
    }

    private static void quote(StringBuilder text, String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
