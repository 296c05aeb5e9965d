package org.slipstream.admin;

import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.RouteText;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.QueueFilter;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// A queue in memory that records its calls.
final class FakeOperations implements Operations {
    private static final int PIECE = 2;

    final TreeMap<QueueId, MessageView> queue = new TreeMap<>();
    Content content = new TextContent("Subject: hello\r\n\r\nbody\r\n");

    record TextContent(String text) implements Content {
        @Override
        public long sizeBytes() {
            return text.length();
        }

        @Override
        public InputStream open() throws IOException {
            if (text.isEmpty()) {
                throw new IOException("checksum");
            }
            return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    final List<String> orders = new ArrayList<>();
    final List<QueueFilter> filters = new ArrayList<>();
    List<TroubleView> trouble = List.of();
    boolean broken;
    Optional<VerdictView> verdict = Optional.empty();

    QueueId put(long number, String recipient) {
        QueueId id = new QueueId(number);
        queue.put(id, new MessageView(id.toString(), "a@here.example", 1234, "deferred", "2026-11-21T10:00:00Z",
                "2026-11-21T10:05:00Z", 2, "connection refused", "2026-11-21T10:05:00Z (in 4m)",
                new PhaseView("retry", "2026-11-21T10:00:00Z", "2026-11-21T10:05:00Z", Figures.NONE), Optional.empty(),
                List.of(new RecipientView(recipient, "open", "450 4.4.1 connection refused", "mx.far.example")),
                SubmitterView.UNKNOWN, List.of(), "", "", Optional.empty()));
        return id;
    }

    /// Of the filter only the sender applies; a part of the queue is two messages.
    private List<MessageView> piece(QueueFilter filter, Optional<QueueId> after, int limit) {
        return rest(after).limit(limit)
                .filter(message -> filter.sender().filter(
                        wanted -> !wanted.matches(Address.of(message.sender()))).isEmpty())
                .toList();
    }

    private Stream<MessageView> rest(Optional<QueueId> after) {
        return after.map(id -> queue.tailMap(id, false)).orElse(queue).values().stream();
    }

    private Optional<String> next(Optional<QueueId> after, int limit) {
        return rest(after).count() > limit
                ? rest(after).skip(limit - 1).findFirst().map(MessageView::id)
                : Optional.empty();
    }

    /// The order with its argument, as a line.
    private static String line(MessageOrder order, QueueId id) {
        String argument = switch (order) {
            case MessageOrder.Hold(String reason, _) -> reason;
            case MessageOrder.Bounce(String reason) -> reason;
            case MessageOrder.Reroute(Optional<Route> to) -> to.map(RouteText::of).orElse("default");
            case MessageOrder.Priority(int value) -> Integer.toString(value);
            default -> "";
        };
        return order.getClass().getSimpleName().toLowerCase(Locale.ROOT) + " "
                + (argument.isEmpty() ? "" : argument + " ") + id;
    }

    @Override
    public Route nextHop(String text) {
        return RouteText.parse("smtp:[" + text.replace(":", "]:")).orElseThrow(
                () -> new IllegalArgumentException("\"" + text + "\" is not a next hop; use HOST:PORT"));
    }

    boolean diskStandsStill;
    List<ShardLine> shards = List.of();
    final Map<Integer, Operations> ofShard = new java.util.HashMap<>();

    @Override
    public Optional<VerdictView> verify(Address address) {
        orders.add("verify " + address);
        return verdict;
    }

    @Override
    public QueuePage list(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        if (broken) {
            throw new IOException("the queue index does not answer");
        }
        filters.add(filter);
        return new QueuePage(piece(filter, after, limit), next(after, limit), queue.size());
    }

    @Override
    public MessageCount count(QueueFilter filter, Optional<QueueId> after) {
        filters.add(filter);
        return new MessageCount(piece(filter, after, PIECE).size(), next(after, PIECE));
    }

    @Override
    public MessageCount order(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit)
            throws NotOnDiskException {
        filters.add(filter);
        var tally = new MessageCount(piece(filter, after, limit).size(), next(after, limit));
        for (var message : piece(filter, after, limit)) {
            order(order, QueueId.parse(message.id()).orElseThrow());
        }
        return tally;
    }

    @Override
    public MessageCount wouldOrder(MessageOrder order, QueueFilter filter, Optional<QueueId> after) {
        orders.add("would " + order.getClass().getSimpleName().toLowerCase(Locale.ROOT));
        return count(filter, after);
    }

    @Override
    public Optional<MessageView> show(QueueId id) {
        return Optional.ofNullable(queue.get(id));
    }

    @Override
    public boolean order(MessageOrder order, QueueId id) throws NotOnDiskException {
        if (diskStandsStill) {
            throw new NotOnDiskException();
        }
        orders.add(line(order, id));
        return order instanceof MessageOrder.Delete ? queue.remove(id) != null : queue.containsKey(id);
    }

    @Override
    public void flushAll(Optional<String> domain) {
        orders.add("flush all " + domain.orElse("domains"));
    }

    @Override
    public Status status() {
        if (broken) {
            throw new IllegalStateException("the queue manager is gone");
        }
        return new Status("0.1", "mail.example.org", "2026-11-21T09:00:00Z",
                trouble.isEmpty() ? Optional.of((long) queue.size()) : Optional.empty(), Optional.of(0L),
                Optional.of(0L), 1, 0, 0, true, new ConnectionsView(100, 3, 2, 1, 75),
                List.of(new DestinationView("smtp", "far.example", 3, 1, 1, Optional.empty())), trouble, List.of(),
                List.of());
    }

    @Override
    public ShapePage shape(ShapeBy by, Optional<QueueId> after) {
        return new ShapePage(
                List.of(new ShapeRow(by + " after " + after.map(QueueId::toString).orElse("-"), List.of(1L), 0, "",
                        "", "")),
                Optional.empty());
    }

    @Override
    public SchedulerView scheduler() {
        return new SchedulerView("2026-11-21T10:00:00Z", List.of());
    }

    @Override
    public DestinationDetails destination(String name) {
        return new DestinationDetails(name, List.of(), List.of());
    }

    @Override
    public List<ProviderView> providers() {
        return List.of(new ProviderView("google", List.of(".google.com"), List.of(), Optional.of(20), "100/1h",
                Optional.empty(), "", 383, 12, 7, 40));
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("mtaReceivedMessages", 12L);
    }

    @Override
    public Activity activity() {
        return new Activity("2026-11-21T10:00:00Z", "mail.example.org", "2026-11-21T09:00:00Z", Optional.of(7L),
                Optional.of(1L), 3, new ConnectionsView(100, 3, 2, 1, 75), Map.of("mtaReceivedMessages", 12L),
                List.of(),
                List.of(new BusyDestination("smtp", "far.example", "live", "", 5, 20, 2, 2, 4, "2026-11-21T09:50:00Z",
                        "450 4.2.0 later", "2026-11-21T09:59:00Z")),
                shards, 3, List.of());
    }

    @Override
    public Optional<Operations> ofShard(int number) {
        return Optional.ofNullable(ofShard.get(number));
    }

    @Override
    public TraceResult trace(String wanted, int limit) {
        orders.add("trace " + wanted + " " + limit);
        return new TraceResult(List.of(), false, "2026-11-15T10:00:00Z");
    }

    @Override
    public Optional<Content> content(QueueId id) {
        return Optional.ofNullable(queue.get(id)).map(_ -> content);
    }

    @Override
    public Optional<MessageExplanation> explain(QueueId id) {
        return Optional.empty();
    }

    @Override
    public SubjectExplanation explain(Subject subject, String name, int most) {
        return new SubjectExplanation("destination", name, "nothing waits", 0, true, List.of(), "", "",
                "nothing waits for " + name);
    }
}
