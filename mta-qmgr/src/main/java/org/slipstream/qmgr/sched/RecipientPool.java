package org.slipstream.qmgr.sched;

/// Recipient slots of one transport: how many recipients may be in memory, and for whose sake.
///
/// **The problem.** A list with a million recipients does not fit into memory, and a message whose recipients are on disk
/// cannot be served. A fixed batch per message would either starve the large (a batch of ten, and a slow disk) or drown in
/// the many.
///
/// **The rule** (PF-61 to PF-67). Every message may hold a minimum whatever happens. Beyond that a transport has a pool of
/// slots, and *all* of it goes to one job: the oldest that is not fully read, since it is going to be served first. A job
/// that enters the list takes what the pool has; a job that is read to its end gives back what it did not need, and that
/// goes to the next unread one in order of activation. So slots wander along the list in the order in which jobs will need
/// them.
///
/// **Sponsoring.** A batch of a message brings recipients for all its transports in whatever mixture the sender wrote
/// them. So a slot belongs to the message as a whole: a job's limit and its message's are raised together, and the
/// slots of one job may be filled by recipients of another (PF-65). A job that has retired takes nothing from the
/// list any more, and its slots go back as its recipients finish.
///
/// **Extra slots.** A job that steps in front of others while most of it is on disk would crawl with the minimum, and everybody
/// behind it would wait. It gets half of what is left in the pool and an extra pool together. Half, so that the next one
/// finds something as well; the pool may go below zero by that, and recovers as slots come back (PF-63).
///
/// **The bound.** Per transport the slots lent never exceed `recipientLimit + extraRecipientLimit`, besides the minimum per
/// message; and a first batch may fill memory up to a limit of the whole process. Published is, in all,
/// `max(process limit, minimum × active messages + Σ (limit + extra limit) of transports)` (PF-67). That forgets one thing: a
/// message may have got more with its first batch than it has slots for, and the others may still fill all of theirs. So the
/// strict bound is the sum *and* the process limit. The tests assert the strict one after every step.
final class RecipientPool {
    private final int extraLimit;

    /// Slots that no job has. Negative while extra slots are lent.
    int free;

    /// The first job in order of activation that has unread recipients, as of the last look: the next to get slots.
    Job firstUnread;

    RecipientPool(ServiceRules rules) {
        this.free = rules.recipientLimit();
        this.extraLimit = rules.extraRecipientLimit();
    }

    /// A job has entered the lists.
    ///
    /// @param passed the first unread job is behind it now
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

    /// Returns what a job has and does not use to the pool, from where it goes to the first unread job.
    void giveBack(Job job) {
        if (job == firstUnread) {
            firstUnread = job.younger;
            while (firstUnread != null && !firstUnread.message.moreOnFile) {
                firstUnread = firstUnread.younger;
            }
        }
        // What is being read has its slots already, though the job is not known yet.
        Message message = job.message;
        int unused = Math.min(job.limit - job.inCore, message.limit - message.inCore - message.setAside);
        if (unused > 0) {
            lend(job, -unused);
            if (firstUnread != null) {
                lendAllTo(firstUnread);
            }
        }
    }

    /// Extra slots for a job that steps in front of another and is not fully read.
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
