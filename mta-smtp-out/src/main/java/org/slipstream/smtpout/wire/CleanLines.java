package org.slipstream.smtpout.wire;

import org.slipstream.core.LineEnds;

/// Makes every line of a letter end in CRLF, whatever it ended in before, and doubles dots where that is wanted.
///
/// What one side takes for a line end and the other does not can be made to carry commands (the "SMTP smuggling" of 2023): with
/// a bare CR or LF let through, a peer that takes it for a line end could see `LF . LF` as the end of this message and the rest
/// as commands. It is no safer with BDAT, where the content is counted and nothing in it can end it: the peer may pass it on by DATA.
/// Letters are stored with clean line ends; this class does not rely on it and writes each CR, LF or CRLF as CRLF.
/// A last line without an end gets one. Lines beyond the 998 octets of RFC 5321 section 4.5.3.1.6 are noticed on the way, and broken by
/// a line end and a blank where that is wanted. All other bytes pass as they are.
final class CleanLines {
    private final boolean dotsDoubled;
    private final boolean broken;
    private final byte[] clean;
    private final LineEnds ends = new LineEnds();
    private int length;
    private boolean atLineStart = true;
    private boolean afterCr;
    /// Of the present line, without a doubled dot.
    private int column;
    private boolean longLine;

    /// @param blockBytes the most that is taken at once
    /// @param broken long lines are broken
    CleanLines(int blockBytes, boolean dotsDoubled, boolean broken) {
        this.dotsDoubled = dotsDoubled;
        this.broken = broken;
        // Every byte can become two, one may be left over from the block before, and the end needs CRLF . CRLF.
        this.clean = new byte[2 * blockBytes + 8];
    }

    byte[] bytes() {
        return clean;
    }

    int length() {
        return length;
    }

    /// What has been made so far has been used.
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

    /// Takes all up to the next line end as one run, which is where nearly all bytes are.
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

    /// Breaks a line until the rest is short enough. A blank is no dot, so nothing is to be doubled.
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

    /// A line taken so far was longer than may be sent.
    boolean hasLongLine() {
        return longLine;
    }

    /// Ends the last line if it has no end.
    void endOfLetter() {
        if (afterCr || !atLineStart) {
            newline();
        }
    }

    /// A dot on a line of its own.
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
