package org.slipstream.smtpin;

import org.slipstream.core.SenderTls;
import org.slipstream.smtpin.policy.Tag;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// The MAIL parameters, and the wish of the header, that [org.slipstream.core.Envelope] does not hold. A
/// parameter occurs only on a service that offers the extension, and the [MessageHandler] of such a service
/// stores it.
///
/// @param holdUntil earliest time of delivery (RFC 4865)
/// @param deliverBy latest time of delivery (RFC 2852)
/// @param priority −9 to 9 (RFC 6710), a tie-break only
/// @param tls REQUIRETLS, or `TLS-Required: No` of the header (RFC 8689)
/// @param originator the first submitter as an authenticated client states it; `<>` when unknown
///     (RFC 4954 section 5)
/// @param user the authenticated user
/// @param tags of the policy checks
/// @param hold the reason of a check for which the message waits for an operator
public record EnvelopeExtras(Optional<Instant> holdUntil, Optional<DeliverByRequest> deliverBy, OptionalInt priority,
        SenderTls tls, Optional<String> originator, Optional<String> user, List<Tag> tags,
        Optional<Tag> hold) {
    public static final EnvelopeExtras NONE = new EnvelopeExtras(Optional.empty(), Optional.empty(),
            OptionalInt.empty(), SenderTls.USUAL, Optional.empty(), Optional.empty(), List.of(), Optional.empty());

    EnvelopeExtras with(SenderTls other) {
        return new EnvelopeExtras(holdUntil, deliverBy, priority, other, originator, user, tags, hold);
    }

    public EnvelopeExtras {
        tags = List.copyOf(tags);
    }

    /// @param deadline on this server's clock
    /// @param returned true: late mail is returned; false: its sender is notified and delivery
    ///     continues
    /// @param traced relaying is to be reported
    public record DeliverByRequest(Instant deadline, boolean returned, boolean traced) {}
}
