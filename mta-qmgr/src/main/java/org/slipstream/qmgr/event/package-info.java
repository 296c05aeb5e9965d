/// What enters the brain and what leaves it: the two sealed families [org.slipstream.qmgr.event.QmgrEvent] and
/// [org.slipstream.qmgr.event.QmgrOrder].
package org.slipstream.qmgr.event;
