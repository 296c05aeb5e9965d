package org.slipstream.smtpin.command;

import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// What MAIL said besides the sender.
///
/// @param declaredBytes SIZE or 0; larger than any limit when it does not fit a `long`
/// @param body BODY; empty when nothing was declared
/// @param smtpUtf8 SMTPUTF8 (RFC 6531 section 3.4)
/// @param returns RET
/// @param envelopeId ENVID, decoded
/// @param requireTls REQUIRETLS
/// @param hold HOLDFOR or HOLDUNTIL
/// @param deliverBy BY
/// @param priority MT-PRIORITY, −9 to 9
/// @param originator AUTH, decoded: who first submitted the message; `<>` when nobody knows (RFC 4954 section 5)
/// @param used by keyword, the extensions that these belong to
public record MailParameters(long declaredBytes, Optional<BodyType> body, boolean smtpUtf8, DsnReturn returns,
        Optional<String> envelopeId, boolean requireTls, Optional<Hold> hold, Optional<DeliverBy> deliverBy,
        OptionalInt priority, Optional<String> originator, Map<String, Extension> used) {
    public static final MailParameters NONE = new MailParameters(0, Optional.empty(), false, DsnReturn.UNSPECIFIED,
            Optional.empty(), false, Optional.empty(), Optional.empty(), OptionalInt.empty(), Optional.empty(),
            Map.of());

    public MailParameters {
        used = Map.copyOf(used);
    }

    /// When the message may be sent on (RFC 4865 section 4).
    public sealed interface Hold {
        record For(long seconds) implements Hold {}

        record Until(Instant time) implements Hold {}
    }

    /// By when it must have been delivered (RFC 2852 section 4).
    ///
    /// @param seconds from now; negative when the time was over already on another host
    /// @param returned mode R: what is late is returned; otherwise its sender is told and delivery goes on
    /// @param traced each relaying is to be reported
    public record DeliverBy(long seconds, boolean returned, boolean traced) {}
}
