package org.slipstream.core;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/// What a sender asked of a message besides being delivered, in the words of MAIL. Kept with the letter from the commit to the last
/// recipient; most mail has [#NONE].
///
/// @param holdUntilMillis not to be sent on before (FUTURERELEASE, RFC 4865)
/// @param deliverBy by when (DELIVERBY, RFC 2852)
/// @param priority −9 to 9, a tie-break only; 0 when nothing was said (MT-PRIORITY, RFC 6710 section 5)
/// @param requireTls to go on over authenticated TLS to hosts that promise the same, or back (REQUIRETLS, RFC 8689)
public record DeliveryOptions(OptionalLong holdUntilMillis, Optional<DeliverBy> deliverBy, int priority,
        boolean requireTls) {
    public static final DeliveryOptions NONE = new DeliveryOptions(OptionalLong.empty(), Optional.empty(), 0, false);

    public DeliveryOptions {
        Objects.requireNonNull(holdUntilMillis);
        Objects.requireNonNull(deliverBy);
        if (priority < -9 || priority > 9) {
            throw new IllegalArgumentException("a priority is between -9 and 9: " + priority);
        }
    }

    /// @param deadlineMillis in our time
    /// @param returned mode R: what is late goes back; otherwise its sender is told and delivery goes on
    /// @param traced the sender wants to hear of each relaying
    public record DeliverBy(long deadlineMillis, boolean returned, boolean traced) {}

    /// When its time begins, for a message that was taken in at `createdMillis`.
    public long releaseMillis(long createdMillis) {
        return Math.max(createdMillis, holdUntilMillis.orElse(createdMillis));
    }

    /// True when it is of no use to anybody any more (RFC 2852 section 4, mode R).
    public boolean isTooLate(long nowMillis) {
        return deliverBy.filter(by -> by.returned() && nowMillis >= by.deadlineMillis()).isPresent();
    }

    /// True when the sender wants to hear that it is late, and no more (mode N).
    public boolean isLate(long nowMillis) {
        return deliverBy.filter(by -> !by.returned() && nowMillis >= by.deadlineMillis()).isPresent();
    }
}
