/// The brain: who is next, how many at once, and when again.
///
/// [org.slipstream.qmgr.QueueManager] is a function of events and time. All it knows arrived as a
/// [org.slipstream.qmgr.event.QmgrEvent], all it wants leaves as a [org.slipstream.qmgr.event.QmgrOrder].
package org.slipstream.qmgr;
