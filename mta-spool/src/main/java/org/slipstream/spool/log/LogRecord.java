package org.slipstream.spool.log;

import org.slipstream.core.QueueId;
import org.slipstream.core.RecipientOutcome;

import java.util.List;

/// One thing that happened to a message or became known of a host. The message log keeps records in the order in which things
/// happened; the queue index is made of them and of nothing else.
///
/// Each record says what is so, not what to add. A record that is applied twice, or again from an earlier point of the log on, leads
/// to the same state; only the count of attempts may be too high then.
public sealed interface LogRecord {
    /// What the record is about. Records of one subject keep their order; records of different subjects need not.
    default Object subject() {
        return switch (this) {
            case OfMessage record -> record.id();
            case KeepHost(HostRecord host) -> new Host(host.host(), host.kind());
            case ForgetHost(String host, String kind) -> new Host(host, kind);
        };
    }

    /// The subject of a record about a host.
    record Host(String host, String kind) {}

    sealed interface OfMessage extends LogRecord {
        QueueId id();
    }

    /// A message with its content. The first one enters the message; a later one of the same id says that the cleaner copied it to
    /// another place. A message is due at once, so a server that was killed finds it at once.
    ///
    /// @param envelopeBytes the envelope as the log has it
    /// @param copied known to be a copy; false says nothing
    record Stored(StoredMessage message, RecordPlace place, byte[] envelopeBytes, boolean copied) implements OfMessage {
        /// What has just been appended at a place.
        public static Stored of(NewMessage message, RecordPlace place, boolean copied) {
            return new Stored(new StoredMessage(0, message.id(), message.createdMillis(), message.content().sizeBytes(),
                    message.envelope()), place, message.envelopeBytes(), copied);
        }

        @Override
        public QueueId id() {
            return message.id();
        }
    }

    /// @param attempt counts as an attempt of the message
    record Outcomes(QueueId id, List<RecipientOutcome> outcomes, long atMillis, boolean attempt) implements OfMessage {
        public Outcomes {
            outcomes = List.copyOf(outcomes);
        }
    }

    /// An outcome whose reply is not known, from a log that an earlier version wrote. A reply that is known stays.
    record BareOutcome(QueueId id, int number, boolean delivered) implements OfMessage {}

    /// How many attempts there were.
    record Attempts(QueueId id, int count) implements OfMessage {}

    record NextAttempt(QueueId id, long atMillis) implements OfMessage {}

    record Hold(QueueId id, boolean held) implements OfMessage {}

    /// The sender knows of all recipients that failed so far.
    record FailuresReported(QueueId id) implements OfMessage {}

    record DelayReported(QueueId id) implements OfMessage {}

    /// The content is damaged or lost: the message stays, and no server touches it.
    record SetAside(QueueId id) implements OfMessage {}

    /// The message is due at `nowMillis` when it would be later, unless its sender wants it held.
    record MakeDue(QueueId id, long nowMillis) implements OfMessage {}

    record Remove(QueueId id) implements OfMessage {}

    /// In place of what was known of this host and kind.
    record KeepHost(HostRecord host) implements LogRecord {}

    record ForgetHost(String host, String kind) implements LogRecord {}
}
