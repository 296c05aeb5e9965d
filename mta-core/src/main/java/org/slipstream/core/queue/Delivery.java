package org.slipstream.core.queue;

import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Route;

import java.util.List;
import java.util.Objects;

/// A delivery: one SMTP, LMTP or mailbox transaction for some recipients of a message. It is the
/// only record that goes from the queue manager to a delivery client; a [DeliveryResult] comes
/// back.
///
/// @param number the number that the result carries; never used twice
/// @param route to the one selected host, under the name that this message's route has for it
/// @param probe asks whether the recipients would be accepted, and ends before DATA
public record Delivery(long number, QueueId id, Route route, List<Recipient> recipients, boolean probe) {
    public Delivery(long number, QueueId id, Route route, List<Recipient> recipients) {
        this(number, id, route, recipients, false);
    }

    public Delivery {
        Objects.requireNonNull(id);
        Objects.requireNonNull(route);
        recipients = List.copyOf(recipients);
    }

    /// The same outcome for all recipients.
    public List<RecipientOutcome> all(Outcome outcome) {
        return recipients.stream().map(recipient -> new RecipientOutcome(recipient.number(), outcome)).toList();
    }
}
