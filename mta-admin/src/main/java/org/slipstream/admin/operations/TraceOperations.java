package org.slipstream.admin.operations;

import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageTrace.TraceResult;

import java.io.IOException;
import java.util.Optional;

/// The stories of single messages, also of those that have left the queue, and their contents. Called
/// on HTTP threads; it changes nothing.
public interface TraceOperations {
    /// @param wanted a queue id, a Message-ID, an address, or `@domain`
    /// @param limit of messages; the latest are found
    TraceResult trace(String wanted, int limit) throws IOException;

    /// The content of a message in the queue; empty when there is no such message.
    Optional<Content> content(QueueId id) throws IOException;
}
