package org.slipstream.smtpout.dialog;

import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;

import java.util.List;

/// What a transaction is to achieve, without the content.
///
/// @param envelope sender and parameters; its own recipient list is not used
/// @param recipients at least one
/// @param sizeBytes of the content
/// @param nowMillis for what is left of the time that the sender gave (DELIVERBY)
public record Errand(Envelope envelope, List<Recipient> recipients, long sizeBytes, long nowMillis) {
    public Errand {
        recipients = List.copyOf(recipients);
        if (recipients.isEmpty()) {
            throw new IllegalArgumentException("a transaction has a recipient");
        }
    }
}
