package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;
import org.slipstream.qmgr.sched.JobsSnapshot.PassedJob;

import java.util.List;

/// The order of service of one transport: selects the next of its waiting entries. [OrderPolicy]s
/// differ only here.
///
/// Messages, jobs, peers and entries, turns of the transports, memory, windows and seats are the
/// same for all of them. [Scheduler] maintains those and notifies the order of service of changes.
interface ServiceOrder {
    /// Takes an entry ([Peer#start]). Called when at least one can go, as far as is known, and
    /// again for a search that [is paused][#isPaused] when its recipients were read.
    <S> Choice<S> next(Gate<S> gate, long nowMillis);

    /// A search waits for recipients.
    default boolean isPaused() {
        return false;
    }

    /// True when the recipients of a paused search were read.
    default boolean canResume() {
        return false;
    }

    /// Cancels a paused search.
    default void cancelPause() {}

    /// True when entries may wait although they could go, because the order serves them later.
    default boolean holdsBack() {
        return false;
    }

    /// The jobs with entries.
    JobList jobs();

    /// Start of the next search; null when there is none.
    default @Nullable Job current() {
        return null;
    }

    /// The number of preemptions since the start.
    default long preemptions() {
        return 0;
    }

    /// A few preemptions, the latest first.
    default List<PassedJob> latestPreemptions() {
        return List.of();
    }

    /// A job got entries. From now on it is on the list ([JobList#enter]).
    void hasWork(Job job);

    /// The entries of a job changed; it may be on the list.
    void changed(Job job);

    /// An event that may let an entry of this queue go.
    ///
    /// @param dead true when the destination is dead
    void mayGo(DestinationQueue queue, boolean dead);

    /// A message that had used up its share may get another connection.
    void sharesMayBeFree();

    /// The message of this job is no longer active.
    void forget(Job job);
}
