package org.slipstream.smtpout.wire;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/// The pieces of content that may need changes: every byte is scanned and line ends are normalized
/// ([CleanLines]).
final class CleanedChunks implements Chunks {
    /// Large enough that the command before it costs nothing, small enough to keep for each
    /// connection.
    private static final int CHUNK_BYTES = 64 * 1024;
    private static final int BLOCK_BYTES = 32 * 1024;
    private static final int SMALLEST_BYTES = 1024;

    private final Content content;
    private final Optional<ContentFacts> facts;
    private final InputStream in;
    private final boolean dots;
    private final byte[] block;
    private final CleanLines lines;
    private boolean readAhead;
    private boolean last;

    /// @param dots in the form of DATA
    /// @throws IOException when the content cannot be opened
    CleanedChunks(Content content, Optional<ContentFacts> facts, boolean dots, LongLines longLines) throws IOException {
        this.content = content;
        this.facts = facts;
        this.in = content.open();
        this.dots = dots;
        // Short content needs no large buffers. One byte more is read, so that its end is found
        // with the first piece.
        this.block = new byte[Math.clamp(content.sizeBytes() + 1, SMALLEST_BYTES, dots ? BLOCK_BYTES : CHUNK_BYTES)];
        this.lines = new CleanLines(block.length, dots, longLines == LongLines.BREAK);
    }

    /// Content of one piece is scanned and then sent from memory; longer content is read twice.
    @Override
    public boolean hasLongLine() throws IOException {
        if (facts.isPresent()) {
            return LongLines.areIn(facts.get());
        }
        if (!readAhead) {
            read();
            readAhead = true;
        }
        if (lines.hasLongLine() || last) {
            return lines.hasLongLine();
        }
        try (InputStream again = content.open()) {
            return LongLines.areIn(again);
        }
    }

    @Override
    public void read() throws IOException {
        if (readAhead) {
            readAhead = false;
            return;
        }
        lines.clear();
        int read = in.readNBytes(block, 0, block.length);
        lines.take(block, read);
        last = read < block.length;
        if (last) {
            lines.endOfContent();
            if (dots) {
                lines.finalDot();
            }
        }
    }

    @Override
    public boolean isLast() {
        return last;
    }

    @Override
    public ContentSource.InMemory piece() {
        return new ContentSource.InMemory(lines.bytes(), 0, lines.length());
    }

    /// The next piece reuses the buffer of this one.
    @Override
    public boolean stays() {
        return false;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
