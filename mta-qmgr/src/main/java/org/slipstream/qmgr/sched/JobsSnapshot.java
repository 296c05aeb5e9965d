package org.slipstream.qmgr.sched;

import org.slipstream.core.QueueId;

import java.util.List;
import java.util.Optional;

/// The jobs of each transport in their order of service, for operators and for drawings. Its size
/// is bounded, whatever the length of the lists.
public record JobsSnapshot(List<TransportJobs> transports) {
    public JobsSnapshot {
        transports = List.copyOf(transports);
    }

    /// @param dead no entry is taken
    /// @param slotCost entries that earn one slot; 0 when no job may preempt another
    /// @param jobs on the list; `first` has the first ones of them
    /// @param preemptions since the start
    /// @param latest preemptions, the latest first
    public record TransportJobs(String transport, boolean dead, int slotCost, int jobs, long preemptions,
            List<JobLine> first, List<PassedJob> latest) {}

    /// @param level 0 for a job that has not passed another, otherwise one more than that of the job
    /// that it passed
    /// @param passed the message of that job
    /// @param selected entries taken
    /// @param left entries that wait or may follow, at most
    /// @param balance units of slots earned and not spent; may be negative
    /// @param current the next search starts at this job
    public record JobLine(QueueId id, int level, Optional<QueueId> passed, int selected, int left, int running,
            int balance, boolean current) {}

    /// A preemption.
    ///
    /// @param number counted from 1 since the start
    /// @param balance of the passed job afterwards
    public record PassedJob(long number, long atMillis, QueueId passed, QueueId stepping, int level, int balance) {}
}
