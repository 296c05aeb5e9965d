package org.slipstream.qmgr.sched;

/// Observes the decisions of the scheduler. Each method has an empty default.
public interface SchedTrace {
    /// An entry was taken; its job becomes the current job.
    default void selected(Entry entry) {}

    /// A job preempted the current one.
    ///
    /// @param level new level of the preempting job in the tree
    /// @param slots balance of the preempted job afterwards
    default void preempted(Message current, Message stepping, String transport, int level, int slots) {}

    /// A batch of recipients was read.
    default void read(Message message, int recipients) {}
}
