package org.slipstream.spool.log;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;

import java.util.Optional;

/// A letter on its way into the log. What it holds is not changed any more.
///
/// @param createdMillis when it was committed; written into the record, so that a letter entered again keeps its age
/// @param envelopeBytes what [EnvelopeCodec#encode] made of the envelope, on the session's thread
public record NewMessage(QueueId id, long createdMillis, Envelope envelope, byte[] envelopeBytes,
        Optional<ContentFacts> facts,
        ContentForm content) {
    public sealed interface ContentForm {
        long sizeBytes();
    }

    /// Goes into the segment with its envelope.
    public record Inline(byte[] bytes, int length) implements ContentForm {
        @Override
        public long sizeBytes() {
            return length;
        }
    }

    /// Lies in a file of its own already, synced by the session; the segment gets envelope, size and checksum.
    public record OwnFile(long sizeBytes, int crc) implements ContentForm {}

    /// What it adds to a group, for the group's limit.
    public long groupBytes() {
        return envelopeBytes.length + (content instanceof Inline inline ? inline.length() : 0);
    }
}
