package org.slipstream.spool;

import org.slipstream.spool.box.NewLetter;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.Register;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// What waits for the writer.
sealed interface Task {
    /// A letter, and the session that waits for it. Refused when it cannot be written: its client tries again.
    ///
    /// @param settled set by whoever comes first: the writer that takes it, or [Patience], for which it has waited too long. Once it is the writer's nobody can say any more that the letter is not there.
    record Deposit(NewLetter letter, CompletableFuture<Void> safe, AtomicBoolean settled,
            long sinceNanos) implements Task {
        Deposit(NewLetter letter) {
            this(letter, new CompletableFuture<>(), new AtomicBoolean(), System.nanoTime());
        }

        /// @return false when the other side was faster
        boolean settle() {
            return settled.compareAndSet(false, true);
        }
    }

    /// What must not be lost: written again and again until it succeeds.
    sealed interface Lasting extends Task {
        List<Change> changes();
    }

    /// Changes of one message, or of many at an operator's word.
    record Alteration(List<Change> changes, Runnable then) implements Lasting {}

    record Claiming(Change.Claim claim, Consumer<Register.Claims> then) implements Lasting {
        @Override
        public List<Change> changes() {
            return List.of(claim);
        }

        /// The same claim after it has been answered by a transaction that may not survive: what it found is kept, and
        /// only the leases are written again. Asked again, it would not find what it has leased itself.
        Alteration answered(Register.Claims answer) {
            List<Change> leases = answer.messages().stream()
                    .<Change>map(message -> new Change.NextAttempt(message.id(), claim.leaseUntilMillis())).toList();
            return new Alteration(leases, () -> then.accept(answer));
        }
    }

    /// The last task.
    record Stop() implements Task {}
}
