package org.slipstream.smtpin;

import org.slipstream.smtpin.policy.Tag;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/// What a client asked for at MAIL that an [org.slipstream.core.Envelope] has no place for. Each of it comes only on a service that offers
/// the extension, and a house that offers it keeps it.
///
/// @param holdUntil not to be sent on before (RFC 4865)
/// @param deliverBy when it has to be delivered (RFC 2852)
/// @param priority −9 to 9 (RFC 6710), a tie-break only
/// @param requireTls to be sent on over authenticated TLS to servers that promise the same, or returned (RFC 8689)
/// @param originator who first submitted it, as an authenticated client says; `<>` when unknown (RFC 4954 section 5)
/// @param user who has logged in
/// @param tags what the policy suspects
public record EnvelopeExtras(Optional<Instant> holdUntil, Optional<DeliverBy> deliverBy, OptionalInt priority,
        boolean requireTls, Optional<String> originator, Optional<String> user, List<Tag> tags) {
    public static final EnvelopeExtras NONE = new EnvelopeExtras(Optional.empty(), Optional.empty(),
            OptionalInt.empty(), false, Optional.empty(), Optional.empty(), List.of());

    public EnvelopeExtras {
        tags = List.copyOf(tags);
    }

    /// @param deadline in our time
    /// @param returned what is late is returned; otherwise its sender is told and delivery goes on
    /// @param traced relaying is to be reported
    public record DeliverBy(Instant deadline, boolean returned, boolean traced) {}
}
