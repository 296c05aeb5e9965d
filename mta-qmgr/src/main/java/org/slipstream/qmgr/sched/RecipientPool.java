package org.slipstream.qmgr.sched;

import org.jspecify.annotations.Nullable;

/// The recipient slots of one transport: the limit of recipients in memory, and its distribution
/// among jobs.
///
/// **The problem.** A list with a million recipients does not fit into memory, and a message whose
/// recipients are on disk cannot be served. A fixed batch per message would either slow down large
/// messages (batches of ten, and a slow disk) or exceed memory with many messages.
///
/// **The rule** (PF-61 to PF-67). Every message may hold a minimum in any case. Beyond that a
/// transport has a pool of slots, and *all* of it goes to one job: the oldest that is not fully
/// read, since it will be served first. A job that enters the list takes what the pool has. A job
/// that is completely read returns its unused slots, which go to the next unread one in order of
/// activation. So slots move along the list in the order in which jobs need them.
///
/// **Sponsoring.** A batch of a message contains recipients for all its transports, in the order in
/// which the sender named them. So a slot belongs to the message as a whole: a job's limit and its
/// message's are raised together, and the slots of one job may hold recipients of another (PF-65).
/// A retired job takes nothing from the list any more, and its slots return as its recipients
/// finish.
///
/// **Extra slots.** A job that preempts while most of it is on disk would be slow with the minimum,
/// and all jobs behind it would wait. It gets half of the sum of the free slots and the extra pool.
/// Half, so that the next one finds some as well; the pool may become negative, and recovers as
/// slots return (PF-63).
///
/// **The bound.** Per transport the lent slots never exceed `recipientLimit + extraRecipientLimit`,
/// besides the minimum per message; and a first batch may fill memory up to a limit of the whole
/// process. Published is, in all, `max(process limit, minimum × active messages + Σ (limit + extra
/// limit) of transports)` (PF-67). That omits one case: a message may have more recipients from its
/// first batch than it has slots, and the others may still fill all of theirs. So the strict bound
/// is the sum *and* the process limit. The tests assert the strict one after every step.
final class RecipientPool {
    private int limit;
    private int extraLimit;

    /// Free slots. Negative while extra slots are lent.
    int free;

    /// The first job in order of activation with unread recipients, as of the last update: the next
    /// to get slots.
    @Nullable
    Job firstUnread;

    RecipientPool(ServiceRules rules) {
        this.limit = rules.recipientLimit();
        this.free = limit;
        this.extraLimit = rules.extraRecipientLimit();
    }

    /// Other limits. Slots above a smaller one return as recipients finish.
    void change(ServiceRules rules) {
        free += rules.recipientLimit() - limit;
        limit = rules.recipientLimit();
        extraLimit = rules.extraRecipientLimit();
        if (firstUnread != null) {
            lendAllTo(firstUnread);
        }
    }

    /// A job entered the lists.
    ///
    /// @param passed true when the first unread job is behind it now
    void entered(Job job, boolean passed) {
        if (firstUnread == null || passed) {
            Job displaced = firstUnread;
            firstUnread = job;
            if (displaced != null) {
                giveBack(displaced);
            }
        }
        lendAllTo(job);
    }

    /// Returns the unused slots of a job to the pool, which lends them to the first unread job.
    void giveBack(Job job) {
        if (job == firstUnread) {
            firstUnread = job.younger;
            while (firstUnread != null && !firstUnread.message.moreOnFile) {
                firstUnread = firstUnread.younger;
            }
        }
        // A batch that is being read has its slots already, although its jobs are not known yet.
        Message message = job.message;
        int unused = Math.min(job.limit - job.inCore, message.limit - message.inCore - message.setAside);
        if (unused > 0) {
            lend(job, -unused);
            if (firstUnread != null) {
                lendAllTo(firstUnread);
            }
        }
    }

    /// Lends extra slots to a preempting job that is not fully read.
    void lendExtraTo(Job job) {
        lend(job, (extraLimit + free + 1) / 2);
    }

    private void lendAllTo(Job job) {
        if (free > 0) {
            lend(job, free);
        }
    }

    private void lend(Job job, int slots) {
        job.limit += slots;
        job.message.limit += slots;
        free -= slots;
    }
}
