package org.slipstream.smtpout.dialog;

import org.slipstream.core.RecipientOutcome;
import org.slipstream.core.Reply;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The effects of a reply, or of the end of the connection, on the transactions of a [Pipeline]. Transactions are named by the
/// number of their delivery.
///
/// @param outcomes of each transaction that is over and about which the peer has decided something: one for each recipient, in the
/// order of the recipients. Transactions stand in the order in which they were begun
/// @param unanswered transactions that are over, and the peer has decided about none of their recipients
/// @param end present when nothing more can be written on this connection; then no transaction is left
public record ReplyEffects(Map<Long, List<RecipientOutcome>> outcomes, List<Long> unanswered, Optional<End> end) {
    static final ReplyEffects NONE = new ReplyEffects(Map.of(), List.of(), Optional.empty());

    /// @param reason 4xx, for recipients without a reply
    /// @param breach a mistake that no peer makes which masters pipelining; pipelining should not be tried on it again
    public record End(Reply reason, Optional<String> breach) {}

    /// True when a transaction is over.
    public boolean anyOver() {
        return !outcomes.isEmpty() || !unanswered.isEmpty();
    }
}
