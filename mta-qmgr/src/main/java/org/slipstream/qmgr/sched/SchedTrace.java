package org.slipstream.qmgr.sched;

/// Observes what the scheduler decides. Each method has an empty default; an observer overrides those that it needs.
public interface SchedTrace {
    /// An entry was taken. It becomes the current job's.
    default void selected(Entry entry) {}

    /// A job stepped in front of the current one.
    ///
    /// @param level how deep in the tree the stepping job is now
    /// @param slots the balance of the job that let it pass, afterwards
    default void preempted(Message current, Message stepping, String transport, int level, int slots) {}

    /// So many recipients of a message have been read.
    default void read(Message message, int recipients) {}
}
