package org.slipstream.smtpout.wire;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.LineEnds;

import java.io.IOException;
import java.io.InputStream;

/// The treatment of lines longer than [#MOST_BYTES] (RFC 5321 section 4.5.3.1.6).
public enum LongLines {
    /// The part gets an encoding with short lines, header fields are folded; a message that permits
    /// neither is returned.
    CONVERT,
    /// A line end and a blank are inserted, like Postfix (`smtp_line_length_limit`).
    BREAK,
    /// Sent unchanged.
    SEND;

    /// Without the line end.
    public static final int MOST_BYTES = 998;
    private static final int BLOCK_BYTES = 64 * 1024;

    static boolean areIn(ContentFacts facts) {
        return facts.longestLine() > MOST_BYTES;
    }

    /// Scans a whole content for a long line.
    ///
    /// @throws IOException when the content could not be read
    static boolean areIn(InputStream input) throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        LineEnds ends = new LineEnds();
        long column = 0;
        for (int count = input.read(block); count >= 0; count = input.read(block)) {
            int at = 0;
            while (at < count) {
                int end = ends.next(block, at, count);
                column += end - at;
                if (column > MOST_BYTES) {
                    return true;
                }
                column = end < count ? 0 : column;
                at = end + 1;
            }
        }
        return false;
    }
}
