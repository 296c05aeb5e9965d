package org.slipstream.smtpin.data;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.LineEnds;

import java.io.IOException;

/// Checks the lines of a message in chunks (RFC 3030), which has no final dot and no stuffing, so
/// its end is unambiguous. A bare CR or LF is reported all the same, because the next server may
/// get the message by DATA, where it is ambiguous ([DataScanner]). For known clients a bare LF
/// becomes CRLF.
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
    /// Without its CRLF.
    private long longestLine;
    private long lines;

    /// @param normalizes a bare LF is read as CRLF
    public LineWatch(boolean normalizes) {
        this.normalizes = normalizes;
    }

    /// Scans `block[from, to)` and passes it on.
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

    /// Scans up to the next line end; nearly all bytes are here.
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

    /// True after a bare CR or LF. A CR at the end may still be followed by its LF, unless `isEnd`.
    public boolean bareNewline(boolean isEnd) {
        return bareNewline || isEnd && afterCr;
    }

    /// True at the beginning and after a line end.
    public boolean atLineStart() {
        return atLineStart;
    }

    /// The longest line so far with its CRLF.
    public long longestLineBytes() {
        return longestLine + CRLF.length;
    }

    /// Facts about the content; a last line without an end counts, because it gets one.
    public ContentFacts facts() {
        return new ContentFacts(leadingDot, ends.eightBit(), longestLine, lines + (atLineStart ? 0 : 1));
    }
}
