package org.slipstream.spool.log;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;

/// A message as it was found in the log, without its content.
///
/// @param seq its number in a log of an earlier version; 0 since then
public record StoredMessage(long seq, QueueId id, long createdMillis, long sizeBytes, Envelope envelope) {}
