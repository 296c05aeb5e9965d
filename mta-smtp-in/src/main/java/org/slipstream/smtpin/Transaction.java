package org.slipstream.smtpin;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One mail transaction from MAIL to the end of DATA (RFC 5321 section 3.3). Belongs to its session's thread.
final class Transaction {
    private final Optional<Address> sender;
    private final Optional<BodyType> declared;
    private final List<Recipient> recipients = new ArrayList<>();

    Transaction(Optional<Address> sender, Optional<BodyType> declared) {
        this.sender = sender;
        this.declared = declared;
    }

    Optional<Address> sender() {
        return sender;
    }

    void add(Address recipient) {
        recipients.add(new Recipient(recipients.size() + 1, recipient));
    }

    int recipients() {
        return recipients.size();
    }

    Optional<Address> onlyRecipient() {
        return recipients.size() == 1 ? Optional.of(recipients.getFirst().address()) : Optional.empty();
    }

    /// A client that sends octets above 127 without having declared them has sent 8-bit content all the same, and the next
    /// hop should hear of it.
    Envelope envelope(boolean eightBitSeen) {
        BodyType body = eightBitSeen ? BodyType.EIGHT_BIT_MIME : declared.orElse(BodyType.SEVEN_BIT);
        return new Envelope(sender, body, false, Optional.empty(), DsnReturn.UNSPECIFIED, recipients);
    }
}
