package org.slipstream.spool;

import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.spool.log.LogRecord;

import java.io.IOException;
import java.util.Optional;

/// The part of the spool that reports about mail need: messages, and marks on reported ones. The
/// rules of [Spool] for threads and for `then` apply.
public interface ReportableMessages {
    /// One message with the state of each recipient.
    Optional<MessageDetails> details(QueueId id) throws IOException;

    /// The content, from memory while it is recent, otherwise from disk. Opening or reading damaged
    /// content (checksum) throws an IOException.
    Content content(QueueId id) throws IOException;

    /// Begins a report about a message of this spool. It goes into the same log, and the change of that message into
    /// the same record: after a crash both are there, or none. So no message has two reports of one event.
    ///
    /// @param change by which the message counts as reported
    Draft draftAbout(LogRecord.OfMessage change) throws IOException;

    /// Marks all failed recipients as reported.
    void failuresReported(QueueId id, Runnable then);

    /// @param count of the delay times that reports cover now
    void delayReported(QueueId id, int count, Runnable then);
}
