package org.slipstream.smtpout.wire;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.ContentSource;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/// A content in pieces, in the form of DATA (RFC 5321 section 4.5.2: dots stuffed, ended by a lone
/// dot) or of BDAT (RFC 3030 section 2).
///
/// With BDAT each piece is read before it is announced, because the announcement contains its
/// length. So content that cannot be read never leaves a peer waiting.
///
/// Content with recorded [ContentFacts] is not scanned. It is sent as stored ([StoredChunks]),
/// unless it has dots to stuff or lines to break.
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

    /// True when a line is longer than permitted.
    ///
    /// @throws IOException when the content could not be read
    boolean hasLongLine() throws IOException;

    /// Reads the next piece.
    ///
    /// @throws IOException when the content could not be read
    void read() throws IOException;

    /// True when the one that was read is the last.
    boolean isLast();

    /// The piece that was read, with the final dot if it is the last of DATA.
    ContentSource piece();

    /// True when the bytes of a piece stay valid after the next one is read.
    boolean stays();
}
