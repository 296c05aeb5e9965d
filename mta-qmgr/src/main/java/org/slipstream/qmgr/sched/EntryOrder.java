package org.slipstream.qmgr.sched;

/// The order of the entries that wait at one destination, where it differs from the transport's
/// order of service.
///
/// The list of jobs decides that an entry of this destination goes; the order decides which. The
/// service counts for the job of the entry that goes.
@FunctionalInterface
public interface EntryOrder {
    /// @param queue with at least one waiting entry
    Entry next(DestinationQueue queue);
}
