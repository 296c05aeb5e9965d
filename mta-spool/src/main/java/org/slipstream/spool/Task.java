package org.slipstream.spool;

import org.slipstream.core.MessageSummary;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.NewMessage;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// What waits for the log thread.
sealed interface Task {
    /// A message, and the session that waits for it. Refused when it cannot be written: its client tries again.
    ///
    /// @param settled set by the side that comes first: the log thread that takes it, or [CommitTimeout], for which it has waited too long.
    /// Once the log thread has it, no code can say any more that the message is not there.
    record Deposit(NewMessage message, CompletableFuture<Void> safe, AtomicBoolean settled,
            long sinceNanos) implements Task {
        Deposit(NewMessage message) {
            this(message, new CompletableFuture<>(), new AtomicBoolean(), System.nanoTime());
        }

        /// @return false when the other side was faster
        boolean settle() {
            return settled.compareAndSet(false, true);
        }
    }

    /// What must not be lost: written again and again until it succeeds.
    sealed interface Lasting extends Task {}

    /// Records of one message, or of many at an operator's word.
    record Changes(List<LogRecord> records, Runnable then) implements Lasting {}

    /// What the index thread makes of an answer of the index.
    sealed interface FromIndex extends Lasting {}

    /// Due messages that the index has found, whose next attempt moves to `untilMillis` before the first one begins. A crash in the
    /// middle of a delivery then leaves a message that is due later, not one that is tried again and again at once. A message of
    /// which something became known since the index looked is left out.
    record Lease(List<MessageSummary> found, long untilMillis,
            Consumer<List<MessageSummary>> then) implements FromIndex {}

    /// Messages that the cleaner appends once more. One of which something became known since the index looked is left out.
    record Carry(List<Carried> carried, Runnable then) implements FromIndex {}

    /// @param content empty when only the state is written again
    /// @param state what the index knows of the subject
    record Carried(Object subject, Optional<NewMessage> content, List<LogRecord> state) {}
}
