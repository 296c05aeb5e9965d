package org.slipstream.spool.log;

import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.StandingOrder;

import java.util.List;

/// One change of a message, of a host record, or of a standing order. The message log keeps records in the order of the
/// changes; the queue index is made from them alone.
///
/// A record states a value and not a difference. A record that is applied twice, or again from an
/// earlier point of the log, leads to the same state; only the count of attempts may be too high
/// then.
public sealed interface LogRecord {
    /// The subject of the record. Records of one subject keep their order; records of different
    /// subjects may change places.
    default Object subject() {
        return switch (this) {
            case OfMessage record -> record.id();
            case KeepHost(HostRecord host) -> new Host(host.host(), host.kind());
            case ForgetHost(String host, String kind) -> new Host(host, kind);
            case KeepOrder(StandingOrder order) -> new OfOrder(order.kind(), order.name());
            case ForgetOrder(String kind, String name) -> new OfOrder(kind, name);
        };
    }

    /// The subject of a record about a host.
    record Host(String host, String kind) {}

    /// The subject of a record about a standing order.
    record OfOrder(String kind, String name) {}

    sealed interface OfMessage extends LogRecord {
        QueueId id();
    }

    /// A message with its content. The first record of an id adds the message. A later one of the
    /// same id says that the cleaner copied it to another place. A message is due at once, so a
    /// server that was killed tries it again at once.
    ///
    /// @param envelopeBytes the envelope as stored in the log
    /// @param copied true for a known copy; false does not exclude one
    record Stored(StoredMessage message, RecordPlace place, byte[] envelopeBytes, boolean copied) implements OfMessage {
        /// The record of a message that has just been appended.
        public static Stored of(NewMessage message, RecordPlace place, boolean copied) {
            return new Stored(new StoredMessage(message.id(), message.createdMillis(), message.content().sizeBytes(),
                    message.envelope()), place, message.envelopeBytes(), copied);
        }

        @Override
        public QueueId id() {
            return message.id();
        }
    }

    /// A message whose record is lost: its sender, its recipients and its former place, from the index. It adds the
    /// message when no record of the log does. [SetAside] and its state follow it.
    record Lost(StoredMessage message, RecordPlace place) implements OfMessage {
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

    /// The number of attempts so far.
    record Attempts(QueueId id, int count) implements OfMessage {}

    /// The latest attempts, the latest first, of a message that comes from another spool.
    record PastAttempts(QueueId id, List<PastAttempt> attempts) implements OfMessage {
        public PastAttempts {
            attempts = List.copyOf(attempts);
        }
    }

    record NextAttempt(QueueId id, long atMillis) implements OfMessage {}

    record Hold(QueueId id, boolean held) implements OfMessage {}

    /// The sender has a report of all recipients that failed so far.
    record FailuresReported(QueueId id) implements OfMessage {}

    /// The sender has been told of a delay.
    ///
    /// @param count of the delay times that the reports cover
    record DelayReported(QueueId id, int count) implements OfMessage {}

    /// The content is damaged or lost: the message stays and is not delivered.
    record SetAside(QueueId id) implements OfMessage {}

    /// An instruction of an operator; it replaces an earlier one of its kind.
    record Instructed(QueueId id, Instruction instruction) implements OfMessage {}

    /// The message becomes due at `nowMillis` if it would be due later, unless its sender wants it
    /// held.
    record MakeDue(QueueId id, long nowMillis) implements OfMessage {}

    /// An operator deleted the message; [Remove] follows. Only a spool with a follower writes it, because it says
    /// nothing about the queue.
    record Deleted(QueueId id) implements OfMessage {}

    record Remove(QueueId id) implements OfMessage {}

    /// Replaces what was known of this host and kind.
    record KeepHost(HostRecord host) implements LogRecord {}

    record ForgetHost(String host, String kind) implements LogRecord {}

    /// An order of an operator that stays in force; it replaces an earlier one of this kind and name.
    record KeepOrder(StandingOrder order) implements LogRecord {}

    record ForgetOrder(String kind, String name) implements LogRecord {}
}
