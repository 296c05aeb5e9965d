package org.slipstream.spool.box;

import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;

/// A letter as it was found in the box, without its content.
public record StoredLetter(long seq, QueueId id, long createdMillis, long sizeBytes, Envelope envelope) {}
