package org.slipstream.core;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The envelope of a message: the parameters of the MAIL and RCPT commands. It has at least one
/// recipient, and recipient numbers have no gaps.
///
/// @param sender the reverse-path; empty for the null sender `<>`, which is never bounced (RFC 5321
/// section 4.5.5)
/// @param body the declared content type
/// @param smtpUtf8 true when the transaction was declared SMTPUTF8 (RFC 6531)
/// @param envelopeId ENVID, xtext decoded (RFC 3461 section 4.4)
/// @param returns RET
/// @param recipients numbered 1, 2, 3 …, at least one
/// @param options other MAIL parameters
/// @param origin the submitter
public record Envelope(Optional<Address> sender, BodyType body, boolean smtpUtf8, Optional<String> envelopeId,
        DsnReturn returns, List<Recipient> recipients, DeliveryOptions options, Origin origin) {
    public Envelope {
        Objects.requireNonNull(sender);
        Objects.requireNonNull(body);
        Objects.requireNonNull(envelopeId);
        Objects.requireNonNull(returns);
        Objects.requireNonNull(options);
        Objects.requireNonNull(origin);
        recipients = List.copyOf(recipients);
        if (recipients.isEmpty()) {
            throw new IllegalArgumentException("an envelope has a recipient");
        }
        for (int i = 0; i < recipients.size(); i++) {
            if (recipients.get(i).number() != i + 1) {
                throw new IllegalArgumentException("recipients are numbered 1, 2, 3 …: " + recipients);
            }
        }
    }

    /// An envelope without delivery options and of unknown origin.
    public Envelope(Optional<Address> sender, BodyType body, boolean smtpUtf8, Optional<String> envelopeId,
            DsnReturn returns, List<Recipient> recipients) {
        this(sender, body, smtpUtf8, envelopeId, returns, recipients, DeliveryOptions.NONE, Origin.UNKNOWN);
    }

    /// A copy with other recipients.
    public Envelope withRecipients(List<Recipient> others) {
        return new Envelope(sender, body, smtpUtf8, envelopeId, returns, others, options, origin);
    }

    public Envelope withSender(Optional<Address> other) {
        return new Envelope(other, body, smtpUtf8, envelopeId, returns, recipients, options, origin);
    }

    public Envelope withOptions(DeliveryOptions others) {
        return new Envelope(sender, body, smtpUtf8, envelopeId, returns, recipients, others, origin);
    }

    public Envelope withOrigin(Origin other) {
        return new Envelope(sender, body, smtpUtf8, envelopeId, returns, recipients, options, other);
    }

    public Envelope withPriority(int priority) {
        return withOptions(options.withPriority(priority));
    }

    /// True when a recipient has NOTIFY=SUCCESS (RFC 3461 section 4.1) and there is a sender to
    /// report to.
    public boolean asksForReceipt() {
        return sender.isPresent() && recipients.stream().anyMatch(Recipient::wantsReceipt);
    }

    /// An envelope without ESMTP parameters, as most mail has it.
    public static Envelope of(Optional<Address> sender, List<Address> recipients) {
        List<Recipient> numbered = new java.util.ArrayList<>(recipients.size());
        for (Address address : recipients) {
            numbered.add(new Recipient(numbered.size() + 1, address));
        }
        return new Envelope(sender, BodyType.EIGHT_BIT_MIME, false, Optional.empty(), DsnReturn.UNSPECIFIED, numbered);
    }
}
