package org.slipstream.smtpout.wire;

import java.io.IOException;
import java.io.InputStream;

/// Puts a letter into the form of the wire (RFC 5321 section 4.5.2): a line that starts with a dot gets a second one, and
/// a dot on a line of its own ends it all.
///
/// That framing is only as good as both sides' idea of a line. If a bare CR or LF went out as it is, a peer that
/// takes it for a line end could see `LF . LF` as the end of this message and the rest as commands (the "SMTP smuggling" of
/// 2023). Letters are stored with clean line ends; this class does not rely on it and writes each CR, LF or CRLF as CRLF.
/// A last line without an end gets one. All other bytes pass as they are, also lines beyond the 998 octets of RFC 5321
/// section 4.5.3.1.6: breaking them would break signatures.
final class ContentWriter {
    private static final int BLOCK_BYTES = 32 * 1024;
    private static final int SMALLEST_BLOCK_BYTES = 1024;

    private final byte[] block;
    private final byte[] framed;
    private int length;
    private boolean atLineStart = true;
    private boolean afterCr;

    /// @param sizeBytes about how long the letter is: a short one needs no large buffers
    ContentWriter(long sizeBytes) {
        // One more than the letter, so that its end is seen with the first block.
        block = new byte[Math.clamp(sizeBytes + 1, SMALLEST_BLOCK_BYTES, BLOCK_BYTES)];
        // Every byte can become two, and the end needs CRLF . CRLF.
        framed = new byte[2 * block.length + 8];
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
            frame(read);
            boolean last = read < block.length;
            if (last) {
                end();
            }
            if (!sink.write(framed, length, last) || last) {
                return;
            }
            length = 0;
        }
    }

    private void frame(int count) {
        for (int i = 0; i < count; i++) {
            byte next = block[i];
            if (afterCr) {
                newline();
                afterCr = false;
                if (next == '\n') {
                    continue;
                }
            }
            switch (next) {
                case '\r' -> afterCr = true;
                case '\n' -> newline();
                default -> {
                    if (atLineStart && next == '.') {
                        framed[length++] = '.';
                    }
                    framed[length++] = next;
                    atLineStart = false;
                }
            }
        }
    }

    private void end() {
        if (afterCr || !atLineStart) {
            newline();
        }
        framed[length++] = '.';
        newline();
    }

    private void newline() {
        framed[length++] = '\r';
        framed[length++] = '\n';
        atLineStart = true;
    }
}
