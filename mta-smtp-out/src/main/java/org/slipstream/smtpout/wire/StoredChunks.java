package org.slipstream.smtpout.wire;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/// The pieces of content that is sent as stored. No byte is read here: reception scanned all of
/// them and refused content with a bare CR or LF.
///
/// In the form of DATA the final dot is a piece of its own.
final class StoredChunks implements Chunks {
    /// An array is written whole.
    private static final int ARRAY_BYTES = 128 * 1024;
    /// The peer's replies are handled between two pieces of a file.
    private static final int FILE_BYTES = 1024 * 1024;
    private static final byte[] DOT = ".\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ContentSource source;
    private final ContentFacts facts;
    private final boolean dotted;
    private long at;
    private ContentSource piece = new ContentSource.InMemory(DOT, 0, 0);
    private boolean begun;
    private boolean last;

    /// @param dotted in the form of DATA
    StoredChunks(ContentSource source, ContentFacts facts, boolean dotted) {
        this.source = source;
        this.facts = facts;
        this.dotted = dotted;
    }

    /// True when content with these facts needs no change.
    static boolean canSend(ContentFacts facts, boolean bdat, LongLines longLines) {
        return (bdat || !facts.leadingDot()) && !(longLines == LongLines.BREAK && LongLines.areIn(facts));
    }

    @Override
    public boolean hasLongLine() {
        return LongLines.areIn(facts);
    }

    @Override
    public void read() {
        boolean dot = dotted && begun && at == source.sizeBytes();
        piece = dot ? new ContentSource.InMemory(DOT, 0, DOT.length) : next();
        begun = true;
        last = dot || !dotted && at == source.sizeBytes();
    }

    private ContentSource next() {
        long from = at;
        return switch (source) {
            case ContentSource.InMemory(byte[] bytes, int offset, int length) -> {
                at = Math.min(length, from + ARRAY_BYTES);
                yield new ContentSource.InMemory(bytes, offset + (int) from, (int) (at - from));
            }
            case ContentSource.InFile(var file, long offset, long length) -> {
                at = Math.min(length, from + FILE_BYTES);
                yield new ContentSource.InFile(file, offset + from, at - from);
            }
        };
    }

    @Override
    public boolean isLast() {
        return last;
    }

    @Override
    public ContentSource piece() {
        return piece;
    }

    @Override
    public boolean stays() {
        return true;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
