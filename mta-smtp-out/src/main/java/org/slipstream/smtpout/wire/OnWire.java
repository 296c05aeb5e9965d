package org.slipstream.smtpout.wire;

import org.slipstream.core.Content;
import org.slipstream.core.ContentSource;

import java.io.IOException;
import java.io.InputStream;

/// A content with the octets that are transmitted by BDAT: line ends are clean, and long lines are
/// broken where the settings say so.
public record OnWire(Content content, LongLines longLines) implements Content {
    /// Before line ends are mended.
    @Override
    public long sizeBytes() {
        return content.sizeBytes();
    }

    @Override
    public InputStream open() throws IOException {
        return new Pieces(new CleanedChunks(content, content.facts(), false, longLines));
    }

    private static final class Pieces extends InputStream {
        private final CleanedChunks chunks;
        private ContentSource.InMemory piece = new ContentSource.InMemory(new byte[0], 0, 0);
        private int at;

        private Pieces(CleanedChunks chunks) {
            this.chunks = chunks;
        }

        private boolean isAtEnd() throws IOException {
            while (at == piece.length()) {
                if (chunks.isLast()) {
                    return true;
                }
                chunks.read();
                piece = chunks.piece();
                at = 0;
            }
            return false;
        }

        @Override
        public int read() throws IOException {
            return isAtEnd() ? -1 : piece.bytes()[piece.offset() + at++] & 0xff;
        }

        @Override
        public int read(byte[] into, int from, int most) throws IOException {
            if (most == 0) {
                return 0;
            }
            if (isAtEnd()) {
                return -1;
            }
            int count = Math.min(most, piece.length() - at);
            System.arraycopy(piece.bytes(), piece.offset() + at, into, from, count);
            at += count;
            return count;
        }

        @Override
        public void close() throws IOException {
            chunks.close();
        }
    }
}
