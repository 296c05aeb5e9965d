package org.slipstream.guard.zone;

import org.slipstream.core.dns.RecordType;

import java.util.ArrayList;
import java.util.List;

/// A record that a domain should have in DNS.
///
/// @param subject `mx`, `spf` and the like, as in findings
/// @param name without the final dot
/// @param value as a zone file has it; of TXT the text, without quotes
/// @param why a sentence; of a conditional record its condition
public record WantedRecord(String subject, String name, RecordType type, String value, Need need, String why) {
    /// Of one string in a TXT record (RFC 1035 section 3.3).
    private static final int LONGEST_STRING = 255;

    /// The importance of a record.
    public enum Need {
        /// Others refuse or do not find the domain's mail without it.
        NEEDED,
        /// Some programs ask for it.
        ADVISED,
        /// It does harm while its condition is not true.
        CONDITIONAL
    }

    /// The line of a zone file.
    public String line() {
        return line(name, type, value);
    }

    /// @param value see [#value]
    public static String line(String name, RecordType type, String value) {
        return name + ". IN " + type + " " + (type == RecordType.TXT ? quoted(value) : value);
    }

    private static String quoted(String text) {
        List<String> strings = new ArrayList<>();
        for (int at = 0; at < text.length(); at += LONGEST_STRING) {
            strings.add("\"" + text.substring(at, Math.min(text.length(), at + LONGEST_STRING))
                    .replace("\\", "\\\\").replace("\"", "\\\"") + "\"");
        }
        return String.join(" ", strings);
    }

    /// False for a record of another zone, such as that of the host's name.
    public boolean isIn(String domain) {
        return name.equals(domain) || name.endsWith("." + domain);
    }
}
