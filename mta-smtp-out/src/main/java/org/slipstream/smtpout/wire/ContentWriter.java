package org.slipstream.smtpout.wire;

import java.io.IOException;
import java.io.InputStream;

/// Puts a letter into the form of DATA (RFC 5321 section 4.5.2): a line that starts with a dot gets a second one, and a dot on
/// a line of its own ends it all. That framing is only as good as both sides' idea of a line: see [CleanLines].
final class ContentWriter {
    private static final int BLOCK_BYTES = 32 * 1024;
    private static final int SMALLEST_BLOCK_BYTES = 1024;

    private final byte[] block;
    private final CleanLines lines;

    /// @param sizeBytes about how long the letter is: a short one needs no large buffers
    ContentWriter(long sizeBytes) {
        // One more than the letter, so that its end is seen with the first block.
        block = new byte[Math.clamp(sizeBytes + 1, SMALLEST_BLOCK_BYTES, BLOCK_BYTES)];
        lines = new CleanLines(block.length, true);
    }

    /// Takes framed content.
    interface Sink {
        /// @param last true when these bytes hold the final dot
        /// @return false to stop
        boolean write(byte[] bytes, int length, boolean last);
    }

    /// Writes all of the letter and the final dot, the dot never without the whole letter.
    ///
    /// @throws IOException when the letter could not be read; no dot has been written
    void write(InputStream letter, Sink sink) throws IOException {
        while (true) {
            int read = letter.readNBytes(block, 0, block.length);
            lines.take(block, read);
            boolean last = read < block.length;
            if (last) {
                lines.endOfLetter();
                lines.finalDot();
            }
            if (!sink.write(lines.bytes(), lines.length(), last) || last) {
                return;
            }
            lines.clear();
        }
    }
}
