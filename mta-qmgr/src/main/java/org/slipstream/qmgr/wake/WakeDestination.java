package org.slipstream.qmgr.wake;

/// Which event makes all deferred mail of a destination due (ZM-07, ZM-09).
public enum WakeDestination {
    /// None: each message waits for its own time, as in Postfix.
    OFF,
    /// The first delivery that works after failures.
    AFTER_FAILURE,
    /// The first message that is due, as a thread of ZMailer; also the first delivery that works.
    THREAD
}
