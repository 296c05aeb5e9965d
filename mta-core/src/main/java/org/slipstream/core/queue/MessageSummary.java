package org.slipstream.core.queue;

import org.slipstream.core.Address;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;

import java.util.Objects;
import java.util.Optional;

/// A row of the queue index: the facts about a message that the queue manager has before it reads
/// the recipients.
///
/// @param id the queue id
/// @param sender empty for the null sender
/// @param createdMillis time of acceptance, in milliseconds since 1970; never changes, so age and
/// expiry survive restarts
/// @param sizeBytes of the stored content
/// @param recipients in the whole envelope
/// @param open recipients neither delivered nor failed
/// @param failed recipients that failed and are not yet in a report to the sender
/// @param attempts number of attempts that ended in a deferral; not counted are deferrals without a
/// connection, because a destination was dead or a host suspended
/// @param held on hold by an operator, so not delivered
/// @param delayReports how many of the delay times a report covers; 0 before the first
/// @param options requested by the sender; the priority may be that of an operator
/// @param instructions of an operator
public record MessageSummary(QueueId id, Optional<Address> sender, long createdMillis, long sizeBytes, int recipients,
        int open, int failed, int attempts, boolean held, int delayReports, DeliveryOptions options,
        Instructions instructions) {
    public MessageSummary {
        Objects.requireNonNull(id);
        Objects.requireNonNull(sender);
        Objects.requireNonNull(options);
        Objects.requireNonNull(instructions);
    }

    /// A summary without instructions of an operator.
    public MessageSummary(QueueId id, Optional<Address> sender, long createdMillis, long sizeBytes, int recipients,
            int open, int failed, int attempts, boolean held, int delayReports, DeliveryOptions options) {
        this(id, sender, createdMillis, sizeBytes, recipients, open, failed, attempts, held, delayReports, options,
                Instructions.NONE);
    }

    /// A summary without delivery options.
    public MessageSummary(QueueId id, Optional<Address> sender, long createdMillis, long sizeBytes, int recipients,
            int open, int failed, int attempts, boolean held, boolean delayNotified) {
        this(id, sender, createdMillis, sizeBytes, recipients, open, failed, attempts, held, delayNotified ? 1 : 0,
                DeliveryOptions.NONE);
    }

    public MessageSummary withPriority(int priority) {
        return new MessageSummary(id, sender, createdMillis, sizeBytes, recipients, open, failed, attempts, held,
                delayReports, options.withPriority(priority), instructions);
    }

    public boolean delayNotified() {
        return delayReports > 0;
    }

    /// The time at which the lifetime begins, not before a requested release time.
    public long releaseMillis() {
        return options.releaseMillis(createdMillis);
    }

    /// True before the time that its sender asked for (RFC 4865). A clock that went back asked for nothing.
    public boolean isForLater(long nowMillis) {
        return releaseMillis() > Math.max(createdMillis, nowMillis);
    }
}
