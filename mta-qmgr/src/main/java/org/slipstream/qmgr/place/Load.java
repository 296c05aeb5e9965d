package org.slipstream.qmgr.place;

import org.slipstream.core.Outcome;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;

import java.util.List;
import java.util.Objects;

/// What one transaction carries: some recipients of one message. Finch's *job*, the queue manager's entry.
///
/// @param delivery the number under which it comes back
public record Load(long delivery, Payer payer, Candidates where, List<Recipient> recipients) {
    public Load {
        Objects.requireNonNull(payer);
        Objects.requireNonNull(where);
        recipients = List.copyOf(recipients);
    }

    String destination() {
        return where.destination();
    }

    List<RecipientOutcome> all(Outcome outcome) {
        return recipients.stream().map(recipient -> new RecipientOutcome(recipient.number(), outcome)).toList();
    }
}
