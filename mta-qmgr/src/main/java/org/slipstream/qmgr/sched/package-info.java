/// The scheduler: messages, jobs, peers and entries, and the preemptive order in which entries are
/// taken.
///
/// [org.slipstream.qmgr.sched.Scheduler] is the entry point of the package. The other classes hold
/// one idea each. In the reading order no class depends on a later one (`ReadingOrderTest`):
///
/// - data: [org.slipstream.qmgr.sched.Message], [org.slipstream.qmgr.sched.Job],
///   [org.slipstream.qmgr.sched.Peer], [org.slipstream.qmgr.sched.Entry] and
///   [org.slipstream.qmgr.sched.DestinationQueue] are Postfix's structures;
///   [org.slipstream.qmgr.sched.SlotAccount] is the account of saved slots;
///   [org.slipstream.qmgr.sched.BlockedRun] and [org.slipstream.qmgr.sched.SizeClass] are groups of
///   jobs; [org.slipstream.qmgr.sched.EntryOrder] is the order within a destination
/// - interfaces: [org.slipstream.qmgr.sched.Gate], [org.slipstream.qmgr.sched.SchedTrace],
///   [org.slipstream.qmgr.sched.Choice], [org.slipstream.qmgr.sched.OrderPolicy]; and the view of
///   operators, [org.slipstream.qmgr.sched.JobsSnapshot]
/// - memory: [org.slipstream.qmgr.sched.RecipientPool] and [org.slipstream.qmgr.sched.Batches]: the
///   recipients in memory
/// - order: [org.slipstream.qmgr.sched.ReadyDestinations] (ready destinations),
///   [org.slipstream.qmgr.sched.Blockers] (blocked jobs), [org.slipstream.qmgr.sched.JobList],
///   [org.slipstream.qmgr.sched.CandidateSearch] and [org.slipstream.qmgr.sched.Preemption]
///   (preemption), [org.slipstream.qmgr.sched.ListOrder] (the preemptive list),
///   [org.slipstream.qmgr.sched.RoundRobinOrder] and [org.slipstream.qmgr.sched.SynchronousThreads] (the
///   older orders)
/// - scheduler: [org.slipstream.qmgr.sched.TransportQueues] (one transport),
///   [org.slipstream.qmgr.sched.Scheduler] (all transports)
///
/// The classes other than the entry point are plain mutable data of one thread, with
/// package-private fields. The package depends on neither feedback, dead destinations nor
/// connections: the number of entries that may run at a destination is given, and the
/// [org.slipstream.qmgr.sched.Gate] decides about seats.
package org.slipstream.qmgr.sched;
