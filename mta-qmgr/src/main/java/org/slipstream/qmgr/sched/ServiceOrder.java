package org.slipstream.qmgr.sched;

/// Which of the entries that wait at one transport goes next: the one thing in which [OrderPolicy]s differ.
///
/// Everything around it is the same for all of them: messages, jobs, peers and entries, turns of the transports, memory, windows and
/// seats. [Scheduler] keeps the books of those and tells the order of service what has changed.
interface ServiceOrder {
    /// Takes an entry ([Peer#start]). Called when at least one may go, as far as is known, and again for a search that
    /// [is paused][#isPaused] when its recipients have been read.
    Choice next(Gate gate, long nowMillis);

    /// A search waits for recipients.
    default boolean isPaused() {
        return false;
    }

    /// A search waited for recipients that have been read by now.
    default boolean canResume() {
        return false;
    }

    /// The next search begins from the start.
    default void cancelPause() {}

    /// A job has got work. From now on it is on the list ([JobList#enter]).
    void hasWork(Job job);

    /// A job that may be on the list has more or less to do than before.
    void changed(Job job);

    /// Something happened at this line that may have made room.
    ///
    /// @param dead nothing goes there for the time being
    void mayGo(DestinationQueue queue, boolean dead);

    /// A message that had its share of the connections may have a new one.
    void sharesMayBeFree();

    /// A message is no longer active, and this job of it goes.
    void forget(Job job);
}
