package org.slipstream.smtpout.wire;

import org.slipstream.core.LineEnds;

/// Normalizes the line ends of a content to CRLF, and stuffs dots and breaks long lines on request.
///
/// Disagreement about line ends can be used to inject commands ("SMTP smuggling", 2023). With a
/// bare CR or LF in the content, a peer that takes it for a line end could read `LF . LF` as the
/// end of the message and the rest as commands. BDAT is no safer, although nothing in its content
/// can end it: the peer may relay the message by DATA. Content is stored with CRLF; this class does
/// not rely on it and writes each CR, LF or CRLF as CRLF. A last line without an end gets one.
/// Lines beyond the 998 octets of RFC 5321 section 4.5.3.1.6 are reported, and broken on request by
/// a line end and a blank. All other bytes pass unchanged.
final class CleanLines {
    private final boolean dotsDoubled;
    private final boolean broken;
    private final byte[] clean;
    private final LineEnds ends = new LineEnds();
    private int length;
    private boolean atLineStart = true;
    private boolean afterCr;
    /// Of the current line, without a stuffed dot.
    private int column;
    private boolean longLine;

    /// @param blockBytes maximum that is taken at once
    /// @param broken break long lines
    CleanLines(int blockBytes, boolean dotsDoubled, boolean broken) {
        this.dotsDoubled = dotsDoubled;
        this.broken = broken;
        // Every byte can become two, one may be left from the previous block, and the end needs
        // CRLF . CRLF.
        this.clean = new byte[2 * blockBytes + 8];
    }

    byte[] bytes() {
        return clean;
    }

    int length() {
        return length;
    }

    /// Clears the output after it was used.
    void clear() {
        length = 0;
    }

    void take(byte[] block, int count) {
        int i = 0;
        while (i < count) {
            byte next = block[i];
            if (afterCr) {
                newline();
                if (next == '\n') {
                    i++;
                    continue;
                }
            }
            switch (next) {
                case '\r' -> {
                    afterCr = true;
                    i++;
                }
                case '\n' -> {
                    newline();
                    i++;
                }
                default -> i = takeText(block, i, count);
            }
        }
    }

    /// Takes everything up to the next line end as one run; nearly all bytes are here.
    private int takeText(byte[] block, int from, int count) {
        if (dotsDoubled && atLineStart && block[from] == '.') {
            clean[length++] = '.';
        }
        int to = ends.next(block, from, count);
        int at = from;
        if (column + to - from > LongLines.MOST_BYTES) {
            longLine = true;
            at = broken ? takeLong(block, from, to) : from;
        }
        copy(block, at, to);
        atLineStart = false;
        return to;
    }

    /// Breaks a line until the rest is short enough. The rest begins with a blank, so no dot needs
    /// stuffing.
    private int takeLong(byte[] block, int from, int to) {
        int at = from;
        while (column + to - at > LongLines.MOST_BYTES) {
            int end = at + LongLines.MOST_BYTES - column;
            copy(block, at, end);
            newline();
            clean[length++] = ' ';
            column = 1;
            at = end;
        }
        return at;
    }

    private void copy(byte[] block, int from, int to) {
        System.arraycopy(block, from, clean, length, to - from);
        length += to - from;
        column += to - from;
    }

    /// True when a line was longer than permitted.
    boolean hasLongLine() {
        return longLine;
    }

    /// Ends a last line without an end.
    void endOfContent() {
        if (afterCr || !atLineStart) {
            newline();
        }
    }

    /// Adds the lone dot.
    void finalDot() {
        clean[length++] = '.';
        newline();
    }

    private void newline() {
        clean[length++] = '\r';
        clean[length++] = '\n';
        atLineStart = true;
        afterCr = false;
        column = 0;
    }
}
