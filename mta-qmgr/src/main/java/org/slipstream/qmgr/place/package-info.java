/// Where does it go: which host, which connection?
///
/// Tony Finch's placement with a destination database, the second half of the brain. [org.slipstream.qmgr.place.Placement] is
/// the ladder that chooses, [org.slipstream.qmgr.place.Workers] the door: it asks the ladder, keeps the book of connections and
/// says what became of each load. [org.slipstream.qmgr.place.DestDb] remembers hosts,
/// [org.slipstream.qmgr.place.WorkerBudget] shares connections among messages,
/// [org.slipstream.qmgr.place.IdlePool] decides how long a door stays open.
///
/// Pure: no clock, no chance of its own, no thread, no socket. The book is data; carriers own sockets and obey.
package org.slipstream.qmgr.place;
