package org.slipstream.smtpout.dialog;

import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.text.Xtext;
import org.slipstream.smtpout.dialog.PeerExtensions.PeerExtension;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The MAIL and RCPT commands for a peer's extensions: the parameters that are sent, and the
/// refusals that need no question to the peer.
///
/// | Parameter | Extension | Condition |
/// |---|---|---|
/// | `SIZE` | SIZE | always; an estimate is enough (RFC 1870 section 6.1) |
/// | `BODY=8BITMIME` | 8BITMIME | the content was not declared 7-bit (RFC 6152) |
/// | `SMTPUTF8` | SMTPUTF8 | given by the sender, or an address needs it (RFC 6531 section 3.4) |
/// | `BY` | DELIVERBY | given by the sender; with the remaining seconds (RFC 2852 section 4) |
/// | `MT-PRIORITY` | MT-PRIORITY | not 0 (RFC 6710) |
/// | `REQUIRETLS` | REQUIRETLS | given by the sender (RFC 8689); without the extension the message is not sent |
/// | `RET`, `ENVID`, `NOTIFY`, `ORCPT` | DSN | given by the sender (RFC 3461 section 5.2.1) |
///
/// A parameter that the sender did not give is left out, so that the next host's defaults apply.
/// Addresses that need SMTPUTF8 fail when the peer lacks it (RFC 6531 section 3.2).
record PeerMailParameters(PeerExtensions extensions) {
    /// The MAIL command without its line end.
    String mail(Transfer transfer, long nowMillis) {
        StringBuilder line = new StringBuilder("MAIL FROM:<")
                .append(transfer.envelope().sender().map(Address::toString).orElse("")).append('>');
        if (extensions.offers(PeerExtension.SIZE)) {
            line.append(" SIZE=").append(transfer.sizeBytes());
        }
        if (extensions.offers(PeerExtension.EIGHT_BIT_MIME) && transfer.envelope().body() != BodyType.SEVEN_BIT) {
            line.append(" BODY=8BITMIME");
        }
        if (extensions.offers(PeerExtension.SMTPUTF8) && wantsUtf8(transfer)) {
            line.append(" SMTPUTF8");
        }
        if (extensions.offers(PeerExtension.DSN)) {
            appendReturn(line, transfer.envelope());
        }
        appendOptions(line, transfer, nowMillis);
        return line.toString();
    }

    /// The RCPT command without its line end.
    String recipient(Recipient recipient) {
        StringBuilder line = new StringBuilder("RCPT TO:<").append(recipient.address()).append('>');
        if (extensions.offers(PeerExtension.DSN)) {
            if (!recipient.notifyOn().isEmpty()) {
                line.append(" NOTIFY=").append(notify(recipient));
            }
            recipient.original().flatMap(OriginalRecipient::value)
                    .ifPresent(original -> line.append(" ORCPT=").append(original));
        }
        return line.toString();
    }

    private static void appendReturn(StringBuilder line, Envelope envelope) {
        if (envelope.returns() != DsnReturn.UNSPECIFIED) {
            line.append(" RET=").append(envelope.returns() == DsnReturn.FULL ? "FULL" : "HDRS");
        }
        envelope.envelopeId().ifPresent(id -> line.append(" ENVID=").append(Xtext.encode(id)));
    }

    private void appendOptions(StringBuilder line, Transfer transfer, long nowMillis) {
        DeliveryOptions options = transfer.envelope().options();
        if (extensions.offers(PeerExtension.DELIVER_BY)) {
            options.deliverBy().ifPresent(by -> line.append(" BY=").append(secondsLeft(by, nowMillis))
                    .append(by.returned() ? ";R" : ";N").append(by.traced() ? "T" : ""));
        }
        if (extensions.offers(PeerExtension.MT_PRIORITY) && options.priority() != 0) {
            line.append(" MT-PRIORITY=").append(options.priority());
        }
        if (extensions.offers(PeerExtension.REQUIRETLS) && options.requireTls()) {
            line.append(" REQUIRETLS");
        }
    }

    // Nine digits at most; a negative number tells how late the message is (RFC 2852 section 4).
    private static long secondsLeft(DeliveryOptions.DeliverBy by, long nowMillis) {
        return Math.clamp(Math.floorDiv(by.deadlineMillis() - nowMillis, 1_000L), -999_999_999L, 999_999_999L);
    }

    // In the order of the enum, so that equal recipients get equal lines.
    private static String notify(Recipient recipient) {
        return Stream.of(DsnNotify.values()).filter(recipient.notifyOn()::contains).map(DsnNotify::name)
                .collect(Collectors.joining(","));
    }

    /// The reason not to send the message. RFC 1870 section 6.1 (3): a message known to be too
    /// large is not sent either.
    Optional<Reply> refusal(Transfer transfer, long nowMillis) {
        if (extensions.sizeLimit().isPresent() && transfer.sizeBytes() > extensions.sizeLimit().getAsLong()) {
            return Optional.of(Replies.tooLarge(transfer.sizeBytes(), extensions.sizeLimit().getAsLong()));
        }
        // BY=0;R is not valid syntax, and the next host would have to return the message anyway.
        if (transfer.envelope().options().deliverBy()
                .filter(by -> by.returned() && secondsLeft(by, nowMillis) <= 0).isPresent()) {
            return Optional.of(DeliveryOptions.tooLate(""));
        }
        return transfer.envelope().sender().filter(this::cannotTake).map(_ -> Replies.needsUtf8());
    }

    /// The reason not to send this recipient.
    Optional<Reply> refusal(Recipient recipient) {
        return cannotTake(recipient.address()) ? Optional.of(Replies.needsUtf8()) : Optional.empty();
    }

    private boolean cannotTake(Address address) {
        return address.isInternational() && !extensions.offers(PeerExtension.SMTPUTF8);
    }

    private static boolean wantsUtf8(Transfer transfer) {
        return transfer.envelope().smtpUtf8()
                || transfer.envelope().sender().map(Address::isInternational).orElse(false)
                || transfer.delivery().recipients().stream().anyMatch(r -> r.address().isInternational());
    }
}
