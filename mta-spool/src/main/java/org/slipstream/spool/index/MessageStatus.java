package org.slipstream.spool.index;

/// A message's state as the index stores it.
final class MessageStatus {
    /// Queued, never tried and never deferred. Below [#QUEUED], so that one comparison finds all
    /// messages that are not held.
    static final int INCOMING = -1;
    static final int QUEUED = 0;
    static final int HELD = 1;
    static final int CORRUPT = 2;

    private MessageStatus() {}
}
