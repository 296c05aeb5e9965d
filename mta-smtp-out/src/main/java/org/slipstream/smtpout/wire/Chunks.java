package org.slipstream.smtpout.wire;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/// A content in pieces, in the form of DATA (RFC 5321 section 4.5.2: a line that begins with a dot gets a second one, and a dot on a
/// line of its own ends it all) or of BDAT (RFC 3030 section 2).
///
/// With BDAT each piece is read before it is announced, because the announcement tells its length, so a content that cannot be
/// read never leaves a peer waiting.
///
/// A content of which intake has kept [ContentFacts] is not looked at at all. It goes out from where it lies ([StoredChunks]), unless
/// it has dots to be doubled or lines to be broken.
public sealed interface Chunks extends Closeable permits CleanedChunks, StoredChunks {
    /// @throws IOException when the content cannot be opened
    static Chunks of(Content content, boolean bdat, LongLines longLines) throws IOException {
        Optional<ContentFacts> facts = content.facts();
        Optional<ContentSource> source = facts.filter(known -> StoredChunks.canSend(known, bdat, longLines)).isPresent()
                ? content.source()
                : Optional.empty();
        return source.isPresent()
                ? new StoredChunks(source.get(), facts.orElseThrow(), !bdat)
                : new CleanedChunks(content, facts, !bdat, longLines);
    }

    /// True when a line is longer than may be sent.
    ///
    /// @throws IOException when the content could not be read
    boolean hasLongLine() throws IOException;

    /// Reads the next piece.
    ///
    /// @throws IOException when the content could not be read
    void read() throws IOException;

    /// True when the one that was read is the last.
    boolean isLast();

    /// The one that was read, with the final dot if it is the last of DATA.
    ContentSource piece();

    /// True when the bytes of a piece are still there after the next one was read.
    boolean stays();
}
