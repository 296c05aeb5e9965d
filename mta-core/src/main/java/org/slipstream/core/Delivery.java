package org.slipstream.core;

import java.util.List;
import java.util.Objects;

/// One transaction to make: a message for some of its recipients. The one record that goes from the queue manager to whatever
/// delivers; a [DeliveryResult] comes back.
///
/// @param number under which the result comes back; never used twice
/// @param route to the one host that was chosen, under the name by which this message asked for it
/// @param probe asks whether the recipients would be taken, and ends before the content
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
