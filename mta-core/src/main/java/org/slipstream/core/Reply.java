package org.slipstream.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// An SMTP reply: three digits, an optional enhanced status (RFC 2034), and lines of text (RFC 5321
/// section 4.2). Its text contains no line end, so a reply cannot be split into two.
///
/// The record serves for replies of this server, replies of remote hosts, and local reasons for a
/// deferral or a bounce: a connection timeout is `450 4.4.1`.
///
/// @param code 200 to 599
/// @param status empty when the remote host sent none
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

    /// The status for a report: the one in the reply, or the general status of the reply's class.
    public EnhancedStatus statusOrGeneral() {
        return status.orElseGet(() -> new EnhancedStatus(isPositive() ? 2 : isTransient() ? 4 : 5, 0, 0));
    }

    public String text() {
        return String.join(" ", lines);
    }

    /// The reply as transmitted, each line ended by CRLF and at most 512 octets long (RFC 5321
    /// section 4.5.3.1.5); longer lines are folded. A challenge is base64 and cannot be folded (RFC
    /// 4954 section 4 permits 12,288 octets).
    public String toWire() {
        String prefix = status.map(s -> s + " ").orElse("");
        int width = code == CHALLENGE ? Integer.MAX_VALUE : LINE_OCTETS - "250-\r\n".length() - prefix.length();
        List<String> folded = new ArrayList<>(lines.size());
        for (String line : lines) {
            fold(line, width, folded);
        }
        StringBuilder wire = new StringBuilder();
        for (int i = 0; i < folded.size(); i++) {
            wire.append(code).append(i == folded.size() - 1 ? ' ' : '-').append(prefix).append(folded.get(i))
                    .append("\r\n");
        }
        return wire.toString();
    }

    // Folds at a blank if there is one.
    private static void fold(String line, int width, List<String> folded) {
        String rest = line;
        while (rest.length() > width) {
            int blank = rest.lastIndexOf(' ', width);
            folded.add(rest.substring(0, blank > 0 ? blank : width));
            rest = rest.substring(blank > 0 ? blank + 1 : width);
        }
        folded.add(rest);
    }

    /// The reply in one line, for logs, reports and listings.
    @Override
    public String toString() {
        return code + " " + status.map(s -> s + " ").orElse("") + String.join(" / ", lines);
    }
}
