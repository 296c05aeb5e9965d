package org.slipstream.qmgr.sched;

/// In which order the entries of one transport are served: the idea of this package, and what came before it.
///
/// The older ones are here to be compared with. Ten thousand entries of one mailing and a letter: first come, first served
/// makes the letter wait for all of them; turns by destination let it go at once if it goes elsewhere, and make it wait when it goes
/// where the mailing goes; the preemptive list lets it go in either case, and the mailing pays at most a quarter more time.
public enum OrderPolicy {
    /// First come, first served, but small mail may pass bulk mail at a price ([SlotAccount]): Postfix since 2.2.
    PREEMPTIVE,

    /// Destinations take turns, within each first come, first served ([RoundRobinOrder]): Postfix's first queue manager.
    ROUND_ROBIN,

    /// First come, first served, by message: the preemptive list where no job may pass.
    FIFO
}
