package org.slipstream.qmgr.wake;

/// The order of the deliveries that wait at one destination; ZMailer calls these deliveries a
/// thread (ZM-08).
public enum ThreadOrder {
    /// The order of service of the transport, in which small mail may pass bulk mail.
    LIST,
    /// The delivery that was placed first.
    FIFO,
    /// Any, with equal chances: a message that hangs the peer does not block the others.
    SHUFFLE,
    /// The delivery of the oldest message.
    AGEORDER
}
