/// Who is next: messages, jobs, peers and entries, and the preemptive order in which entries are taken.
///
/// [org.slipstream.qmgr.sched.Scheduler] is the entrance of the package. The classes behind it hold one idea a file. The reading
/// order leads from the nouns to the scheduler, and no class knows one that comes after it (`ReadingOrderTest`):
///
/// | Layer | Classes |
/// |---|---|
/// | data | [org.slipstream.qmgr.sched.Message], [org.slipstream.qmgr.sched.Job], [org.slipstream.qmgr.sched.Peer], [org.slipstream.qmgr.sched.Entry] and [org.slipstream.qmgr.sched.DestinationQueue] are Postfix's graph; [org.slipstream.qmgr.sched.SlotAccount] is what a job has saved, and the theory of it; [org.slipstream.qmgr.sched.BlockedRun] and [org.slipstream.qmgr.sched.CandidateShelf] are groups that a job belongs to |
/// | what others are asked and told | [org.slipstream.qmgr.sched.Gate], [org.slipstream.qmgr.sched.SchedTrace], [org.slipstream.qmgr.sched.Choice], [org.slipstream.qmgr.sched.OrderPolicy] |
/// | memory | [org.slipstream.qmgr.sched.RecipientPool] and [org.slipstream.qmgr.sched.Batches]: how many recipients are in memory |
/// | order | [org.slipstream.qmgr.sched.ReadyDestinations] (destinations where an entry may go), [org.slipstream.qmgr.sched.Blockers] (jobs that cannot go), [org.slipstream.qmgr.sched.JobList], [org.slipstream.qmgr.sched.CandidateSearch] and [org.slipstream.qmgr.sched.Preemption] (which job passes which, and when), [org.slipstream.qmgr.sched.ListOrder] (all of it together), [org.slipstream.qmgr.sched.RoundRobinOrder] (how it used to be) |
/// | scheduler | [org.slipstream.qmgr.sched.TransportQueues] (one transport), [org.slipstream.qmgr.sched.Scheduler] (all of them) |
///
/// The classes behind the entrance are plain mutable data of one thread, with package-private fields. Nothing here knows of
/// feedback, dead destinations or connections: the number of entries that may run at a destination is given, and the
/// [org.slipstream.qmgr.sched.Gate] decides whether there is a seat.
package org.slipstream.qmgr.sched;
