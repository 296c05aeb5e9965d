package org.slipstream.server.dispatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.Outcome;
import org.slipstream.core.Recipient;
import org.slipstream.core.RecipientOutcome;
import org.slipstream.qmgr.event.QmgrOrder;

import java.time.Instant;
import java.util.Locale;
import java.util.function.LongSupplier;

/// One line per fact of a message's life after its acceptance, each with its queue id: `grep queue=<id>` tells the story.
final class DeliveryLog {
    private static final Logger log = LoggerFactory.getLogger(DeliveryLog.class);

    private final LongSupplier clockMillis;

    DeliveryLog(LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
    }

    void outcomes(QmgrOrder.RecordOutcome record) {
        if (!log.isInfoEnabled()) {
            return;
        }
        // The queue id's upper bits are its birth, so the delay needs no look into the queue index.
        double delaySeconds = Math.max(0, clockMillis.getAsLong() - (record.id().value() >> 10)) / 1000.0;
        for (int i = 0; i < record.outcomes().size(); i++) {
            RecipientOutcome outcome = record.outcomes().get(i);
            Recipient recipient = record.recipients().get(i);
            log.info("queue={} to={}{} relay={} delay={} status={} reply=\"{}\"", record.id(),
                    LogText.path(recipient.address()),
                    recipient.original().map(o -> " orig=" + LogText.word(o)).orElse(""),
                    LogText.word(outcome.outcome().remote()),
                    String.format(Locale.ROOT, "%.2f", delaySeconds), status(outcome.outcome()),
                    LogText.text(outcome.outcome().reply().toString()));
        }
    }

    void deferred(QmgrOrder.Defer defer) {
        log.info("queue={} msg=deferred next={}", defer.id(), Instant.ofEpochMilli(defer.nextAttemptMillis()));
    }

    void removed(QmgrOrder.Remove remove) {
        log.info("queue={} msg=removed reason=\"{}\"", remove.id(), LogText.text(remove.reason()));
    }

    private static String status(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Delivered _ -> "sent";
            case Outcome.Deferred _ -> "deferred";
            case Outcome.Failed _ -> "failed";
        };
    }
}
