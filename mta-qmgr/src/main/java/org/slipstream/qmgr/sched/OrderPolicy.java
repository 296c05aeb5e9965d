package org.slipstream.qmgr.sched;

/// The order in which the entries of one transport are served.
///
/// The older orders serve for comparison. With ten thousand entries of one mailing and one small
/// message: first come, first served makes the message wait for all of them. Round-robin by
/// destination lets it go at once to another destination, and makes it wait at the mailing's
/// destination. The preemptive list lets it go at once in either case, and the mailing takes at
/// most a quarter longer, or a half with spaced starts.
public enum OrderPolicy {
    /// First come, first served, but small mail may pass bulk mail at a price ([SlotAccount]):
    /// Postfix since 2.2.
    PREEMPTIVE,

    /// Destinations take turns, within each first come, first served ([RoundRobinOrder]): Postfix's
    /// first queue manager.
    ROUND_ROBIN,

    /// Destinations in the order in which they got mail, one delivery at a time each, and a start that
    /// takes long keeps the others waiting ([SynchronousThreads]): the older style of ZMailer's scheduler.
    THREADS,

    /// First come, first served, by message: the preemptive list where no job may pass.
    FIFO
}
