package org.slipstream.core;

import org.slipstream.core.text.Utf8;

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
    /// Of the text of a reply that is kept with its line ends, in UTF-8. Long enough for each reply
    /// that a person reads; a message may have 10,000 recipients, each with such a text.
    public static final int MOST_KEPT_OCTETS = 1024;
    public static final int MOST_KEPT_LINES = 10;
    /// The end of a text that was longer.
    private static final String CUT = " [...]";

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

    /// The reply as far as it is kept in memory, on disk and in reports: at most [#MOST_KEPT_LINES]
    /// lines and [#MOST_KEPT_OCTETS] octets. Code and status stay, and a mark ends a shorter text.
    public Reply shortened() {
        int left = MOST_KEPT_OCTETS + 1;
        for (int i = 0; i < lines.size(); i++) {
            int length = Utf8.length(lines.get(i)) + 1;
            if (i == MOST_KEPT_LINES || length > left) {
                return cut(i);
            }
            left -= length;
        }
        return this;
    }

    /// @param whole lines that fit without the mark
    private Reply cut(int whole) {
        List<String> kept = new ArrayList<>(lines.subList(0, Math.min(whole + 1, MOST_KEPT_LINES)));
        String last;
        int left;
        do {
            last = kept.removeLast();
            left = MOST_KEPT_OCTETS - CUT.length() - kept.stream().mapToInt(line -> Utf8.length(line) + 1).sum();
        } while (left < 0);
        kept.add(Utf8.beginning(last, left) + CUT);
        return new Reply(code, status, kept);
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
