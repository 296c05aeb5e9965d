package org.slipstream.smtpin.data;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.LineEnds;

import java.io.IOException;

/// Finds the end of a message in a stream of bytes and removes dot stuffing.
///
/// A client ends its message with a line of a single dot: CRLF `.` CRLF. The client doubles a dot
/// at the beginning of any other line, and the scanner removes the first dot of such a line (RFC
/// 5321 section 4.5.2).
///
/// Client and server must agree on the end. A server that also takes LF `.` LF or CR `.` CR for the
/// end reads the rest of a message as commands. The author of the message has then sent a second
/// one in the name of the relaying server ("SMTP smuggling", CVE-2023-51764 and related). Two rules
/// prevent that in both directions. The end is CRLF `.` CRLF and nothing else. A message with a
/// bare CR or LF is refused ([#bareNewline]), because the next server may interpret it differently
/// (RFC 5321 section 2.3.8 forbids it anyway).
///
/// **Normalizing.** For known clients a bare LF can be read as CRLF (Postfix:
/// `smtpd_forbid_bare_newline = normalize`). The end of the message is still CRLF `.` CRLF alone: a
/// line with a single dot and a bare LF on one side is content ([#malformedEnd]). The stored
/// content has no bare LF, so the next server stuffs that dot like any other. After a bare LF no
/// dot is removed: a client that sends a file unchanged (`curl -T`) does not stuff there, and would
/// lose a dot. A bare CR is refused in this mode too: servers differ on whether it ends a line, and
/// no legitimate client sends it.
///
/// The state machine has five states. It reads each byte once and passes on whole runs of the
/// caller's buffer. In the middle of a line, where nearly all bytes are, it only searches for CR
/// and LF. The boundaries between blocks make no difference; the test tries random boundaries.
///
/// ```
///           .              CR              LF
///   START ────▶ DOT ──────────▶ DOT_CR ──────────▶ done
///     ▲  └──────────▶ TEXT ──▶ CR ──┐
///     └──────────── LF ─────────────┘      all other ways of a CR or LF: bareNewline
/// ```
///
/// With normalizing, an LF leads from START, TEXT and DOT back to START, and DOT_CR leads to done
/// only after CRLF.
public final class DataScanner {
    /// Receives the content in pieces, with dots unstuffed.
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
    private boolean malformedEnd;
    private long lineBytes;
    private long longestLineBytes;
    private boolean leadingDot;
    private long lines;

    /// @param normalizes a bare LF is read as CRLF, except in the end of the message
    public DataScanner(boolean normalizes) {
        this.normalizes = normalizes;
    }

    /// Scans `block[from, to)` and returns the position after the last byte of the message: `to`,
    /// or less when the message has ended. The remaining bytes are the client's next command.
    public int scan(byte[] block, int from, int to, Sink sink) throws IOException {
        int at = from;
        int run = from;
        int line = from;
        while (at < to && !done) {
            byte b = block[at];
            switch (state) {
                case START -> {
                    malformedEnd = false;
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

    /// True after the final dot.
    public boolean done() {
        return done;
    }

    /// True after a bare CR or LF. From then on the sink receives nothing.
    public boolean bareNewline() {
        return bareNewline;
    }

    /// True when the content ends with a dot on a line of its own that is not the end, because it
    /// began or ended with a bare LF. A client that is silent now believes that its message has
    /// ended.
    public boolean malformedEnd() {
        return malformedEnd;
    }

    /// The longest line so far with its CRLF, except the final dot.
    public long longestLineBytes() {
        return longestLineBytes;
    }

    /// Facts about the content, valid for a whole message without a bare CR or LF.
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
        malformedEnd = true;
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
