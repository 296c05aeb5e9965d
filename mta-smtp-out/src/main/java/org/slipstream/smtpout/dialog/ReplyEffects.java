package org.slipstream.smtpout.dialog;

import org.slipstream.core.Reply;
import org.slipstream.core.queue.RecipientOutcome;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The effects of a reply, or of the end of the connection, on the transactions of a [Pipeline]. A
/// transaction is identified by the number of its delivery.
///
/// @param outcomes of each finished transaction with at least one decision by the peer: one outcome
///     for each recipient, in the order of the recipients. Transactions stand in the order in which
///     they began
/// @param unanswered finished transactions without any decision by the peer
/// @param end present when the connection can no longer be used; then no transaction is left
public record ReplyEffects(Map<Long, List<RecipientOutcome>> outcomes, List<Long> unanswered, Optional<End> end) {
    static final ReplyEffects NONE = new ReplyEffects(Map.of(), List.of(), Optional.empty());

    /// @param reason 4xx, for recipients without a reply
    /// @param breach an error that a peer with working pipelining never makes; pipelining should
    ///     not be used with it again
    public record End(Reply reason, Optional<String> breach) {}

    /// True when a transaction is over.
    public boolean anyOver() {
        return !outcomes.isEmpty() || !unanswered.isEmpty();
    }
}
