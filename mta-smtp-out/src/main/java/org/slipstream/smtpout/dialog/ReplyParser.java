package org.slipstream.smtpout.dialog;

import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.Reply;
import org.slipstream.core.text.Controls;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Parses replies from bytes, one at a time (RFC 5321 section 4.2).
///
/// Lenient where servers are known to be careless and nothing is ambiguous: a line may end in a
/// bare LF, be longer than the 512 octets of the standard, or hold any bytes as text. Strict where
/// going on would be a guess: three digits of the class 2 to 5, then a space, a hyphen or nothing,
/// and the same code on every line of one reply. [#MAX_REPLY_BYTES] bounds the memory, whatever the
/// peer sends.
///
/// A refusal leaves the parser as [Reply#shortened], because one delivery may collect a thousand of
/// them. The text of a positive reply is complete: EHLO and AUTH need it. A reply that equals the
/// one before it is the same object.
///
/// An enhanced status (RFC 2034) is separated from the text when its class matches the code. One
/// that contradicts the code stays text, because the code decides about the mail.
public final class ReplyParser {
    /// RFC 5321 section 4.5.3.1.5 says 512.
    public static final int MAX_LINE_BYTES = 4096;
    /// The longest EHLO replies in use have about thirty.
    public static final int MAX_LINES = 200;
    /// Of all lines of one reply.
    public static final int MAX_REPLY_BYTES = 64 * 1024;

    /// The part of a reply that is too long which is kept for reports.
    private static final int MOST_BEGUN_CHARS = 200;

    private final byte[] line = new byte[MAX_LINE_BYTES];
    private int length;
    private int total;
    private int code;
    private final List<String> lines = new ArrayList<>();
    private Optional<Reply> last = Optional.empty();

    /// The result of taking bytes.
    public sealed interface Progress {
        /// All bytes are consumed and the reply is not complete.
        record Incomplete() implements Progress {}

        /// One whole reply; the buffer's position is after it.
        record Complete(Reply reply) implements Progress {}

        /// Not SMTP, or too long. The parser cannot be used further.
        ///
        /// @param begun the reply as far as received, when it is only too long: its code is valid
        record Malformed(String reason, Optional<Reply> begun) implements Progress {
            Malformed(String reason) {
                this(reason, Optional.empty());
            }
        }
    }

    private static final Progress INCOMPLETE = new Progress.Incomplete();

    /// Takes bytes up to the end of one reply.
    public Progress take(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            byte next = bytes.get();
            if (next == '\n') {
                Progress progress = endOfLine();
                if (progress != INCOMPLETE) {
                    return progress;
                }
            } else if (length == MAX_LINE_BYTES) {
                return new Progress.Malformed("reply line longer than " + MAX_LINE_BYTES + " bytes", begun());
            } else {
                line[length++] = next;
            }
        }
        return INCOMPLETE;
    }

    /// True between two replies, where the end of the connection truncates none.
    public boolean isAtStart() {
        return length == 0 && lines.isEmpty();
    }

    /// The reply that has begun, as far as it was received. Its code is the peer's decision,
    /// whatever text follows (RFC 5321 section 4.2). Empty before the separator after the code, and
    /// when the code of a line contradicts it.
    public Optional<Reply> begun() {
        String text = lineText();
        boolean fits = isReplyLine(text) && text.length() > 3;
        if (!text.isEmpty() && (!fits || !lines.isEmpty() && code(text) != code)) {
            return Optional.empty();
        }
        List<String> whole = new ArrayList<>(lines);
        if (fits) {
            whole.add(text.substring(4, Math.min(text.length(), MOST_BEGUN_CHARS)));
        }
        return whole.isEmpty() ? Optional.empty() : Optional.of(reply(fits ? code(text) : code, whole));
    }

    private String lineText() {
        return printable(new String(line, 0, length, StandardCharsets.UTF_8));
    }

    /// Three digits of the classes 2 to 5, then a blank, a hyphen or nothing.
    private static boolean isReplyLine(String text) {
        return text.length() >= 3 && isDigit(text.charAt(0), '2', '5') && isDigit(text.charAt(1), '0', '9')
                && isDigit(text.charAt(2), '0', '9')
                && (text.length() == 3 || text.charAt(3) == ' ' || text.charAt(3) == '-');
    }

    private static boolean isDigit(char c, char least, char most) {
        return c >= least && c <= most;
    }

    private static int code(String text) {
        return Integer.parseInt(text.substring(0, 3));
    }

    private Progress endOfLine() {
        while (length > 0 && line[length - 1] == '\r') {
            length--;
        }
        String text = lineText();
        total += length;
        if (total > MAX_REPLY_BYTES) {
            return new Progress.Malformed("reply of more than " + MAX_REPLY_BYTES + " bytes", begun());
        }
        length = 0;
        if (!isReplyLine(text)) {
            return new Progress.Malformed("not a reply: \"" + shortened(text) + "\"");
        }
        int thisCode = code(text);
        if (!lines.isEmpty() && thisCode != code) {
            return new Progress.Malformed("code changes from " + code + " to " + thisCode + " within a reply");
        }
        code = thisCode;
        lines.add(text.length() > 4 ? text.substring(4) : "");
        if (text.length() > 3 && text.charAt(3) == '-') {
            return lines.size() < MAX_LINES
                    ? INCOMPLETE
                    : new Progress.Malformed("reply of more than " + MAX_LINES + " lines", begun());
        }
        Reply reply = reply(code, lines);
        lines.clear();
        total = 0;
        return new Progress.Complete(reply);
    }

    private Reply reply(int code, List<String> lines) {
        Optional<EnhancedStatus> status = EnhancedStatus.parse(firstWord(lines.getLast()))
                .filter(s -> s.category() == code / 100);
        Reply reply = new Reply(code, status, status.isPresent() ? without(status.get().toString(), lines) : lines);
        Reply kept = reply.isPositive() ? reply : reply.shortened();
        Reply same = last.filter(kept::equals).orElse(kept);
        last = Optional.of(same);
        return same;
    }

    private static String firstWord(String text) {
        int blank = text.indexOf(' ');
        return blank < 0 ? text : text.substring(0, blank);
    }

    // RFC 2034 section 4: every line of a reply carries the same status.
    private static List<String> without(String status, List<String> lines) {
        List<String> rest = new ArrayList<>(lines.size());
        for (String line : lines) {
            rest.add(firstWord(line).equals(status) ? line.substring(status.length()).stripLeading() : line);
        }
        return rest;
    }

    // Replies are copied into logs and reports, where control characters could do harm.
    private static String printable(String text) {
        return Controls.replaced(text.replace('\t', ' '));
    }

    private static String shortened(String text) {
        return text.length() <= 60 ? text : text.substring(0, 60) + "…";
    }
}
