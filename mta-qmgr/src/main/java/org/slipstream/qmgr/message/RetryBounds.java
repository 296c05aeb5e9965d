package org.slipstream.qmgr.message;

import java.util.Optional;

/// The bounds that a destination adds to the retry schedule of its deferred recipients.
///
/// @param policy the retry policy that its settings name
/// @param notBeforeMillis the end of the dead time of the host or destination; 0 when it works
/// @param thread the destination, if all its deferred mail wakes together
public record RetryBounds(Optional<String> policy, long notBeforeMillis, Optional<String> thread) {
    public static final RetryBounds NONE = new RetryBounds(Optional.empty(), 0, Optional.empty());

    /// With a dead time that ends no earlier than this.
    public RetryBounds notBefore(long millis) {
        return new RetryBounds(policy, Math.max(notBeforeMillis, millis), thread);
    }
}
