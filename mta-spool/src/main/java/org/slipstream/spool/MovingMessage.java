package org.slipstream.spool;

import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.spool.log.NewMessage;

/// A message with all its state, on its way from one spool into another. It keeps its queue id, its
/// age, and everything that the queue index has of it.
///
/// @param summary as in the spool that it leaves
/// @param nextAttemptMillis when it is due
/// @param stored its record; large content has a file of its own in the spool that it leaves
/// @param content where the content is read
public record MovingMessage(MessageSummary summary, long nextAttemptMillis, NewMessage stored, Content content) {
    public QueueId id() {
        return summary.id();
    }
}
