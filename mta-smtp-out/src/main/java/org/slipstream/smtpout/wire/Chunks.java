package org.slipstream.smtpout.wire;

import java.io.IOException;
import java.io.InputStream;

/// A letter in pieces, in the form of DATA (RFC 5321 section 4.5.2: a line that begins with a dot gets a second one, and a dot on a
/// line of its own ends it all) or of BDAT (RFC 3030 section 2). Line ends are made clean: [CleanLines].
///
/// With BDAT each piece is read before it is announced, because the announcement tells its length, so a letter that cannot be
/// read never leaves a peer waiting. In both forms the first piece may be read before anything is said of the letter
/// ([#hasLongLine]), and is used then: most letters are one piece, and are looked at once.
public final class Chunks {
    /// Large enough that the command before it costs nothing, small enough to be kept for each connection.
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int BLOCK_BYTES = 32 * 1024;
    private static final int SMALLEST_BYTES = 1024;

    private final InputStream letter;
    private final boolean dots;
    private final byte[] block;
    private final CleanLines lines;
    private boolean readAhead;
    private boolean last;

    /// @param sizeBytes about how long the letter is: a short one needs no large buffers. One byte more is read, so that its end is
    /// seen with the first piece
    private Chunks(InputStream letter, long sizeBytes, boolean dots, LongLines longLines) {
        this.letter = letter;
        this.dots = dots;
        this.block = new byte[Math.clamp(sizeBytes + 1, SMALLEST_BYTES, dots ? BLOCK_BYTES : CHUNK_BYTES)];
        this.lines = new CleanLines(block.length, dots, longLines == LongLines.BREAK);
    }

    /// @param sizeBytes about how long the letter is
    public static Chunks forBdat(InputStream letter, long sizeBytes, LongLines longLines) {
        return new Chunks(letter, sizeBytes, false, longLines);
    }

    /// @param sizeBytes about how long the letter is
    public static Chunks forData(InputStream letter, long sizeBytes, LongLines longLines) {
        return new Chunks(letter, sizeBytes, true, longLines);
    }

    /// True when a line of the first piece is longer than may be sent; empty pieces behind it are not known yet.
    ///
    /// @throws IOException when the letter could not be read
    public boolean hasLongLine() throws IOException {
        if (!readAhead) {
            read();
            readAhead = true;
        }
        return lines.hasLongLine();
    }

    /// Reads the next one.
    ///
    /// @throws IOException when the letter could not be read
    public void read() throws IOException {
        if (readAhead) {
            readAhead = false;
            return;
        }
        lines.clear();
        int read = letter.readNBytes(block, 0, block.length);
        lines.take(block, read);
        last = read < block.length;
        if (last) {
            lines.endOfLetter();
            if (dots) {
                lines.finalDot();
            }
        }
    }

    /// True when the one that was read is the last.
    public boolean isLast() {
        return last;
    }

    String announcement() {
        return "BDAT " + lines.length() + (last ? " LAST\r\n" : "\r\n");
    }

    byte[] bytes() {
        return lines.bytes();
    }

    int length() {
        return lines.length();
    }
}
