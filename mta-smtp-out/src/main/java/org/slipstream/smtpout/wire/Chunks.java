package org.slipstream.smtpout.wire;

import java.io.IOException;
import java.io.InputStream;

/// A letter in pieces for BDAT (RFC 3030 section 2): each is read before it is announced, because the announcement tells its length,
/// so a letter that cannot be read never leaves a peer waiting. Line ends are made clean: [CleanLines].
public final class Chunks {
    /// Large enough that the command before it costs nothing, small enough to be kept for each connection.
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int SMALLEST_CHUNK_BYTES = 1024;

    private final InputStream letter;
    private final byte[] block;
    private final CleanLines lines;
    private boolean last;

    /// @param sizeBytes about how long the letter is
    public Chunks(InputStream letter, long sizeBytes) {
        this.letter = letter;
        this.block = new byte[Math.clamp(sizeBytes + 1, SMALLEST_CHUNK_BYTES, CHUNK_BYTES)];
        this.lines = new CleanLines(block.length, false);
    }

    /// Reads the next one.
    ///
    /// @throws IOException when the letter could not be read
    public void read() throws IOException {
        lines.clear();
        int read = letter.readNBytes(block, 0, block.length);
        lines.take(block, read);
        last = read < block.length;
        if (last) {
            lines.endOfLetter();
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
