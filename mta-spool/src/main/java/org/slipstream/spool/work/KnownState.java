package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.index.DamagedRowsException;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.RecordPlace;
import org.slipstream.spool.log.StoredMessage;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// Everything the index knows of a message, as records of the log. It is used for a message whose
/// earlier records will be deleted.
final class KnownState {
    private static final Logger log = LoggerFactory.getLogger(KnownState.class);

    private KnownState() {}

    static List<LogRecord> of(QueueIndex index, QueueId id) throws IndexException {
        try {
            Optional<MessageDetails> message = index.message(id);
            return message.isPresent() ? withAttempts(index, message.get()) : List.of();
        } catch (DamagedRowsException e) {
            log.debug("event=state-not-read queue={} reason=\"{}\"", id, e.getMessage());
            return List.of();
        }
    }

    /// As [#of(MessageDetails)], and the past attempts. These come first, as in the order of the index.
    static List<LogRecord> withAttempts(QueueIndex index, MessageDetails message) throws IndexException {
        QueueId id = message.summary().id();
        List<PastAttempt> attempts = index.attempts(id);
        List<LogRecord> records = new ArrayList<>();
        if (!attempts.isEmpty()) {
            records.add(new LogRecord.PastAttempts(id, attempts));
        }
        records.addAll(of(message));
        return records;
    }

    /// A message whose record is lost, with everything that the index knows of it, as set aside.
    static List<LogRecord> ofLost(MessageDetails message, RecordPlace place) {
        MessageSummary summary = message.summary();
        List<LogRecord> records = new ArrayList<>();
        records.add(new LogRecord.Lost(new StoredMessage(summary.id(), summary.createdMillis(), summary.sizeBytes(),
                message.envelope()), place));
        records.addAll(of(message));
        records.add(new LogRecord.SetAside(summary.id()));
        return records;
    }

    /// Changes that lead from the message as it was stored to this state.
    static List<LogRecord> of(MessageDetails message) {
        QueueId id = message.summary().id();
        List<LogRecord> records = new ArrayList<>();
        outcomes(message, status -> status == RecipientStatus.FAILED_AND_REPORTED, records);
        if (!records.isEmpty()) {
            records.add(new LogRecord.FailuresReported(id));
        }
        outcomes(message, status -> status != RecipientStatus.FAILED_AND_REPORTED, records);
        if (message.summary().attempts() > 0) {
            records.add(new LogRecord.Attempts(id, message.summary().attempts()));
        }
        if (message.summary().delayNotified()) {
            records.add(new LogRecord.DelayReported(id, message.summary().delayReports()));
        }
        instructions(message, records);
        // A message that was never tried nor leased stays in the incoming queue.
        if (message.summary().attempts() > 0 || message.nextAttemptMillis() > message.summary().createdMillis()) {
            records.add(new LogRecord.NextAttempt(id, message.nextAttemptMillis()));
        }
        if (message.summary().held()) {
            records.add(new LogRecord.Hold(id, true));
        }
        return records;
    }

    private static void instructions(MessageDetails message, List<LogRecord> records) {
        QueueId id = message.summary().id();
        Instructions inForce = message.summary().instructions();
        inForce.ending().ifPresent(each -> records.add(new LogRecord.Instructed(id, each)));
        inForce.route().ifPresent(each -> records
                .add(new LogRecord.Instructed(id, new Instruction.Reroute(Optional.of(each)))));
        inForce.priority().ifPresent(
                each -> records.add(new LogRecord.Instructed(id, new Instruction.Priority(each))));
        inForce.hold().ifPresent(each -> records
                .add(new LogRecord.Instructed(id, new Instruction.Hold(Optional.of(each)))));
    }

    private static RecipientOutcome outcome(RecipientState recipient, Outcome last) {
        int number = recipient.recipient().number();
        return recipient.reason().map(reason -> RecipientOutcome.untried(number, last, reason))
                .orElseGet(() -> new RecipientOutcome(number, last));
    }

    private static void outcomes(MessageDetails message, Predicate<RecipientStatus> which, List<LogRecord> records) {
        for (RecipientState each : message.recipients()) {
            if (which.test(each.state()) && each.last().isPresent()) {
                records.add(new LogRecord.Outcomes(message.summary().id(),
                        List.of(outcome(each, each.last().get())), each.atMillis(), false));
            }
        }
    }
}
