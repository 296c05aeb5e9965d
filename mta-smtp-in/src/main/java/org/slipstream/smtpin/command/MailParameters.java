package org.slipstream.smtpin.command;

import org.slipstream.core.BodyType;
import org.slipstream.core.DsnReturn;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/// The parameters of MAIL.
///
/// @param declaredBytes SIZE or 0; larger than any limit when it does not fit a `long`
/// @param body BODY; empty when not declared
/// @param smtpUtf8 SMTPUTF8 (RFC 6531 section 3.4)
/// @param returns RET
/// @param envelopeId ENVID, decoded
/// @param requireTls REQUIRETLS
/// @param hold HOLDFOR or HOLDUNTIL
/// @param deliverBy BY
/// @param priority MT-PRIORITY, −9 to 9
/// @param originator AUTH, decoded: the first submitter of the message; `<>` when unknown (RFC 4954
///     section 5)
/// @param used the extension of each keyword that was given
public record MailParameters(long declaredBytes, Optional<BodyType> body, boolean smtpUtf8, DsnReturn returns,
        Optional<String> envelopeId, boolean requireTls, Optional<Hold> hold, Optional<DeliverByParameter> deliverBy,
        OptionalInt priority, Optional<String> originator, Map<String, Extension> used) {
    public static final MailParameters NONE = new MailParameters(0, Optional.empty(), false, DsnReturn.UNSPECIFIED,
            Optional.empty(), false, Optional.empty(), Optional.empty(), OptionalInt.empty(), Optional.empty(),
            Map.of());

    public MailParameters {
        used = Map.copyOf(used);
    }

    /// The earliest time of delivery (RFC 4865 section 4).
    public sealed interface Hold {
        record For(long seconds) implements Hold {}

        record Until(Instant time) implements Hold {}
    }

    /// The latest time of delivery (RFC 2852 section 4).
    ///
    /// @param seconds from now; negative when the time has expired on another host
    /// @param returned mode R: late mail is returned; otherwise its sender is notified and delivery
    ///     continues
    /// @param traced each relay is to be reported
    public record DeliverByParameter(long seconds, boolean returned, boolean traced) {}
}
