package org.slipstream.cli;

import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.StandingOrders.SuspensionView;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.RouteText;
import org.slipstream.core.SettingsRecords;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.QueueFilter;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A queue made of a map.
final class FakeQueue implements Operations {
    final TreeMap<QueueId, MessageView> messages = new TreeMap<>();
    final List<String> orders = new ArrayList<>();
    String why = "450 4.4.1 nobody there";
    boolean broken;
    String next = "";
    Optional<String> nextAttempt = Optional.empty();
    long stuck;
    long unannounced;
    PhaseView phase = new PhaseView("retry", "", "", Figures.NONE);
    Optional<SeatView> seat = Optional.empty();
    Optional<VerdictView> verdict = Optional.empty();
    final List<QueueFilter> filters = new ArrayList<>();
    List<TroubleView> trouble = List.of();
    List<ShapeRow> shape = List.of();
    final java.util.ArrayDeque<Activity> activity = new java.util.ArrayDeque<>();
    int piece = 500;
    /// The queues of shards, when there are several.
    final TreeMap<Integer, FakeQueue> shards = new TreeMap<>();
    List<ShardLine> shardLines = List.of();
    List<String> faults = List.of();
    int requests;

    QueueId put(long number, String sender, String state, String... recipients) {
        QueueId id = new QueueId(number);
        messages.put(id, new MessageView(id.toString(), sender, 2048, state,
                Instant.now().minusSeconds(4000).toString(), Instant.now().plusSeconds(4000).toString(), 3, "", "",
                phase, seat,
                List.of(recipients).stream().map(r -> new RecipientView(r, "open", "", "mx.far.example"))
                        .toList(),
                SubmitterView.UNKNOWN, List.of(), "", "", Optional.empty()));
        return id;
    }

    private MessageView told(MessageView view) {
        return SettingsRecords.with(view, Map.of("nextAttempt", nextAttempt.orElse(view.nextAttempt()), "why", why,
                "next", next, "phase", phase, "recipients", view.recipients().stream()
                        .map(r -> new RecipientView(r.address(), r.state(), why, r.remote())).toList()));
    }

    @Override
    public Optional<VerdictView> verify(Address address) {
        orders.add("verify " + address);
        return verdict;
    }

    @Override
    public Optional<Operations> ofShard(int number) {
        return Optional.ofNullable(shards.get(number));
    }

    private List<MessageView> rest(Optional<QueueId> after) {
        return List.copyOf(after.map(id -> messages.tailMap(id, false)).orElse(messages).values());
    }

    /// Of a filter, only sender and state apply.
    private static boolean fits(QueueFilter filter, MessageView message) {
        return filter.state().map(state -> state.name().toLowerCase(Locale.ROOT).equals(message.state())).orElse(true)
                && (filter.sender().isEmpty() || filter.sender().get().matches(Address.of(message.sender())));
    }

    /// One bounded portion, as the real queue takes it.
    private List<MessageView> piece(QueueFilter filter, Optional<QueueId> after) {
        requests++;
        filters.add(filter);
        return rest(after).stream().limit(piece).filter(message -> fits(filter, message)).toList();
    }

    private Optional<String> next(Optional<QueueId> after) {
        List<MessageView> rest = rest(after);
        return rest.size() > piece ? Optional.of(rest.get(piece - 1).id()) : Optional.empty();
    }

    @Override
    public QueuePage list(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        if (broken) {
            throw new IOException("the queue index does not answer");
        }
        List<MessageView> fitting = piece(filter, after);
        List<MessageView> page = fitting.stream().limit(limit).map(this::told).toList();
        return new QueuePage(page, page.size() < fitting.size() ? Optional.of(page.getLast().id()) : next(after),
                messages.size(), faults);
    }

    @Override
    public MessageCount count(QueueFilter filter, Optional<QueueId> after) {
        return new MessageCount(piece(filter, after).size(), next(after), faults);
    }

    @Override
    public MessageCount wouldOrder(MessageOrder order, QueueFilter filter, Optional<QueueId> after) {
        return count(filter, after);
    }

    @Override
    public MessageCount order(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit) {
        Optional<String> next = next(after);
        List<MessageView> fitting = piece(filter, after);
        fitting.forEach(message -> order(order, QueueId.parse(message.id()).orElseThrow()));
        return new MessageCount(fitting.size(), next, faults);
    }

    @Override
    public Optional<MessageView> show(QueueId id) {
        return Optional.ofNullable(messages.get(id)).map(this::told);
    }

    @Override
    public void flushAll(Optional<String> domain) {
        orders.add("flush " + domain.orElse("everything"));
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
        return new Route.Lmtp(text);
    }

    @Override
    public boolean order(MessageOrder order, QueueId id) {
        if (order instanceof MessageOrder.Delete) {
            return messages.remove(id) != null;
        }
        orders.add(line(order, id));
        return messages.containsKey(id);
    }

    List<SuspensionView> suspensions = List.of();

    @Override
    public Status status() {
        Optional<Long> count = trouble.isEmpty() ? Optional.of((long) messages.size()) : Optional.empty();
        return new Status("0.1", "mail.here.example", Instant.now().toString(), count, count, count, 0, stuck,
                unannounced, true,
                new ConnectionsView(100, 80, 76, 75, 75),
                List.of(new DestinationView("smtp", "far.example", 1, 0, 0, Optional.empty())), trouble, suspensions,
                shardLines);
    }

    @Override
    public ShapePage shape(ShapeBy by, Optional<QueueId> after) {
        return new ShapePage(shape, Optional.empty(), faults);
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
        return activity.removeFirst();
    }

    @Override
    public TraceResult trace(String wanted, int limit) {
        return new TraceResult(List.of(), false, "2026-11-15T10:00:00Z");
    }

    @Override
    public Optional<Content> content(QueueId id) {
        byte[] bytes = "Subject: hello\r\n\r\nbody\r\n".getBytes(StandardCharsets.US_ASCII);
        return Optional.ofNullable(messages.get(id)).map(_ -> new Content() {
            @Override
            public long sizeBytes() {
                return bytes.length;
            }

            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }
        });
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
