package org.slipstream.testkit;

import java.util.Arrays;
import java.util.List;

/// An SMTP reply as a client parses it.
///
/// @param code 250, 550…
/// @param lines the text of each line, without code and separator
public record SmtpReply(int code, List<String> lines) {
    public SmtpReply {
        lines = List.copyOf(lines);
    }

    static SmtpReply parse(String raw) {
        if (raw.isEmpty()) {
            throw new IllegalStateException("the server closed the connection");
        }
        return new SmtpReply(Integer.parseInt(raw.substring(0, 3)),
                Arrays.stream(raw.split("\n")).map(line -> line.substring(Math.min(4, line.length()))).toList());
    }

    /// The text of all lines, separated by LF.
    public String text() {
        return String.join("\n", lines);
    }

    @Override
    public String toString() {
        return code + " " + text();
    }
}
