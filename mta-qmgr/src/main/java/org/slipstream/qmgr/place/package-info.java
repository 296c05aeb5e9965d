/// Placement: the host and the connection of each delivery, after Tony Finch's *Job placement with
/// a destination database*.
///
/// [org.slipstream.qmgr.place.Placement] is the algorithm. [org.slipstream.qmgr.place.Connections]
/// applies it, keeps the connections and reports the end of each delivery.
/// [org.slipstream.qmgr.place.DestDb] stores host records, [org.slipstream.qmgr.place.WorkerBudget]
/// shares connections among messages, [org.slipstream.qmgr.place.IdlePool] decides how long idle
/// connections are kept.
///
/// Pure: no clock, no thread, no socket, and randomness only from the given generator. Carriers own
/// the sockets and execute the orders.
package org.slipstream.qmgr.place;
