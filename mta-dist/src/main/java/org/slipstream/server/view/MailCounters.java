package org.slipstream.server.view;

import org.slipstream.admin.operations.Metric;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
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
    private final Map<Metric, LongAdder> counts = new EnumMap<>(Metric.class);
    private final SequencedMap<String, DomainError> errors = new LinkedHashMap<>();

    /// @param sinceMillis the start of the server
    public MailCounters(long sinceMillis) {
        this.sinceMillis = sinceMillis;
        Arrays.stream(Metric.values()).filter(Metric::countsEvents).forEach(each -> counts.put(each, new LongAdder()));
    }

    /// The start of the server. A reload, or another run of a queue manager, does not change it.
    public long sinceMillis() {
        return sinceMillis;
    }

    public void received(MessageSummary message) {
        add(Metric.RECEIVED_MESSAGES, 1);
        add(Metric.RECEIVED_RECIPIENTS, message.recipients());
        add(Metric.RECEIVED_VOLUME, message.sizeBytes());
    }

    /// A next hop was asked for a recipient that a client named.
    public void probed() {
        add(Metric.PROBED_RECIPIENTS, 1);
    }

    private void add(Metric metric, long count) {
        Objects.requireNonNull(counts.get(metric)).add(count);
    }

    /// Counts the outcomes among these orders.
    public OrderSink counting(OrderSink sink, LongSupplier clockMillis) {
        return order -> {
            switch (order) {
                case QmgrOrder.RecordOutcome record -> decided(record, clockMillis.getAsLong());
                case QmgrOrder.Remove _ -> add(Metric.REMOVED_MESSAGES, 1);
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
                    add(Metric.TRANSMITTED_RECIPIENTS, 1);
                }
                case Outcome.Deferred _ -> add(Metric.DEFERRED_RECIPIENTS, 1);
                case Outcome.Failed _ -> add(Metric.FAILED_RECIPIENTS, 1);
            }
            remember(record.recipients().get(i).address().domainKey(), each.outcome(), nowMillis);
        }
        if (transmitted) {
            add(Metric.TRANSMITTED_MESSAGES, 1);
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

    /// The counters of the server, and those of a queue with this status, by name.
    public Map<String, Long> counters(Status status) {
        Map<String, Long> counters = new LinkedHashMap<>();
        counts.forEach((metric, count) -> counters.put(metric.word(),
                metric == Metric.RECEIVED_VOLUME ? count.sum() / KIBI : count.sum()));
        for (Metric metric : Metric.values()) {
            metric.ofQueue.ifPresent(part -> counters.put(metric.word(), part.applyAsLong(status)));
        }
        return counters;
    }
}
