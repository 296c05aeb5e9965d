package org.slipstream.qmgr.sched;

/// The reason for which jobs are blocked: a destination, or a limit of messages that several destinations share.
///
/// An event that opens it voids the marks of the jobs: [Scheduler#mayGo] for a destination,
/// [Scheduler#seatsMayBeFree] for a limit.
public interface Blocker {
    /// True when a job that waits for nothing else may go.
    boolean isOpen();
}
