package org.slipstream.smtpin.data;

/// Watches the lines of a message go by whose end is known otherwise: in chunks (RFC 3030) there is no final dot and no
/// stuffing, so nothing is ambiguous here. A CR or LF that stands alone is noticed all the same, because the next server on the way
/// may get the message by DATA, and there it would be ([DataScanner]).
public final class LineWatch {
    private static final byte CR = '\r';
    private static final byte LF = '\n';

    private boolean afterCr;
    private boolean bareNewline;
    private boolean atLineStart = true;
    private long lineBytes;
    private long longestLineBytes;

    public void see(byte[] block, int from, int to) {
        int line = from;
        for (int at = from; at < to; at++) {
            byte b = block[at];
            if (b == LF) {
                bareNewline |= !afterCr;
                longestLineBytes = Math.max(longestLineBytes, lineBytes + at + 1 - line);
                lineBytes = 0;
                line = at + 1;
                afterCr = false;
            } else {
                bareNewline |= afterCr;
                afterCr = b == CR;
            }
        }
        if (to > from) {
            atLineStart = block[to - 1] == LF;
        }
        lineBytes += to - line;
        longestLineBytes = Math.max(longestLineBytes, lineBytes);
    }

    /// True when a CR or an LF stood alone; a CR at the end may yet be followed by its LF, unless it `isEnd`.
    public boolean bareNewline(boolean isEnd) {
        return bareNewline || isEnd && afterCr;
    }

    /// True at the beginning, and after a line's end.
    public boolean atLineStart() {
        return atLineStart;
    }

    /// The longest line so far with its CR LF.
    public long longestLineBytes() {
        return longestLineBytes;
    }
}
