/// Who is next: messages, jobs, peers and entries, and the order in which entries are taken.
///
/// [org.slipstream.qmgr.sched.Scheduler] is the package's door; all that the queue manager asks of an order of service
/// goes through it, so that another order replaces this package and nothing else. The classes behind the door are plain
/// mutable data of one thread, with package-private fields. Nothing here knows of windows, dead destinations or
/// connections: whether an entry may go is the [org.slipstream.qmgr.sched.Gate]'s to say.
package org.slipstream.qmgr.sched;
