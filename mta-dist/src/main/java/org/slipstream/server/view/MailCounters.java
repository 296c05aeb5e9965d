package org.slipstream.server.view;

import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Counts mail since the start of the server, and keeps the latest error of each domain. The names
/// are those of MTA-MIB (RFC 2789) where it has one.
///
/// The errors of at most [#DOMAINS] domains are kept, those of the latest ones.
public final class MailCounters {
    private static final int DOMAINS = 1_000;
    private static final int KIBI = 1_024;

    /// The latest reply that deferred or returned a recipient of a domain.
    public record DomainError(String reply, long atMillis) {}

    private final long sinceMillis;
    private final LongAdder receivedMessages = new LongAdder();
    private final LongAdder receivedRecipients = new LongAdder();
    private final LongAdder receivedBytes = new LongAdder();
    private final LongAdder transmittedMessages = new LongAdder();
    private final LongAdder transmittedRecipients = new LongAdder();
    private final LongAdder deferredRecipients = new LongAdder();
    private final LongAdder failedRecipients = new LongAdder();
    private final LongAdder removedMessages = new LongAdder();
    private final SequencedMap<String, DomainError> errors = new LinkedHashMap<>();

    /// @param sinceMillis the start of the server
    public MailCounters(long sinceMillis) {
        this.sinceMillis = sinceMillis;
    }

    /// The start of the server. A reload, or another run of a queue manager, does not change it.
    public long sinceMillis() {
        return sinceMillis;
    }

    public void received(MessageSummary message) {
        receivedMessages.increment();
        receivedRecipients.add(message.recipients());
        receivedBytes.add(message.sizeBytes());
    }

    /// Counts the outcomes among these orders.
    public OrderSink counting(OrderSink sink, LongSupplier clockMillis) {
        return order -> {
            switch (order) {
                case QmgrOrder.RecordOutcome record -> decided(record, clockMillis.getAsLong());
                case QmgrOrder.Remove _ -> removedMessages.increment();
                default -> {
                    // The other orders decide nothing.
                }
            }
            sink.order(order);
        };
    }

    private void decided(QmgrOrder.RecordOutcome record, long nowMillis) {
        boolean transmitted = false;
        for (int i = 0; i < record.outcomes().size(); i++) {
            RecipientOutcome each = record.outcomes().get(i);
            switch (each.outcome()) {
                case Outcome.Delivered _ -> {
                    transmitted = true;
                    transmittedRecipients.increment();
                }
                case Outcome.Deferred _ -> deferredRecipients.increment();
                case Outcome.Failed _ -> failedRecipients.increment();
            }
            remember(record.recipients().get(i).address().domainKey(), each.outcome(), nowMillis);
        }
        if (transmitted) {
            transmittedMessages.increment();
        }
    }

    private void remember(String domain, Outcome outcome, long nowMillis) {
        synchronized (errors) {
            if (outcome instanceof Outcome.Delivered) {
                return;
            }
            errors.putLast(domain, new DomainError(outcome.reply().toString(), nowMillis));
            if (errors.size() > DOMAINS) {
                errors.pollFirstEntry();
            }
        }
    }

    /// By domain, the latest last.
    public Map<String, DomainError> errors() {
        synchronized (errors) {
            return new LinkedHashMap<>(errors);
        }
    }

    public SequencedMap<String, Long> counters() {
        SequencedMap<String, Long> counters = new LinkedHashMap<>();
        counters.put("mtaReceivedMessages", receivedMessages.sum());
        counters.put("mtaReceivedRecipients", receivedRecipients.sum());
        counters.put("mtaReceivedVolume", receivedBytes.sum() / KIBI);
        counters.put("mtaTransmittedMessages", transmittedMessages.sum());
        counters.put("mtaTransmittedRecipients", transmittedRecipients.sum());
        counters.put("mtaDeferredRecipients", deferredRecipients.sum());
        counters.put("mtaFailedRecipients", failedRecipients.sum());
        counters.put("mtaRemovedMessages", removedMessages.sum());
        return counters;
    }
}
