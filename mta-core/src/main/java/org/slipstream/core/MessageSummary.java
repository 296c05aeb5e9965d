package org.slipstream.core;

import java.util.Objects;
import java.util.Optional;

/// What the queue manager knows of a message before it reads its recipients: a row of the queue index.
///
/// @param id its name
/// @param sender empty for the null sender
/// @param createdMillis when we took responsibility for it, in milliseconds since 1970; never changes, so that age and
/// expiry survive restarts
/// @param sizeBytes of the content as stored
/// @param recipients in the whole envelope
/// @param open recipients neither delivered nor failed
/// @param failed recipients that failed and of which the sender has not been told
/// @param attempts how often it has been tried and deferred; without the times at which nobody was asked, because a destination was dead or a
/// host suspended
/// @param held an operator keeps it; it is not delivered
/// @param delayNotified a "delayed" report has been sent
/// @param options what its sender asked besides
public record MessageSummary(QueueId id, Optional<Address> sender, long createdMillis, long sizeBytes, int recipients,
        int open, int failed, int attempts, boolean held, boolean delayNotified, DeliveryOptions options) {
    public MessageSummary {
        Objects.requireNonNull(id);
        Objects.requireNonNull(sender);
        Objects.requireNonNull(options);
    }

    /// Of a message whose sender asked nothing besides.
    public MessageSummary(QueueId id, Optional<Address> sender, long createdMillis, long sizeBytes, int recipients,
            int open, int failed, int attempts, boolean held, boolean delayNotified) {
        this(id, sender, createdMillis, sizeBytes, recipients, open, failed, attempts, held, delayNotified,
                DeliveryOptions.NONE);
    }

    /// When its age begins: not before it may be sent.
    public long releaseMillis() {
        return options.releaseMillis(createdMillis);
    }
}
