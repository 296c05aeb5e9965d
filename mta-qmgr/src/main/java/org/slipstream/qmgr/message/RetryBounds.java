package org.slipstream.qmgr.message;

import java.util.Optional;

/// The bounds that a destination adds to the retry schedule of its deferred recipients.
///
/// @param policy the retry policy that its settings name
/// @param notBeforeMillis the end of the dead time of the host or destination; 0 when it works
public record RetryBounds(Optional<String> policy, long notBeforeMillis) {
    public static final RetryBounds NONE = new RetryBounds(Optional.empty(), 0);

    /// With a dead time that ends no earlier than this.
    public RetryBounds notBefore(long millis) {
        return new RetryBounds(policy, Math.max(notBeforeMillis, millis));
    }
}
