package org.slipstream.smtpout.dialog;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.smtpout.dialog.PeerExtensions.Extension;

import java.util.Optional;

/// What a peer's extensions make of MAIL and RCPT: the parameters it is sent, and what it is not even asked because the
/// answer is known.
///
/// Content with 8-bit bytes is sent to a peer without 8BITMIME as it is, like most MTAs do: every server in use passes
/// it, and a conversion would break signatures. The same goes for a header in UTF-8; only *addresses* that need
/// SMTPUTF8 fail when the peer lacks it (RFC 6531 section 3.2).
record MailParameters(PeerExtensions extensions) {
    /// The whole MAIL command, without its line end.
    String mail(Errand errand) {
        StringBuilder line = new StringBuilder("MAIL FROM:<")
                .append(errand.envelope().sender().map(Address::toString).orElse("")).append('>');
        if (extensions.offers(Extension.SIZE)) {
            line.append(" SIZE=").append(errand.sizeBytes());
        }
        if (extensions.offers(Extension.EIGHT_BIT_MIME) && errand.envelope().body() != BodyType.SEVEN_BIT) {
            line.append(" BODY=8BITMIME");
        }
        if (extensions.offers(Extension.SMTPUTF8) && wantsUtf8(errand)) {
            line.append(" SMTPUTF8");
        }
        return line.toString();
    }

    /// The whole RCPT command, without its line end.
    String recipient(Recipient recipient) {
        return "RCPT TO:<" + recipient.address() + ">";
    }

    /// Why the message is not offered at all. RFC 1870 section 6.1 (3): nor is one that is known to be too large.
    Optional<Reply> refusal(Errand errand) {
        if (extensions.sizeLimit().isPresent() && errand.sizeBytes() > extensions.sizeLimit().getAsLong()) {
            return Optional.of(Replies.tooLarge(errand.sizeBytes(), extensions.sizeLimit().getAsLong()));
        }
        return errand.envelope().sender().filter(this::cannotTake).map(_ -> Replies.needsUtf8());
    }

    /// Why the peer is not asked for this recipient.
    Optional<Reply> refusal(Recipient recipient) {
        return cannotTake(recipient.address()) ? Optional.of(Replies.needsUtf8()) : Optional.empty();
    }

    private boolean cannotTake(Address address) {
        return address.isInternational() && !extensions.offers(Extension.SMTPUTF8);
    }

    private static boolean wantsUtf8(Errand errand) {
        return errand.envelope().smtpUtf8() || errand.envelope().sender().map(Address::isInternational).orElse(false)
                || errand.recipients().stream().anyMatch(r -> r.address().isInternational());
    }
}
