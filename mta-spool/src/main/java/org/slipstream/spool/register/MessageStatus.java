package org.slipstream.spool.register;

/// A message's state as the register stores it.
final class MessageStatus {
    static final int QUEUED = 0;
    static final int HELD = 1;
    static final int CORRUPT = 2;

    private MessageStatus() {}
}
