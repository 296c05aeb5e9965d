package org.slipstream.spool.log;

import org.slipstream.core.ContentFacts;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;

import java.util.List;
import java.util.Optional;

/// A message on its way into the log. Its parts are not changed any more.
///
/// @param createdMillis time of the commit; written into the record, so that a message entered
///     again keeps its age
/// @param state of a message that comes from another spool or is held, or the change of the message that this one is a
///     report about; written in the same record
/// @param envelopeBytes the envelope encoded by [EnvelopeCodec#encode] on the session's thread
public record NewMessage(QueueId id, long createdMillis, Envelope envelope, byte[] envelopeBytes,
        Optional<ContentFacts> facts, ContentForm content, List<LogRecord> state) {
    /// A message that has no state yet.
    public NewMessage(QueueId id, long createdMillis, Envelope envelope, byte[] envelopeBytes,
            Optional<ContentFacts> facts, ContentForm content) {
        this(id, createdMillis, envelope, envelopeBytes, facts, content, List.of());
    }

    /// @param known changes of this message, in order
    public NewMessage withState(List<LogRecord> known) {
        return new NewMessage(id, createdMillis, envelope, envelopeBytes, facts, content, List.copyOf(known));
    }

    /// True when its record changes another message, too.
    public boolean isReport() {
        return state.stream().anyMatch(record -> !record.subject().equals(id));
    }

    public sealed interface ContentForm {
        long sizeBytes();
    }

    /// Stored in the segment after its envelope.
    public record Inline(byte[] bytes, int length) implements ContentForm {
        @Override
        public long sizeBytes() {
            return length;
        }
    }

    /// Stored in a file of its own, already synced by the session; the segment gets envelope, size
    /// and checksum.
    public record InOwnFile(long sizeBytes, int crc) implements ContentForm {}

    /// The message's share in the size limit of a group.
    public long groupBytes() {
        return envelopeBytes.length + (content instanceof Inline inline ? inline.length() : 0);
    }
}
