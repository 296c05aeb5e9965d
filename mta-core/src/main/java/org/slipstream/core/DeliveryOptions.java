package org.slipstream.core;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/// Options that a sender requested with MAIL parameters or in the header. They are stored with the message until its
/// last recipient is finished; most mail has [#NONE].
///
/// @param holdUntilMillis no delivery before this time (FUTURERELEASE, RFC 4865)
/// @param deliverBy the deadline (DELIVERBY, RFC 2852)
/// @param priority −9 to 9, a tie-break only; 0 is the default (MT-PRIORITY, RFC 6710 section 5)
/// @param tls the sender's word about TLS (RFC 8689)
public record DeliveryOptions(OptionalLong holdUntilMillis, Optional<DeliverBy> deliverBy, int priority,
        SenderTls tls) {
    public static final DeliveryOptions NONE = new DeliveryOptions(OptionalLong.empty(), Optional.empty(), 0,
            SenderTls.USUAL);
    public static final int LOWEST_PRIORITY = -9;
    public static final int HIGHEST_PRIORITY = 9;

    public DeliveryOptions {
        Objects.requireNonNull(holdUntilMillis);
        Objects.requireNonNull(deliverBy);
        Objects.requireNonNull(tls);
        if (priority < LOWEST_PRIORITY || priority > HIGHEST_PRIORITY) {
            throw new IllegalArgumentException("a priority is between -9 and 9: " + priority);
        }
    }

    public DeliveryOptions withPriority(int other) {
        return new DeliveryOptions(holdUntilMillis, deliverBy, other, tls);
    }

    public DeliveryOptions with(SenderTls other) {
        return new DeliveryOptions(holdUntilMillis, deliverBy, priority, other);
    }

    public boolean requireTls() {
        return tls == SenderTls.REQUIRED;
    }

    /// A deadline (RFC 2852).
    ///
    /// @param deadlineMillis on this server's clock
    /// @param returned mode R: a late message is returned; in mode N its sender gets a delay report
    /// and delivery continues
    /// @param traced the sender requests a report for each relaying
    public record DeliverBy(long deadlineMillis, boolean returned, boolean traced) {}

    /// The start of the message's lifetime, for a message received at `createdMillis`.
    public long releaseMillis(long createdMillis) {
        return Math.max(createdMillis, holdUntilMillis.orElse(createdMillis));
    }

    /// True when the deadline of mode R has passed, so the message is returned (RFC 2852 section
    /// 4).
    public boolean isTooLate(long nowMillis) {
        return deliverBy.filter(by -> by.returned() && nowMillis >= by.deadlineMillis()).isPresent();
    }

    /// The reply for a message that missed the deadline of mode R. The queue manager and the SMTP
    /// client use the same text.
    ///
    /// @param ending such as the last reply of the host; may be empty
    public static Reply tooLate(String ending) {
        return Reply.of(554, "5.4.7", "delivery time expired" + ending);
    }

    /// True when the deadline of mode N has passed, so the sender gets a delay report.
    public boolean isLate(long nowMillis) {
        return deliverBy.filter(by -> !by.returned() && nowMillis >= by.deadlineMillis()).isPresent();
    }
}
