package org.slipstream.spool.index;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Envelope;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.PastAttempt;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.StoredMessage;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/// A message as its records in the log describe it. The index comes to the same state by its
/// statements ([IndexWriter]).
final class MessageFold {
    private static final Comparator<AttemptRows.HistoryRow> LATEST_FIRST = Comparator.<AttemptRows.HistoryRow>comparingLong(
            row -> row.attempt().atMillis()).reversed()
            .thenComparingInt(AttemptRows.HistoryRow::number);

    private final StoredMessage stored;
    private final Map<Integer, RecipientState> recipients = new LinkedHashMap<>();
    /// As in the index, of two attempts at the same time with the same first recipient only one counts.
    private final SortedSet<AttemptRows.HistoryRow> history = new TreeSet<>(LATEST_FIRST);
    private int attempts;
    private int delayReports;
    private Instructions instructions = Instructions.NONE;

    MessageFold(StoredMessage stored) {
        this.stored = stored;
        for (Recipient each : stored.envelope().recipients()) {
            recipients.put(each.number(), new RecipientState(each, RecipientStatus.OPEN, Optional.empty(), 0));
        }
    }

    /// The next record of this message.
    void add(LogRecord.OfMessage record) {
        switch (record) {
            case LogRecord.Outcomes outcomes -> {
                outcomes.outcomes().forEach(each -> outcome(each, outcomes.atMillis()));
                history.addAll(AttemptRows.of(outcomes));
                attempts += outcomes.attempt() ? 1 : 0;
            }
            case LogRecord.Attempts(QueueId _, int count) -> attempts = count;
            case LogRecord.PastAttempts past -> {
                history.removeIf(row -> row.attempt().atMillis() <= past.attempts().getFirst().atMillis());
                history.addAll(AttemptRows.of(past));
            }
            case LogRecord.FailuresReported _ -> recipients.replaceAll((_, each) -> each
                    .state() == RecipientStatus.FAILED ? state(each, RecipientStatus.FAILED_AND_REPORTED) : each);
            case LogRecord.DelayReported(QueueId _, int count) -> delayReports = count;
            case LogRecord.Instructed(QueueId _, Instruction instruction) ->
                instructions = instructions.with(instruction);
            case LogRecord.Hold(QueueId _, boolean held) -> {
                if (!held) {
                    instructions = instructions.with(new Instruction.Hold(Optional.empty()));
                }
            }
            // @formatter:off
            case LogRecord.NextAttempt _, LogRecord.MakeDue _, LogRecord.SetAside _, LogRecord.Remove _,
                    LogRecord.Stored _, LogRecord.Lost _, LogRecord.Deleted _ -> {
            // @formatter:on
                // The table has them.
            }
        }
    }

    private void outcome(RecipientOutcome each, long atMillis) {
        recipients.computeIfPresent(each.number(), (_, before) -> new RecipientState(before.recipient(),
                RecipientStatus.after(each.outcome()), Optional.of(each.outcome()), atMillis, each.reached().reason()));
    }

    private static RecipientState state(RecipientState each, RecipientStatus status) {
        return new RecipientState(each.recipient(), status, each.last(), each.atMillis(), each.reason());
    }

    /// @param nextMillis its next attempt
    MessageDetails details(long nextMillis, boolean held) {
        Envelope envelope = stored.envelope();
        DeliveryOptions options = instructions.priority().isPresent()
                ? envelope.options().withPriority(instructions.priority().getAsInt())
                : envelope.options();
        List<RecipientState> states = List.copyOf(recipients.values());
        MessageSummary summary = new MessageSummary(stored.id(), envelope.sender(), stored.createdMillis(),
                stored.sizeBytes(), states.size(), count(RecipientStatus.OPEN), count(RecipientStatus.FAILED), attempts,
                held, delayReports, options, instructions);
        return new MessageDetails(summary, new Envelope(envelope.sender(), envelope.body(), envelope.smtpUtf8(),
                envelope.envelopeId(), envelope.returns(), envelope.recipients(), options, envelope.origin()),
                nextMillis, states);
    }

    private int count(RecipientStatus status) {
        return (int) recipients.values().stream().filter(each -> each.state() == status).count();
    }

    /// The latest attempts, the latest first.
    List<PastAttempt> history() {
        return history.stream().limit(AttemptRows.KEPT).map(AttemptRows.HistoryRow::attempt).toList();
    }
}
