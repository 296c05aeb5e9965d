package org.slipstream.smtpin.data;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.LineEnds;

import java.io.IOException;

/// Watches the lines of a message go by whose end is known otherwise: in chunks (RFC 3030) there is no final dot and no
/// stuffing, so nothing is ambiguous here. A CR or LF that stands alone is noticed all the same, because the next server on the way
/// may get the message by DATA, and there it would be ([DataScanner]). For clients that the server knows a bare LF becomes CR LF.
public final class LineWatch {
    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final byte[] CRLF = {CR, LF};

    private final boolean normalizes;
    private final LineEnds ends = new LineEnds();
    private boolean afterCr;
    private boolean bareNewline;
    private boolean atLineStart = true;
    private boolean leadingDot;
    private long lineBytes;
    /// Without the line end.
    private long longestLine;
    private long lines;

    /// @param normalizes a bare LF is read as CR LF
    public LineWatch(boolean normalizes) {
        this.normalizes = normalizes;
    }

    /// Looks at `block[from, to)` and hands it on.
    public void pass(byte[] block, int from, int to, DataScanner.Sink sink) throws IOException {
        int run = from;
        int at = from;
        while (at < to) {
            byte b = block[at];
            if (b == LF) {
                if (!afterCr && normalizes) {
                    emit(block, run, at, sink);
                    sink.content(CRLF, 0, CRLF.length);
                    run = at + 1;
                } else {
                    bareNewline |= !afterCr;
                }
                endOfLine();
                at++;
            } else {
                bareNewline |= afterCr;
                afterCr = b == CR;
                at = afterCr ? at + 1 : text(block, at, to);
            }
        }
        emit(block, run, to, sink);
    }

    /// Looks at all up to the next line end, where nearly all bytes are.
    private int text(byte[] block, int from, int to) {
        int end = ends.next(block, from, to);
        leadingDot |= atLineStart && block[from] == '.';
        atLineStart = false;
        lineBytes += end - from;
        longestLine = Math.max(longestLine, lineBytes);
        return end;
    }

    private void endOfLine() {
        afterCr = false;
        atLineStart = true;
        lineBytes = 0;
        lines++;
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
        return longestLine + CRLF.length;
    }

    /// What has passed; a last line without an end counts as one, because it gets one.
    public ContentFacts facts() {
        return new ContentFacts(leadingDot, ends.eightBit(), longestLine, lines + (atLineStart ? 0 : 1));
    }
}
