package org.slipstream.smtpin.data;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.LineEnds;

import java.io.IOException;

/// Finds the end of a message in a stream of bytes, and takes the stuffed dots out on the way.
///
/// A client announces the end of its message by a line with a single dot: CR LF `.` CR LF. So that a line of the message
/// that begins with a dot is not taken for it, the client doubles that dot, and we remove the first of any line
/// (RFC 5321 section 4.5.2).
///
/// Everything hangs on the two parties agreeing where that line is. A server that also takes LF `.` LF or
/// CR `.` CR for the end reads the rest of a message as commands: whoever wrote the message has then written a second one, in
/// the name of the server that relays it ("SMTP smuggling", CVE-2023-51764 and its family). Two rules close that door, in
/// both directions: the end is CR LF `.` CR LF and nothing else, and a message with a CR or LF that stands alone is not
/// taken at all ([#bareNewline]), since the next server on its way may read it otherwise than we do (RFC 5321 section 2.3.8
/// forbids it anyway).
///
/// **Normalizing.** For clients that the server knows, a bare LF can be read as CR LF (Postfix's
/// `smtpd_forbid_bare_newline = normalize`). The end of the message is still CR LF `.` CR LF alone: a line with a single dot of
/// which one end is a bare LF is content, and goes on as such ([#oddEnd]). The content has no bare LF any more when it
/// is handed on, so the next server stuffs that dot like any other. Behind a bare LF no dot is taken out: a client that sends
/// a file as it lies (`curl -T`) stuffs none there, and would lose it. A bare CR is refused also then: some servers read it as
/// the end of a line and some do not, and no honest client sends it.
///
/// The machine has five states. It looks at each byte once and hands on whole runs of the caller's buffer; in
/// the middle of a line, where nearly all bytes are, it only looks for CR and LF. Where the stream is cut into blocks makes no
/// difference, which the test tries with random cuts.
///
/// ```
///           .              CR              LF
///   START ────▶ DOT ──────────▶ DOT_CR ──────────▶ done
///     ▲  └──────────▶ TEXT ──▶ CR ──┐
///     └──────────── LF ─────────────┘      all other ways of a CR or LF: bareNewline
/// ```
///
/// When it normalizes, an LF leads from START, TEXT and DOT back to START, and DOT_CR to done only if CR LF stood before the dot.
public final class DataScanner {
    /// Takes the content in pieces, dots unstuffed.
    @FunctionalInterface
    public interface Sink {
        void content(byte[] block, int offset, int length) throws IOException;
    }

    private enum State {
        START, TEXT, CR, DOT, DOT_CR
    }

    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final byte[] DOT_LINE = {'.', CR, LF};

    private final boolean normalizes;
    private final LineEnds ends = new LineEnds();
    private State state = State.START;
    private boolean done;
    private boolean bareNewline;
    private boolean afterBareLf;
    private boolean oddEnd;
    private long lineBytes;
    private long longestLineBytes;
    private boolean leadingDot;
    private long lines;

    /// @param normalizes a bare LF is read as CR LF, but for the end of the message
    public DataScanner(boolean normalizes) {
        this.normalizes = normalizes;
    }

    /// Scans `block[from, to)` and returns the position behind the last byte that belongs to the message: `to`, or less when
    /// the message ended. What is left is the client's next command.
    public int scan(byte[] block, int from, int to, Sink sink) throws IOException {
        int at = from;
        int run = from;
        int line = from;
        while (at < to && !done) {
            byte b = block[at];
            switch (state) {
                case START -> {
                    oddEnd = false;
                    if (b == '.') {
                        emit(block, run, at, sink);
                        at++;
                        run = at;
                        line = at;
                        state = State.DOT;
                    } else {
                        state = State.TEXT;
                    }
                }
                case TEXT -> {
                    at = ends.next(block, at, to);
                    if (at < to && block[at] == CR) {
                        state = State.CR;
                        at++;
                    } else if (at < to) {
                        emit(block, run, at, sink);
                        at++;
                        if (normalizes) {
                            emit(DOT_LINE, 1, 3, sink);
                            endOfLine(at + 1 - line);
                            beginLine(true);
                            run = at;
                            line = at;
                        } else {
                            bareNewline = true;
                        }
                    }
                }
                case CR -> {
                    if (b == LF) {
                        at++;
                        endOfLine(at - line);
                        line = at;
                        beginLine(false);
                    } else {
                        emit(block, run, at, sink);
                        bareNewline = true;
                        state = State.TEXT;
                    }
                }
                case DOT -> {
                    if (b == CR) {
                        at++;
                        run = at;
                        state = State.DOT_CR;
                    } else if (b == LF && normalizes) {
                        at++;
                        dotLine(true, sink);
                        run = at;
                        line = at;
                    } else {
                        if (afterBareLf) {
                            emit(DOT_LINE, 0, 1, sink);
                            lineBytes++;
                        }
                        leadingDot |= afterBareLf || b == '.';
                        state = State.TEXT;
                    }
                }
                case DOT_CR -> {
                    if (b == LF) {
                        at++;
                        run = at;
                        if (afterBareLf) {
                            dotLine(false, sink);
                            line = at;
                        } else {
                            done = true;
                        }
                    } else {
                        bareNewline = true;
                        state = State.TEXT;
                    }
                }
            }
        }
        emit(block, run, at, sink);
        lineBytes += at - line;
        if (!done && state != State.DOT_CR) {
            longestLineBytes = Math.max(longestLineBytes, lineBytes);
        }
        return at;
    }

    /// True when the final dot has been seen.
    public boolean done() {
        return done;
    }

    /// True when a CR or an LF stood alone. From there on nothing is handed to the sink.
    public boolean bareNewline() {
        return bareNewline;
    }

    /// True when the last of what has come is a dot on a line of its own that is not the end, because it began or ended with a
    /// bare LF. A client that falls silent here believes that its message is over.
    public boolean oddEnd() {
        return oddEnd;
    }

    /// The longest line so far with its CR LF; the final dot is none.
    public long longestLineBytes() {
        return longestLineBytes;
    }

    /// What has been handed on, when that is a whole message without a bare CR or LF.
    public ContentFacts facts() {
        return new ContentFacts(leadingDot, ends.eightBit(), Math.max(0, longestLineBytes - 2), lines);
    }

    private void beginLine(boolean bare) {
        state = State.START;
        afterBareLf = bare;
    }

    private void dotLine(boolean bare, Sink sink) throws IOException {
        emit(DOT_LINE, 0, DOT_LINE.length, sink);
        lineBytes = 0;
        leadingDot = true;
        endOfLine(DOT_LINE.length);
        beginLine(bare);
        oddEnd = true;
    }

    private void endOfLine(int bytesInThisBlock) {
        longestLineBytes = Math.max(longestLineBytes, lineBytes + bytesInThisBlock);
        lineBytes = 0;
        lines++;
    }

    private void emit(byte[] block, int from, int to, Sink sink) throws IOException {
        if (!bareNewline && to > from) {
            sink.content(block, from, to - from);
        }
    }
}
