/// The queue manager: which message is next, how many deliveries run at once, and when to retry.
///
/// [org.slipstream.qmgr.QueueManager] is a pure function of events and time. Its input is
/// [org.slipstream.qmgr.event.QmgrEvent], its output is [org.slipstream.qmgr.event.QmgrOrder].
package org.slipstream.qmgr;
