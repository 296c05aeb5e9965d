package org.slipstream.spool.register;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.QueueName;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.spool.box.Place;

import java.util.List;
import java.util.Optional;

/// One thing to write into the register. A change of a message that is not there changes nothing.
public sealed interface Change {
    /// The message it concerns; empty when it is about more than one.
    default Optional<QueueId> message() {
        return switch (this) {
            case Enter change -> Optional.of(change.id());
            case Outcomes change -> Optional.of(change.id());
            case Noted change -> Optional.of(change.id());
            case Move change -> Optional.of(change.id());
            case NextAttempt change -> Optional.of(change.id());
            case Hold change -> Optional.of(change.id());
            case FailuresReported change -> Optional.of(change.id());
            case DelayReported change -> Optional.of(change.id());
            case SetAside change -> Optional.of(change.id());
            case Remove change -> Optional.of(change.id());
            case MakeDue change -> change.ids().size() == 1 ? Optional.of(change.ids().getFirst()) : Optional.empty();
            case Withdraw _,WithdrawRange _,AllSafe _,Claim _,KeepHost _,ForgetHost _ -> Optional.empty();
        };
    }

    /// A letter that lies in the box. It is due at once, so that after a crash it is found at once.
    ///
    /// @param seq 0 for a letter that the box has lost: it says nothing of how far the register has come
    /// @param envelopeBytes the envelope as the box has it
    record Enter(QueueId id, long seq, Place place, long sizeBytes, long createdMillis, Envelope envelope,
            byte[] envelopeBytes) implements Change {}

    /// Letters whose senders were told that they had not been taken: should rows of them exist, they go.
    record Withdraw(List<QueueId> ids) implements Change {}

    /// The same, found in the box at start-up.
    record WithdrawRange(long firstSeq, long lastSeq) implements Change {}

    /// Every letter entered so far is safe in the box, too; otherwise the next letters say so of those before them.
    record AllSafe() implements Change {}

    /// @param attempt counts as an attempt of the message
    record Outcomes(QueueId id, List<RecipientOutcome> outcomes, long atMillis, boolean attempt) implements Change {}

    /// What the box has noted of a recipient; where the register knows something already, that stays.
    record Noted(QueueId id, RecipientOutcome outcome, long atMillis) implements Change {}

    /// The letter lies somewhere else in the box now.
    record Move(QueueId id, long seq, Place from, Place to, long sizeBytes) implements Change {}

    record NextAttempt(QueueId id, long atMillis) implements Change {}

    record Hold(QueueId id, boolean held) implements Change {}

    record FailuresReported(QueueId id) implements Change {}

    record DelayReported(QueueId id) implements Change {}

    /// The message makes no sense: it stays, and is not touched any more.
    record SetAside(QueueId id) implements Change {}

    /// @param located where its letter lies, when that is known; it is not looked up then
    record Remove(QueueId id, Optional<Register.Located> located) implements Change {
        public Remove(QueueId id) {
            this(id, Optional.empty());
        }
    }

    /// Those of `ids` that would be due later are due now, but for what their senders want held.
    record MakeDue(List<QueueId> ids, long nowMillis) implements Change {
        public MakeDue {
            ids = List.copyOf(ids);
        }
    }

    /// In place of what was kept of this host and kind.
    record KeepHost(HostRecord host) implements Change {}

    record ForgetHost(String host, String kind) implements Change {}

    /// Finds what is due in one queue and moves it to `leaseUntilMillis`; answered in [Register.Written#claims]. Leased mail belongs to the
    /// deferred queue.
    ///
    /// @param furthestMillis what is deferred beyond this, though its sender did not ask for it, is due then
    record Claim(QueueName queue, long nowMillis, int limit, long leaseUntilMillis, long heldCreatedBeforeMillis,
            long furthestMillis) implements Change {}
}
