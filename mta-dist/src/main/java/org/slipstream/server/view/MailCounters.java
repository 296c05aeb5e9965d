package org.slipstream.server.view;

import org.slipstream.admin.operations.Metric;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.monitor.GroupedHistogram;
import org.slipstream.qmgr.event.OrderSink;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/// Counts mail since the start of the server, and keeps the latest error of each domain. The names
/// are those of MTA-MIB (RFC 2789) where it has one.
///
/// The last [#ERRORS] different errors of at most [#DOMAINS] domains are kept, those of the latest ones.
/// A kept reply has at most a KiB, so all errors take at most some ten MiB, however many destinations
/// there are.
public final class MailCounters {
    private static final int DOMAINS = 1_000;
    private static final int ERRORS = 10;
    private static final int KIBI = 1_024;
    private static final double MILLIS = 1_000;
    /// From a relay at rest to the lifetime of mail.
    private static final double[] TIMES = {0.1, 0.5, 1, 5, 30, 60, 300, 900, 3_600, 14_400, 86_400, 432_000};
    private static final int BUSIEST_DOMAINS = 20;

    /// A reply that deferred or returned a recipient of a domain, one or more times in a row.
    ///
    /// @param atMillis the last time
    public record DomainError(String reply, long times, long firstMillis, long atMillis) {
        private DomainError again(long nowMillis) {
            return new DomainError(reply, times + 1, firstMillis, nowMillis);
        }
    }

    private final long sinceMillis;
    private final Map<Metric, LongAdder> counts = new EnumMap<>(Metric.class);
    /// The latest error first.
    private final SequencedMap<String, Deque<DomainError>> errors = new LinkedHashMap<>();
    private final LongAdder openedConnections = new LongAdder();
    private final LongAdder failedConnections = new LongAdder();
    private final ReplyCounts replies = new ReplyCounts();
    private final GroupedHistogram timeInQueue = new GroupedHistogram("mta_time_in_queue_seconds",
            "Time from the arrival of a message to the last outcome of a recipient.", "destination", TIMES,
            BUSIEST_DOMAINS, System::nanoTime);

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

    /// Counts the connections that failed among these events.
    public Consumer<QmgrEvent> counting(Consumer<QmgrEvent> events) {
        return event -> {
            if (event instanceof QmgrEvent.ConnectionFailed) {
                failedConnections.increment();
            }
            events.accept(event);
        };
    }

    /// Connections that were begun.
    public long openedConnections() {
        return openedConnections.sum();
    }

    /// Connections of these that failed before a delivery.
    public long failedConnections() {
        return failedConnections.sum();
    }

    /// Recipients with an outcome, of any kind.
    public long outcomes() {
        return Stream.of(Metric.TRANSMITTED_RECIPIENTS, Metric.DEFERRED_RECIPIENTS, Metric.FAILED_RECIPIENTS)
                .mapToLong(each -> Objects.requireNonNull(counts.get(each)).sum()).sum();
    }

    public ReplyCounts replies() {
        return replies;
    }

    /// The time from the arrival of a message to the last outcome of a recipient, by the domain of the
    /// recipient.
    public GroupedHistogram timeInQueue() {
        return timeInQueue;
    }

    /// Counts the outcomes among these orders.
    public OrderSink counting(OrderSink sink, LongSupplier clockMillis) {
        return order -> {
            switch (order) {
                case QmgrOrder.RecordOutcome record -> decided(record, clockMillis.getAsLong());
                case QmgrOrder.Remove _ -> add(Metric.REMOVED_MESSAGES, 1);
                case QmgrOrder.Open _ -> openedConnections.increment();
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
            String domain = record.recipients().get(i).address().domainKey();
            replies.count(each.outcome().reply());
            if (!(each.outcome() instanceof Outcome.Deferred)) {
                timeInQueue.observe(domain, (nowMillis - record.id().createdMillis()) / MILLIS);
            }
            switch (each.outcome()) {
                case Outcome.Delivered _ -> {
                    transmitted = true;
                    add(Metric.TRANSMITTED_RECIPIENTS, 1);
                }
                case Outcome.Deferred _ -> add(Metric.DEFERRED_RECIPIENTS, 1);
                case Outcome.Failed _ -> add(Metric.FAILED_RECIPIENTS, 1);
            }
            remember(domain, each.outcome(), nowMillis);
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
            String reply = outcome.reply().toString();
            Deque<DomainError> latest = Objects.requireNonNullElseGet(errors.remove(domain), ArrayDeque::new);
            latest.addFirst(!latest.isEmpty() && latest.getFirst().reply().equals(reply)
                    ? latest.removeFirst().again(nowMillis)
                    : new DomainError(reply, 1, nowMillis, nowMillis));
            if (latest.size() > ERRORS) {
                latest.removeLast();
            }
            errors.putLast(domain, latest);
            if (errors.size() > DOMAINS) {
                errors.pollFirstEntry();
            }
        }
    }

    /// The latest of each domain, the latest domain last.
    public Map<String, DomainError> errors() {
        synchronized (errors) {
            Map<String, DomainError> latest = new LinkedHashMap<>();
            errors.forEach((domain, all) -> latest.put(domain, all.getFirst()));
            return latest;
        }
    }

    /// The latest errors of a domain, the latest first.
    public List<DomainError> errors(String domain) {
        synchronized (errors) {
            return List.copyOf(errors.getOrDefault(domain, new ArrayDeque<>()));
        }
    }

    /// The counters of the server, by name.
    public Map<String, Long> counters() {
        Map<String, Long> counters = new LinkedHashMap<>();
        counts.forEach((metric, count) -> counters.put(metric.word(),
                metric == Metric.RECEIVED_VOLUME ? count.sum() / KIBI : count.sum()));
        return counters;
    }

    /// The counters of the server, and those of a queue with this status, by name.
    public Map<String, Long> counters(Status status) {
        Map<String, Long> counters = counters();
        for (Metric metric : Metric.values()) {
            metric.ofQueue.ifPresent(part -> counters.put(metric.word(), part.applyAsLong(status)));
        }
        return counters;
    }
}
