package org.slipstream.spool.log;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;

/// A message as it was found in the log, without its content.
public record StoredMessage(QueueId id, long createdMillis, long sizeBytes, Envelope envelope) {}
