package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// An operator's order to make a whole queue due, executed in portions of a few hundred messages.
///
/// As one statement it blocked the index for as long as the queue was (300,000 messages: a minute,
/// in which every client got a 451), and the database kept the whole transaction in memory. Now a
/// reader finds the next portion, the log thread writes it with its next group, and only then the
/// next portion is searched. A new message waits for one portion at most.
///
/// Messages are taken in order of id, each once, so the order ends even while mail arrives and
/// leaves. A stop in the middle leaves the rest unchanged; the operator repeats the order.
final class MakingDue {
    private static final long AGAIN_MILLIS = 1_000;
    private static final Logger log = LoggerFactory.getLogger(MakingDue.class);

    private final Indexer indexer;
    private final ReaderThreads readers;
    private final LogWriter writer;
    private final long nowMillis;
    private final Runnable then;

    /// @param then runs on the log thread after each portion, at least once
    MakingDue(Indexer indexer, ReaderThreads readers, LogWriter writer, long nowMillis, Runnable then) {
        this.indexer = indexer;
        this.readers = readers;
        this.writer = writer;
        this.nowMillis = nowMillis;
        this.then = then;
    }

    /// Finds the next messages of the order.
    @FunctionalInterface
    interface WakePortions {
        QueueIndex.Found after(Optional<QueueId> last) throws IOException;
    }

    void begin(WakePortions portions) {
        readers.execute(() -> portion(portions, Optional.empty()));
    }

    private void portion(WakePortions portions, Optional<QueueId> after) {
        try {
            indexer.bringUp();
            QueueIndex.Found found = portions.after(after);
            List<LogRecord> changes = found.ids().stream()
                    .<LogRecord>map(id -> new LogRecord.MakeDue(id, nowMillis)).toList();
            writer.add(new Task.Changes(changes, () -> {
                then.run();
                found.next().ifPresent(last -> readers.execute(() -> portion(portions, Optional.of(last))));
            }));
        } catch (IOException e) {
            log.warn("event=flush-failed error=\"{}\"", e.toString());
            readers.executeAfter(AGAIN_MILLIS, TimeUnit.MILLISECONDS, () -> portion(portions, after));
        }
    }
}
