package org.slipstream.smtpout.dialog;

import org.slipstream.core.Content;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Delivery;

import java.util.List;

/// A [Delivery] with the data of its transaction.
///
/// @param envelope sender and parameters; its own list of recipients is not used
/// @param content in a form that the peer supports
public record Transfer(Delivery delivery, Envelope envelope, Content content) {
    public Transfer {
        if (delivery.recipients().isEmpty()) {
            throw new IllegalArgumentException("a transaction needs a recipient");
        }
    }

    public long number() {
        return delivery.number();
    }

    public long sizeBytes() {
        return content.sizeBytes();
    }

    /// The same for some of the recipients, under another number.
    public Transfer portion(long number, List<Recipient> recipients) {
        return new Transfer(new Delivery(number, delivery.id(), delivery.route(), recipients, delivery.probe()),
                envelope,
                content);
    }

    /// The same with converted content.
    public Transfer with(Content converted) {
        return new Transfer(delivery, envelope, converted);
    }
}
