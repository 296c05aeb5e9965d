package org.slipstream.server.report;

import org.slipstream.core.Content;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.text.Ascii;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The part of the message that is returned with the report: its header, or the whole message when
/// the sender asked for that (RFC 3461 section 4.3), it is small, and it can be embedded unchanged.
/// A header is enough to recognize a message, and does not spread forged mail through reports.
///
/// @param whole true for header and body
record Original(byte[] content, boolean whole) {
    static final int MOST_HEADER_BYTES = 64 << 10;
    static final int MOST_WHOLE_BYTES = 50 << 10;

    private static final int LONGEST_LINE = 998;
    /// Without comments and quoted strings, as real message ids are.
    private static final Pattern MESSAGE_ID = Pattern
            .compile("(?im)^message-id:[ \\t]*(?:\\r\\n[ \\t]+)?(<[\\x21-\\x3b\\x3d\\x3f-\\x7e]{3,250}>)");

    private static final Pattern RECEIVED = Pattern.compile("Received: from ([!-~]{1,255}) ");

    static Original of(Content content, DsnReturn returns) throws IOException {
        boolean wholeIsRequested = returns == DsnReturn.FULL && content.sizeBytes() <= MOST_WHOLE_BYTES;
        byte[] start;
        try (InputStream in = content.open()) {
            start = in.readNBytes(MOST_HEADER_BYTES);
        }
        return wholeIsRequested && isSendable(start)
                ? new Original(start, true)
                : new Original(Arrays.copyOf(start, headerLength(start)), false);
    }

    /// The host that sent the message here, from the `Received` line that this server wrote first.
    Optional<String> receivedFrom() {
        Matcher found = RECEIVED.matcher(new String(content, 0, headerLength(content), StandardCharsets.ISO_8859_1));
        return found.lookingAt() ? Optional.of(found.group(1)) : Optional.empty();
    }

    String header() {
        return new String(content, 0, headerLength(content), StandardCharsets.ISO_8859_1);
    }

    /// True when the header is international mail's (RFC 6532) and needs no encoding but 8bit.
    boolean hasGlobalHeader() {
        byte[] header = Arrays.copyOf(content, headerLength(content));
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(header));
            return !Ascii.is(header()) && isSendable(header);
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /// For the threads in which mail programs show the report.
    Optional<String> messageId() {
        String header = new String(content, 0, headerLength(content), StandardCharsets.ISO_8859_1);
        Matcher found = MESSAGE_ID.matcher(header);
        return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }

    boolean isAscii() {
        for (byte b : content) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }

    /// True when it can be embedded with no other encoding than 8bit (RFC 2045 section 2.8).
    boolean isSendable() {
        return isSendable(content);
    }

    private static boolean isSendable(byte[] content) {
        int column = 0;
        for (int i = 0; i < content.length; i++) {
            boolean lineEnd = content[i] == '\r' && i + 1 < content.length && content[i + 1] == '\n';
            if (lineEnd) {
                column = 0;
                i++;
            } else if (content[i] == '\r' || content[i] == '\n' || content[i] == 0 || ++column > LONGEST_LINE) {
                return false;
            }
        }
        return true;
    }

    /// Length up to the empty line; without one within the limit, up to the last complete line.
    private static int headerLength(byte[] content) {
        int lineStart = 0;
        for (int i = 0; i + 1 < content.length; i++) {
            if (content[i] == '\r' && content[i + 1] == '\n') {
                if (i == lineStart) {
                    return lineStart;
                }
                lineStart = i + 2;
            }
        }
        boolean complete = content.length < MOST_HEADER_BYTES;
        return complete || lineStart == 0 ? content.length : lineStart;
    }
}
