/// The input and output of the queue manager: the sealed families
/// [org.slipstream.qmgr.event.QmgrEvent] and [org.slipstream.qmgr.event.QmgrOrder].
package org.slipstream.qmgr.event;
