package org.slipstream.spool.work;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.NewMessage;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// A task for the log thread.
public sealed interface Task {
    /// A message, and the session that waits for it. It fails when it cannot be written; the client
    /// tries again.
    ///
    /// @param moved comes from another spool
    /// @param settled set by the first of two sides: the log thread that takes the message, or
    ///     [CommitTimeout] that ends the wait. Once the log thread has taken the message, it may be
    ///     in the log, and the session must wait.
    record Deposit(NewMessage message, boolean moved, CompletableFuture<Void> safe, AtomicBoolean settled,
            long sinceNanos) implements Task {
        Deposit(NewMessage message) {
            this(message, false, new CompletableFuture<>(), new AtomicBoolean(), System.nanoTime());
        }

        /// A message of another spool, which keeps it when this fails.
        static Deposit moved(NewMessage message) {
            return new Deposit(message, true, new CompletableFuture<>(), new AtomicBoolean(), System.nanoTime());
        }

        /// @return false when the other side was first
        boolean settle() {
            return settled.compareAndSet(false, true);
        }
    }

    /// A task that must not be lost: repeated until it succeeds.
    sealed interface Lasting extends Task {}

    /// Records of one message, or of many by an operator's order.
    record Changes(List<LogRecord> records, Runnable then) implements Lasting {}

    /// A task that the index thread makes from the result of a query.
    sealed interface FromIndex extends Lasting {}

    /// Due messages from the index, whose next attempt moves to `untilMillis` before the first one
    /// begins. After a crash in the middle of a delivery the message is then due later, and is not
    /// tried repeatedly at once. A message that changed since the query is left out.
    /// @param inTransit messages that may be in two spools; they are left out
    record Lease(List<MessageSummary> found, long untilMillis, Predicate<QueueId> inTransit,
            Consumer<List<MessageSummary>> then) implements FromIndex {}

    /// Messages that the cleaner appends once more. One that changed since the query is left out.
    record Carry(List<Carried> carried, Runnable then) implements FromIndex {}

    /// @param content empty when only the state is written again
    /// @param state of the subject, from the index
    record Carried(Object subject, Optional<NewMessage> content, List<LogRecord> state) {}
}
