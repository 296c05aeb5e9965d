package org.slipstream.qmgr.wake;

import org.slipstream.core.queue.QueuePhase.Code;

/// A refusal of a destination.
///
/// @param gate the first closed one (ZM-22)
/// @param sinceMillis the first refusal by this gate after the last delivery that started
public record GateRefusal(Code gate, long sinceMillis) {}
