package org.slipstream.spool.work;

import org.slipstream.core.QueueId;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.Position;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/// How the index is made from the log: before the spool is used, or beside its use.
public interface IndexMaking {
    /// The position up to which the records are applied.
    Position end();

    /// The index has been found to reach this position once, so the log did.
    void reached(Position position) throws IOException;

    /// Writes records about lost messages. Returns when they are durable.
    void write(List<LogRecord> records) throws IOException;

    /// True when the message has not been finished in the meantime.
    boolean isQueued(QueueId id);

    LeftFiles leftFiles();

    /// Called between two transactions.
    ///
    /// @param entered messages so far
    /// @throws IOException when the spool is closed
    void step(long entered) throws IOException;

    /// While nothing else uses the log.
    static IndexMaking alone(MessageLog messageLog) throws IOException {
        LeftFiles files = new LeftFiles(messageLog.ownFiles());
        return new IndexMaking() {
            @Override
            public Position end() {
                return messageLog.end();
            }

            @Override
            public void reached(Position position) throws IOException {
                messageLog.startAfter(position);
            }

            @Override
            public void write(List<LogRecord> records) throws IOException {
                messageLog.append(records);
                messageLog.sync();
            }

            @Override
            public boolean isQueued(QueueId id) {
                return true;
            }

            @Override
            public LeftFiles leftFiles() {
                return files;
            }

            @Override
            public void step(long entered) {
                // No client waits for the processor yet.
            }
        };
    }
}
