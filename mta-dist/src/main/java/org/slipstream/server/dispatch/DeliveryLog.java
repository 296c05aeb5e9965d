package org.slipstream.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.spool.history.History;

import java.time.Instant;
import java.util.Locale;
import java.util.function.LongSupplier;

/// Logs each event of a message's life after its acceptance, with its queue id: `grep queue=<id>`
/// shows them all. The history gets the same events.
final class DeliveryLog {
    private static final Logger log = LoggerFactory.getLogger(DeliveryLog.class);

    private final LongSupplier clockMillis;
    private final History history;

    DeliveryLog(LongSupplier clockMillis, History history) {
        this.clockMillis = clockMillis;
        this.history = history;
    }

    void outcomes(QmgrOrder.RecordOutcome record) {
        history.decided(record.id(), record.recipients(), record.outcomes());
        if (!log.isInfoEnabled()) {
            return;
        }
        // The queue id's upper bits are its creation time, so the delay needs no query.
        double delaySeconds = Math.max(0, clockMillis.getAsLong() - record.id().createdMillis()) / 1000.0;
        for (int i = 0; i < record.outcomes().size(); i++) {
            RecipientOutcome outcome = record.outcomes().get(i);
            Recipient recipient = record.recipients().get(i);
            log.info("event=delivery queue={} recipient={}{} host={} delay={} result={}{} reply=\"{}\"", record.id(),
                    LogText.path(recipient.address()),
                    recipient.original().map(o -> " original=" + LogText.word(o)).orElse(""),
                    LogText.word(outcome.outcome().remote()),
                    String.format(Locale.ROOT, "%.2f", delaySeconds), status(outcome.outcome()), reason(outcome),
                    LogText.text(outcome.outcome().reply().toString()));
        }
    }

    /// The code of the reason for a deferral or failure, if it has one.
    private static String reason(RecipientOutcome outcome) {
        return outcome.outcome() instanceof Outcome.Delivered
                ? ""
                : outcome.reached().phase().map(code -> " reason=" + code.word()).orElse("");
    }

    void deferred(QmgrOrder.Defer defer) {
        history.waits(defer.id(), defer.nextAttemptMillis());
        log.info("event=message-deferred queue={} until={}", defer.id(),
                Instant.ofEpochMilli(defer.nextAttemptMillis()));
    }

    void held(QmgrOrder.SetHold hold) {
        history.held(hold.id(), hold.held());
    }

    void takenUp(QmgrOrder.TakeUp order) {
        history.ordered(order.id(), "due at once");
    }

    void damaged(QueueId id, String reason) {
        history.setAside(id, reason);
    }

    void instructed(QmgrOrder.Instruct instruct) {
        history.ordered(instruct.id(), (InstructionText.kind(instruct.instruction()) + " "
                + InstructionText.value(instruct.instruction())).strip());
        log.info("event=message-instructed queue={} kind={} value=\"{}\"", instruct.id(),
                InstructionText.kind(instruct.instruction()),
                LogText.text(InstructionText.value(instruct.instruction())));
    }

    void removed(QmgrOrder.Remove remove) {
        history.removed(remove.id(), remove.reason());
        log.info("event=message-removed queue={} reason=\"{}\"", remove.id(), LogText.text(remove.reason()));
    }

    private static String status(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Delivered _ -> "sent";
            case Outcome.Deferred _ -> "deferred";
            case Outcome.Failed _ -> "failed";
        };
    }
}
