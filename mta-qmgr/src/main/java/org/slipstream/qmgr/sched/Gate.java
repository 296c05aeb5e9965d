package org.slipstream.qmgr.sched;

/// Decides whether an entry has a seat now. [Scheduler#choose] asks in the order of service, so the
/// first free answer decides. It must be read-only for the scheduler.
@FunctionalInterface
public interface Gate {
    GateAnswer ask(Message message, DestinationQueue queue);

    enum GateAnswer {
        /// A seat is free.
        FREE,
        /// No seat at this destination. Valid until [Scheduler#mayGo] or
        /// [Scheduler#seatsMayBeFree].
        NOT_HERE,
        /// No seat for this message; other messages may have one, also at this destination. Valid
        /// until [Scheduler#seatsMayBeFree].
        NOT_OF_MESSAGE,
        /// Bulk mail waits for its start slot at this destination; a single message may go. Valid
        /// until [Scheduler#mayGo].
        NOT_YET,
        /// No seat at any destination of this transport. Valid until the next selection.
        NOWHERE
    }
}
