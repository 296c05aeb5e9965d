package org.slipstream.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// An SMTP reply (RFC 5321 section 4.2): three digits, perhaps an enhanced status (RFC 2034), lines of text.
///
/// The same shape says what we answer, what a peer answered, and why something was deferred or returned without
/// anybody having answered: a connection that timed out is `450 4.4.1`, composed by us.
///
/// @param code 200 to 599
/// @param status empty where the peer sent none
/// @param lines at least one, without line ends, without code and status
public record Reply(int code, Optional<EnhancedStatus> status, List<String> lines) {
    private static final int LINE_OCTETS = 512;
    private static final int CHALLENGE = 334;

    public Reply {
        Objects.requireNonNull(status);
        lines = List.copyOf(lines);
        if (code < 200 || code > 599 || lines.isEmpty()) {
            throw new IllegalArgumentException("no reply: " + code + " " + lines);
        }
        for (String line : lines) {
            if (line.indexOf('\r') >= 0 || line.indexOf('\n') >= 0) {
                throw new IllegalArgumentException("line end inside a reply line");
            }
        }
    }

    public static Reply of(int code, String text) {
        return new Reply(code, Optional.empty(), List.of(text));
    }

    public static Reply of(int code, String status, String text) {
        return new Reply(code, Optional.of(EnhancedStatus.of(status)), List.of(text));
    }

    public boolean isPositive() {
        return code < 400;
    }

    public boolean isTransient() {
        return code >= 400 && code < 500;
    }

    public boolean isPermanent() {
        return code >= 500;
    }

    /// The status that a report carries: the peer's own, or the most general one of the reply's class.
    public EnhancedStatus statusOrGeneral() {
        return status.orElseGet(() -> new EnhancedStatus(isPositive() ? 2 : isTransient() ? 4 : 5, 0, 0));
    }

    public String text() {
        return String.join(" ", lines);
    }

    /// As it goes over the wire, each line ended by CRLF and no longer than 512 octets (RFC 5321 section 4.5.3.1.5): what is longer
    /// goes on in the next line. A challenge is base64 and cannot be folded (RFC 4954 section 4 gives it 12,288 octets).
    public String toWire() {
        String prefix = status.map(s -> s + " ").orElse("");
        int room = code == CHALLENGE ? Integer.MAX_VALUE : LINE_OCTETS - "250-\r\n".length() - prefix.length();
        List<String> folded = new ArrayList<>(lines.size());
        for (String line : lines) {
            fold(line, room, folded);
        }
        StringBuilder wire = new StringBuilder();
        for (int i = 0; i < folded.size(); i++) {
            wire.append(code).append(i == folded.size() - 1 ? ' ' : '-').append(prefix).append(folded.get(i))
                    .append("\r\n");
        }
        return wire.toString();
    }

    // At a blank where there is one.
    private static void fold(String line, int room, List<String> folded) {
        String rest = line;
        while (rest.length() > room) {
            int blank = rest.lastIndexOf(' ', room);
            folded.add(rest.substring(0, blank > 0 ? blank : room));
            rest = rest.substring(blank > 0 ? blank + 1 : room);
        }
        folded.add(rest);
    }

    /// In one line, for logs, reports and listings.
    @Override
    public String toString() {
        return code + " " + status.map(s -> s + " ").orElse("") + String.join(" / ", lines);
    }
}
