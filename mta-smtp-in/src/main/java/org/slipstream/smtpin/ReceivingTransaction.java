package org.slipstream.smtpin;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.core.SenderTls;
import org.slipstream.smtpin.command.Command;
import org.slipstream.smtpin.command.MailParameters;
import org.slipstream.smtpin.policy.Policy;
import org.slipstream.smtpin.policy.Tag;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// One mail transaction from MAIL to the end of the message (RFC 5321 section 3.3), used by its
/// session's thread.
///
/// Its memory is taken from a [MemoryBudget] and released when it closes.
final class ReceivingTransaction implements AutoCloseable {
    /// The objects of a recipient, in the list and during the commit:
    /// [org.slipstream.core.Recipient] twice, the key that finds duplicates, a row.
    private static final int RECIPIENT_BYTES = 400;
    /// An address is held as text, as a key, and in the encoded envelope.
    private static final int COPIES = 3;

    private final Optional<Address> sender;
    private final MailParameters said;
    private final Instant begun;
    private final MemoryBudget.Share memory;
    private final List<Recipient> recipients = new ArrayList<>();
    private final List<Tag> tags = new ArrayList<>(0);
    private Optional<Tag> hold = Optional.empty();
    private final String data;

    /// @param begun the base of the times that the client names
    ReceivingTransaction(Command.Mail mail, Instant begun, MemoryBudget budget) {
        this(mail, begun, budget, "");
    }

    /// @param data of the submitter, kept with the message
    ReceivingTransaction(Command.Mail mail, Instant begun, MemoryBudget budget, String data) {
        this.data = data;
        this.memory = budget.share();
        this.sender = mail.sender();
        this.said = mail.parameters();
        this.begun = begun;
    }

    Optional<Address> sender() {
        return sender;
    }

    String data() {
        return data;
    }

    boolean isInternational() {
        return said.smtpUtf8();
    }

    boolean isBinary() {
        return said.body().equals(Optional.of(BodyType.BINARY_MIME));
    }

    /// @return false when the memory budget is spent
    boolean add(Command.Rcpt rcpt) {
        if (!memory.take(RECIPIENT_BYTES + (long) COPIES * rcpt.octets())) {
            return false;
        }
        recipients.add(new Recipient(recipients.size() + 1, rcpt.recipient(), rcpt.parameters().original(),
                rcpt.parameters().notifyOn()));
        return true;
    }

    /// Takes memory for other data of this message. @return false when the budget is spent
    boolean takeMemory(int bytes) {
        return memory.take(bytes);
    }

    @Override
    public void close() {
        memory.close();
    }

    void add(List<Tag> more) {
        tags.addAll(more);
    }

    void add(Policy.Verdict verdict) {
        tags.addAll(verdict.tags());
        hold = hold.or(verdict::hold);
    }

    int recipients() {
        return recipients.size();
    }

    Optional<Address> onlyRecipient() {
        return recipients.size() == 1 ? Optional.of(recipients.getFirst().address()) : Optional.empty();
    }

    /// The envelope of a message. Undeclared octets above 127 make its body 8BITMIME, so that the
    /// next hop learns of them.
    Envelope envelope(boolean eightBitSeen) {
        BodyType declared = said.body().orElse(BodyType.SEVEN_BIT);
        BodyType body = eightBitSeen && declared == BodyType.SEVEN_BIT ? BodyType.EIGHT_BIT_MIME : declared;
        return new Envelope(sender, body, said.smtpUtf8(), said.envelopeId(), said.returns(), recipients);
    }

    /// @param tlsOptional its header says so. REQUIRETLS is the stronger word (RFC 8689 section 4.1)
    EnvelopeExtras extras(Optional<String> user, boolean tlsOptional) {
        Optional<Instant> until = said.hold().map(wanted -> switch (wanted) {
            case MailParameters.Hold.For(long seconds) -> begun.plusSeconds(seconds);
            case MailParameters.Hold.Until(Instant time) -> time;
        });
        Optional<EnvelopeExtras.DeliverByRequest> deliverBy = said.deliverBy()
                .map(by -> new EnvelopeExtras.DeliverByRequest(begun.plusSeconds(by.seconds()), by.returned(),
                        by.traced()));
        // RFC 4954 section 5: an unauthenticated client's AUTH parameter is not trusted.
        Optional<String> originator = said.originator().map(who -> user.isPresent() ? who : "<>");
        SenderTls optional = tlsOptional ? SenderTls.OPTIONAL : SenderTls.USUAL;
        SenderTls tls = said.requireTls() ? SenderTls.REQUIRED : optional;
        return new EnvelopeExtras(until, deliverBy, said.priority(), tls, originator, user, tags, hold);
    }
}
