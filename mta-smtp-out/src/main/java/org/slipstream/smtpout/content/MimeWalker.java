package org.slipstream.smtpout.content;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/// Parses a message part by part (RFC 2046), a piece of a line at a time, however long the lines
/// are.
///
/// ```
/// header ─┬─► multipart: preamble ─► delimiter ─► header … ─► last delimiter ─► epilogue
///         ├─► message/rfc822: header …
///         └─► anything else: content
/// ```
///
/// The boundary of an open multipart at the beginning of a line is a delimiter, also inside a part
/// that has not ended, as RFC 2046 section 5.1.2 requires. The line end before it belongs to the
/// delimiter. Only CRLF ends a line: in a binary part any other byte is content.
final class MimeWalker {
    static final int PIECE_BYTES = 8 * 1024;
    static final int MOST_HEADER_BYTES = 512 * 1024;
    static final int MOST_NESTED = 50;
    private static final String TEXT = "text/plain";

    private final InputStream in;
    private final Handler handler;
    private final byte[] buffer = new byte[PIECE_BYTES];
    private int position;
    private int limit;

    private final byte[] piece = new byte[PIECE_BYTES];
    private int length;
    private boolean starts;
    private boolean ended = true;
    private boolean heldCr;
    private boolean atEnd;

    private final Deque<Frame> open = new ArrayDeque<>();
    private final ByteArrayOutputStream header = new ByteArrayOutputStream();
    private String standardType = TEXT;
    private boolean owedNewline;
    private State state = State.HEADER;

    private enum State {
        HEADER, CONTENT, BETWEEN
    }

    private record Frame(String boundary, boolean isDigest) {}

    /// Receives all pieces of a message in order; together they are the message.
    interface Handler {
        void header(Entity entity);

        /// Content of the part whose header came last, without line ends.
        void content(byte[] bytes, int length);

        /// A line end within the content.
        void newline();

        void contentEnds();

        /// Delimiters, preambles and epilogues with their line ends.
        void outside(byte[] bytes, int length);
    }

    /// The message cannot be parsed: an endless header, parts nested too deep, or a multipart
    /// without a boundary.
    static final class UnparsableException extends IOException {
        private static final long serialVersionUID = 1L;

        UnparsableException(String message) {
            super(message);
        }
    }

    MimeWalker(InputStream in, Handler handler) {
        this.in = in;
        this.handler = handler;
    }

    /// Parses one piece. False at the end of the message.
    boolean step() throws IOException {
        if (!readPiece()) {
            finish();
            return false;
        }
        boolean whole = starts && (ended || atEnd);
        if (whole && length >= 2 && piece[0] == '-' && piece[1] == '-' && delimiter()) {
            return true;
        }
        switch (state) {
            case HEADER -> headerPiece(whole);
            case CONTENT -> {
                payNewline();
                handler.content(piece, length);
                owedNewline = ended;
            }
            case BETWEEN -> outside();
        }
        return true;
    }

    private void headerPiece(boolean whole) throws IOException {
        header.write(piece, 0, length);
        if (ended) {
            header.write('\r');
            header.write('\n');
        }
        if (header.size() > MOST_HEADER_BYTES) {
            throw new UnparsableException("a header of more than " + MOST_HEADER_BYTES + " bytes");
        }
        if (whole && length == 0) {
            headerEnds();
        }
    }

    private void headerEnds() throws IOException {
        Entity entity = Entity.of(header.toByteArray(), standardType);
        header.reset();
        handler.header(entity);
        standardType = TEXT;
        owedNewline = false;
        if (entity.isMultipart()) {
            String boundary = entity.boundary()
                    .orElseThrow(() -> new UnparsableException("a multipart without a boundary"));
            if (open.size() == MOST_NESTED) {
                throw new UnparsableException("more than " + MOST_NESTED + " parts within each other");
            }
            open.push(new Frame("--" + boundary, entity.isDigest()));
            state = State.BETWEEN;
        } else {
            state = entity.isMessage() ? State.HEADER : State.CONTENT;
        }
    }

    /// True when this line delimits a part of any open multipart, the innermost first.
    private boolean delimiter() throws IOException {
        String line = new String(piece, 0, length, StandardCharsets.ISO_8859_1).stripTrailing();
        for (Frame frame : open) {
            boolean last = line.length() == frame.boundary().length() + 2 && line.endsWith("--");
            if (line.startsWith(frame.boundary()) && (last || line.length() == frame.boundary().length())) {
                delimited(frame, last);
                return true;
            }
        }
        return false;
    }

    private void delimited(Frame frame, boolean last) throws IOException {
        if (state == State.HEADER && header.size() > 0) {
            headerEnds();
        }
        if (state == State.CONTENT) {
            handler.contentEnds();
        }
        if (owedNewline) {
            handler.outside(new byte[]{'\r', '\n'}, 2);
            owedNewline = false;
        }
        while (open.peek() != frame) {
            open.pop();
        }
        if (last) {
            open.pop();
            state = State.BETWEEN;
        } else {
            state = State.HEADER;
            standardType = frame.isDigest() ? "message/rfc822" : TEXT;
        }
        outside();
    }

    private void outside() {
        handler.outside(piece, length);
        if (ended) {
            handler.outside(new byte[]{'\r', '\n'}, 2);
        }
    }

    private void payNewline() {
        if (owedNewline) {
            handler.newline();
            owedNewline = false;
        }
    }

    private void finish() throws IOException {
        if (state == State.HEADER && header.size() > 0) {
            headerEnds();
        }
        if (state == State.CONTENT) {
            payNewline();
            handler.contentEnds();
        }
        state = State.BETWEEN;
    }

    // ---- lines in pieces

    private boolean readPiece() throws IOException {
        starts = ended;
        ended = false;
        length = 0;
        if (heldCr) {
            piece[length++] = '\r';
            heldCr = false;
        }
        for (int b = next(); b >= 0; b = next()) {
            if (b == '\n' && length > 0 && piece[length - 1] == '\r') {
                length--;
                ended = true;
                return true;
            }
            piece[length++] = (byte) b;
            if (length == PIECE_BYTES) {
                // A line feed may follow.
                heldCr = b == '\r';
                length -= heldCr ? 1 : 0;
                return true;
            }
        }
        atEnd = true;
        return length > 0;
    }

    private int next() throws IOException {
        if (position == limit) {
            position = 0;
            limit = Math.max(in.read(buffer), 0);
            if (limit == 0) {
                return -1;
            }
        }
        return buffer[position++] & 0xff;
    }
}
