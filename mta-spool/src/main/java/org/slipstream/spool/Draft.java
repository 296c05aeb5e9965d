package org.slipstream.spool;

import org.slipstream.core.Content;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.MessageSummary;

import java.io.IOException;
import java.util.Optional;

/// A message while one session thread writes it. [#commit] or [#close] ends it; closing an
/// uncommitted draft leaves nothing behind.
///
/// Content up to 128 KiB stays in memory and goes into the shared segment. Larger content is
/// streamed into a file of its own, which the writing thread syncs.
public interface Draft extends AutoCloseable {
    /// The queue id of the message, known from the start because the Received line contains it.
    QueueId id();

    void write(byte[] bytes, int offset, int length) throws IOException;

    /// Everything that was written, readable until the draft ends.
    Content content();

    /// Replaces the first bytes of the content. The rest of a large content moves within its file, so
    /// this costs time, not memory.
    void replaceStart(int bytes, byte[] start) throws IOException;

    /// Returns when the message is in the log and the log is synced; only then may the server reply
    /// 250.
    ///
    /// @param facts about the whole content; stored with it
    /// @param hold present: the message is on hold from its beginning
    /// @throws NoSpaceException when the disk is, or would become, full: 452 4.3.1
    /// @throws IOException any other local failure: 451 4.3.0
    MessageSummary commit(Envelope envelope, Optional<ContentFacts> facts, Optional<Instruction.HoldNote> hold)
            throws IOException;

    default MessageSummary commit(Envelope envelope, Optional<ContentFacts> facts) throws IOException {
        return commit(envelope, facts, Optional.empty());
    }

    /// Commits a content without known facts.
    default MessageSummary commit(Envelope envelope) throws IOException {
        return commit(envelope, Optional.empty());
    }

    @Override
    void close();
}
