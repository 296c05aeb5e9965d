package org.slipstream.cli.sendmail;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;

/// The text on the standard input of `sendmail`, with CRLF line ends and up to its end.
///
/// A line ends in LF or CRLF. Programs also write a bare CR: progress bars in the output of a cron
/// job do. A bare CR ends a line of the body. In the header it becomes a blank, because a line that
/// begins there could be a field which the program never wrote.
final class SubmittedText extends InputStream {
    private static final int NONE = -2;
    private static final int END = -1;

    private final InputStream in;
    private final boolean dotEnds;
    private boolean header = true;
    private boolean atLineStart = true;
    private boolean ended;
    private boolean lineFeedNext;
    private int unread1 = NONE;
    private int unread2 = NONE;

    /// @param dotEnds a line with a single dot ends the text
    SubmittedText(InputStream in, boolean dotEnds) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.dotEnds = dotEnds;
    }

    /// From here on it is the body.
    void beginBody() {
        header = false;
    }

    @Override
    public int read() throws IOException {
        if (lineFeedNext) {
            lineFeedNext = false;
            return '\n';
        }
        if (ended) {
            return END;
        }
        int c = raw();
        if (c == END || atLineStart && c == '.' && dotEnds && isLastLine()) {
            ended = true;
            return atLineStart ? END : lineEnd();
        }
        if (c == '\n' || c == '\r' && isLineEnd()) {
            return lineEnd();
        }
        atLineStart = false;
        return c == '\r' ? ' ' : c;
    }

    private int lineEnd() {
        atLineStart = true;
        lineFeedNext = true;
        return '\r';
    }

    private boolean isLineEnd() throws IOException {
        int next = raw();
        if (next != '\n') {
            unread(next);
        }
        return next == '\n' || !header;
    }

    /// After a dot.
    private boolean isLastLine() throws IOException {
        int next = raw();
        if (next == '\n' || next == END) {
            return true;
        }
        if (next == '\r') {
            int last = raw();
            if (last == '\n' || last == END) {
                return true;
            }
            unread(last);
        }
        unread(next);
        return false;
    }

    private int raw() throws IOException {
        if (unread1 == NONE) {
            return in.read();
        }
        int c = unread1;
        unread1 = unread2;
        unread2 = NONE;
        return c;
    }

    private void unread(int c) {
        unread2 = unread1;
        unread1 = c;
    }
}
