/// Placement: the host and the connection that each delivery gets.
///
/// Tony Finch's design with a destination database, the second half of the queue manager.
/// [org.slipstream.qmgr.place.Placement] is the ladder that chooses.
/// [org.slipstream.qmgr.place.Connections] consults the ladder, keeps the table of connections and
/// returns the effects of each result. [org.slipstream.qmgr.place.DestDb] stores what is known of
/// hosts, [org.slipstream.qmgr.place.WorkerBudget] divides connections among messages, and
/// [org.slipstream.qmgr.place.IdlePool] decides how long an idle connection stays open.
///
/// The package is pure: it has no clock, random numbers, thread or socket of its own.
package org.slipstream.qmgr.place;
