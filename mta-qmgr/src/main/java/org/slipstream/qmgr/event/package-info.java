/// The input and output of the queue manager: the sealed families
/// [org.slipstream.qmgr.event.QmgrEvent] and [org.slipstream.qmgr.event.QmgrOrder], and the sources
/// from which messages become active ([org.slipstream.qmgr.event.ActivationOrder]).
package org.slipstream.qmgr.event;
