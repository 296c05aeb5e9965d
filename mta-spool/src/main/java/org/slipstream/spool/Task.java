package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.spool.box.NewLetter;
import org.slipstream.spool.register.Change;
import org.slipstream.spool.register.Register;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// What waits for the writer.
sealed interface Task {
    Logger LOG = LoggerFactory.getLogger(Task.class);

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

        /// The messages it is about, as far as it names them.
        default Set<QueueId> ids() {
            Set<QueueId> ids = new HashSet<>();
            changes().forEach(change -> change.message().ifPresent(ids::add));
            return ids;
        }

        /// The same for the time after a transaction that failed, which may have been executed after all: where a letter lay is
        /// asked anew.
        default Lasting cautious() {
            return switch (this) {
                case Alteration(List<Change> changes, Runnable then) -> new Alteration(changes.stream()
                        .<Change>map(change -> change instanceof Change.Remove remove
                                ? new Change.Remove(remove.id())
                                : change)
                        .toList(), then);
                case Claiming claiming -> claiming;
            };
        }

        /// Tells whoever waits for it.
        default void answer() {
            try {
                switch (this) {
                    case Alteration alteration -> alteration.then().run();
                    case Claiming _ -> throw new IllegalStateException("a claim without an answer");
                }
            } catch (Throwable e) {
                LOG.error("event=callback-failed", e);
            }
        }

        /// @param claims what the claims among them have found, in order
        static List<Lasting> answered(List<Lasting> tasks, List<Register.Claims> claims) {
            List<Lasting> answered = new ArrayList<>(tasks.size());
            int next = 0;
            for (Lasting task : tasks) {
                answered.add(task instanceof Claiming claiming ? claiming.answered(claims.get(next++)) : task);
            }
            return answered;
        }
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
}
