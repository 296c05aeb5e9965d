package org.slipstream.qmgr.sched;

/// Says whether an entry may be taken now. Asked by [Scheduler#choose] in the order of service, so the first free answer
/// decides; it must not change anything.
@FunctionalInterface
public interface Gate {
    Answer ask(Message message, DestinationQueue queue);

    enum Answer {
        /// Take it.
        FREE,
        /// Not for this destination; others may go. Holds until [Scheduler#mayGo] or [Scheduler#seatsMayBeFree] says otherwise.
        NOT_HERE,
        /// Not of this message; others may go, also to this destination. Holds until [Scheduler#seatsMayBeFree].
        NOT_OF_MESSAGE,
        /// Not yet, for this destination; a letter may go. Holds until [Scheduler#mayGo].
        NOT_YET,
        /// Not for any destination of this transport; asking further is useless. Asked again at the next selection.
        NOWHERE
    }
}
