package org.slipstream.spool;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;

import java.io.IOException;
import java.util.Optional;

/// A letter while it is being written by one session thread. Either [#commit] or [#close] ends it; closing an uncommitted
/// draft leaves nothing behind.
///
/// Up to 128 KiB stay in memory and go into the shared segment; more streams into a file of its own, flushed by the
/// thread that writes the draft.
public interface Draft extends AutoCloseable {
    /// The name that the message will have; known from the start because the Received line carries it.
    QueueId id();

    void write(byte[] bytes, int offset, int length) throws IOException;

    /// Returns when the message is in the log and the log is synced: only now may 250 be said.
    ///
    /// @param facts about the whole content; kept with it
    /// @throws NoSpaceException when the disk is, or would become, full: 452 4.3.1
    /// @throws IOException any other local trouble: 451 4.3.0
    MessageSummary commit(Envelope envelope, Optional<ContentFacts> facts) throws IOException;

    /// The same for a content of which nothing is known.
    default MessageSummary commit(Envelope envelope) throws IOException {
        return commit(envelope, Optional.empty());
    }

    @Override
    void close();
}
