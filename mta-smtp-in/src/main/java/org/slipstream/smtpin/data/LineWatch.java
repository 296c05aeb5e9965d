package org.slipstream.smtpin.data;

import java.io.IOException;

/// Watches the lines of a message go by whose end is known otherwise: in chunks (RFC 3030) there is no final dot and no
/// stuffing, so nothing is ambiguous here. A CR or LF that stands alone is noticed all the same, because the next server on the way
/// may get the message by DATA, and there it would be ([DataScanner]). For clients that the server knows a bare LF becomes CR LF.
public final class LineWatch {
    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final byte[] CRLF = {CR, LF};

    private final boolean normalizes;
    private boolean afterCr;
    private boolean bareNewline;
    private boolean atLineStart = true;
    private long lineBytes;
    private long longestLineBytes;

    /// @param normalizes a bare LF is read as CR LF
    public LineWatch(boolean normalizes) {
        this.normalizes = normalizes;
    }

    /// Looks at `block[from, to)` and hands it on.
    public void pass(byte[] block, int from, int to, DataScanner.Sink sink) throws IOException {
        int run = from;
        int line = from;
        for (int at = from; at < to; at++) {
            byte b = block[at];
            if (b == LF) {
                boolean bare = !afterCr;
                if (bare && normalizes) {
                    emit(block, run, at, sink);
                    sink.content(CRLF, 0, CRLF.length);
                    run = at + 1;
                } else {
                    bareNewline |= bare;
                }
                longestLineBytes = Math.max(longestLineBytes, lineBytes + at + (bare ? 2 : 1) - line);
                lineBytes = 0;
                line = at + 1;
                afterCr = false;
            } else {
                bareNewline |= afterCr;
                afterCr = b == CR;
            }
        }
        emit(block, run, to, sink);
        if (to > from) {
            atLineStart = block[to - 1] == LF;
        }
        lineBytes += to - line;
        longestLineBytes = Math.max(longestLineBytes, lineBytes);
    }

    private static void emit(byte[] block, int from, int to, DataScanner.Sink sink) throws IOException {
        if (to > from) {
            sink.content(block, from, to - from);
        }
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
