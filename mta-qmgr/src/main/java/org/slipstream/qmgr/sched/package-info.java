/// Who is next: messages, jobs, peers and entries, and the preemptive order in which entries are taken.
///
/// [org.slipstream.qmgr.sched.Scheduler] is the package's door. Behind it, one idea a file, in an order to read them:
/// [org.slipstream.qmgr.sched.OrderPolicy] (what can be meant by next), [org.slipstream.qmgr.sched.RoundRobinOrder] (how it used to be),
/// [org.slipstream.qmgr.sched.ListOrder] and [org.slipstream.qmgr.sched.JobList] (first come, first served),
/// [org.slipstream.qmgr.sched.SlotAccount] (why small mail may pass, and the bound), [org.slipstream.qmgr.sched.Preemption] (when it
/// does), [org.slipstream.qmgr.sched.CandidateSearch] (which one), [org.slipstream.qmgr.sched.Blockers] and
/// [org.slipstream.qmgr.sched.Crowd] (who cannot go), [org.slipstream.qmgr.sched.Doors] (where anybody can),
/// [org.slipstream.qmgr.sched.Batches] and [org.slipstream.qmgr.sched.RecipientPool] (how much is in memory).
///
/// The classes behind the door are plain mutable data of one thread, with package-private fields. Nothing here knows of
/// feedback, dead destinations or connections: how many may run at a line is told, and whether there is a seat is the
/// [org.slipstream.qmgr.sched.Gate]'s to say.
package org.slipstream.qmgr.sched;
