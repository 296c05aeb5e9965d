package org.slipstream.server.operate;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.admin.operations.Metric;
import org.slipstream.admin.operations.ViewOperations.ProviderView;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.RouteText;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.SubmitterView;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.qmgr.QueueQueries.DeliveryCounts;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.intake.EtrnRequests;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex.Found;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A shard in memory. It examines a few messages at a time, and may be out of order.
final class FakeShard implements ShardQueue {
    final int number;
    /// Messages with their senders.
    final TreeMap<QueueId, String> messages = new TreeMap<>();
    final List<String> orders = Collections.synchronizedList(new ArrayList<>());
    final List<Suspension> suspensions = new ArrayList<>();
    List<HostOperations.HostView> knownHosts = List.of();
    boolean broken;
    boolean diskStandsStill;
    /// Messages that one search examines; at least one.
    int part = 1_000;
    ShardMode mode = ShardMode.NORMAL;
    ConcurrencyInUse local = new ConcurrencyInUse(2, 10);
    ConcurrencyInUse remote = new ConcurrencyInUse(5, 20);
    List<DestinationView> destinations = List.of();
    List<BusyDestination> busy = List.of();
    List<TroubleView> troubles = List.of();
    List<MessageTrace> stories = List.of();
    Optional<SubjectExplanation> subject = Optional.empty();
    boolean indexIsUnreadable;

    FakeShard(int number) {
        this.number = number;
    }

    static AllShards<OwnShard> all(List<FakeShard> shards) {
        return new AllShards<>(() -> shards.stream().<OwnShard>map(Present::new).toList());
    }

    static ServerLimits limits(int shards) {
        return new ServerLimits(100, 75, shards);
    }

    /// Another object for each question, as those of a server are.
    private static final class Present implements OwnShard {
        private final FakeShard shard;

        Present(FakeShard shard) {
            this.shard = shard;
        }

        @Override
        public int number() {
            return shard.number;
        }

        @Override
        public ShardQueue queue() {
            return shard;
        }

        @Override
        public HostOperations hosts() {
            return shard.hosts();
        }

        @Override
        public ShardStandingOrders suspensions() {
            return shard.suspensions();
        }

        @Override
        public boolean keepsRecords() {
            return number() == 1;
        }

        @Override
        public ShardLoad load() {
            return shard.load();
        }
    }

    static AllShardsOperations operations(List<FakeShard> shards) {
        return AllShardsOperations.of(all(shards), () -> limits(shards.size()), List::of, () -> 60_000);
    }

    FakeShard with(QueueId id, String sender) {
        messages.put(id, sender);
        return this;
    }

    @Override
    public DeliveryCounts deliveryCounts() throws IOException {
        answers();
        return new DeliveryCounts(Map.of(QueuePhase.Code.WINDOW, 3L), 1, 2, List.of());
    }

    @Override
    public List<TroubleView> troubles() throws IOException {
        answers();
        return List.of();
    }

    void answers() throws IOException {
        if (broken) {
            throw new IOException("the queue manager does not answer");
        }
    }

    private String noted(String order) throws IOException {
        answers();
        orders.add(order);
        return order;
    }

    // ---- the part

    private HostOperations hosts() {
        return new FakeHosts();
    }

    private ShardStandingOrders suspensions() {
        return new FakeSuspensions();
    }

    private ShardLoad load() {
        return new ShardLoad(number, local, remote, mode, messages.isEmpty());
    }

    // ---- pages

    /// Only the sender is a filter.
    @Override
    public Found find(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        answers();
        List<QueueId> rest = List.copyOf(after.map(id -> messages.tailMap(id, false)).orElse(messages).keySet());
        int examined = filter.isAny() ? limit : part;
        List<QueueId> found = new ArrayList<>();
        for (int i = 0; i < rest.size(); i++) {
            if (filter.sender().isEmpty() || filter.sender().get().matches(Address.of(messages.get(rest.get(i))))) {
                found.add(rest.get(i));
            }
            if ((i + 1 >= examined || found.size() >= limit) && i + 1 < rest.size()) {
                return new Found(found, Optional.of(rest.get(i)));
            }
        }
        return new Found(found, Optional.empty());
    }

    @Override
    public Found toBeOrdered(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit)
            throws IOException {
        return find(filter, after, limit);
    }

    @Override
    public List<MessageView> views(List<QueueId> ids) {
        return ids.stream().filter(messages::containsKey).map(this::view).toList();
    }

    private MessageView view(QueueId id) {
        return new MessageView(id.toString(), messages.get(id), 1, "deferred", "", "", 0, "", "",
                new PhaseView("retry", "", "", Figures.NONE), Optional.empty(), List.of(),
                SubmitterView.UNKNOWN, List.of(), "", "", Optional.empty());
    }

    @Override
    public List<ShapeRow> shape(ShapeBy by, List<QueueId> ids, Spool.CommonRecords common) {
        Map<String, ShapeRow> rows = new TreeMap<>();
        ids.forEach(id -> rows.merge(messages.get(id), new ShapeRow(messages.get(id),
                List.of(1L, 0L), 0, common.hosts().isEmpty() ? "" : common.hosts().getFirst().host(), "", ""),
                ShapeRow::plus));
        return List.copyOf(rows.values());
    }

    @Override
    public Spool.CommonRecords commonRecords() {
        return new Spool.CommonRecords(List.of(new HostRecord("known to " + number, "RETRY", "", 0, 0, 0, "", "")),
                List.of());
    }

    @Override
    public void order(MessageOrder order, List<QueueId> ids) throws NotOnDiskException {
        ids.forEach(id -> orders.add(word((Record) order) + " " + id));
        if (diskStandsStill) {
            throw new NotOnDiskException();
        }
    }

    @Override
    public long total() throws IOException {
        answers();
        return messages.size();
    }

    // These come from the list above when there is one shard.

    @Override
    public QueuePage list(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        Found found = find(filter, after, limit);
        return new QueuePage(views(found.ids()), found.next().map(QueueId::toString), total());
    }

    @Override
    public MessageCount count(QueueFilter filter, Optional<QueueId> after) throws IOException {
        return new MessageCount(find(filter, after, part).ids().size(), Optional.empty());
    }

    @Override
    public MessageCount order(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MessageCount wouldOrder(MessageOrder order, QueueFilter filter, Optional<QueueId> after) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ShapePage shape(ShapeBy by, Optional<QueueId> after) {
        return new ShapePage(shape(by, List.copyOf(messages.keySet()), commonRecords()), Optional.empty());
    }

    private static String word(Record order) {
        return order.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    }

    @Override
    public Route nextHop(String text) {
        return RouteText.parse(text).orElseThrow();
    }

    // ---- one message

    @Override
    public Optional<MessageView> show(QueueId id) throws IOException {
        noted("show " + id);
        return Optional.of(id).filter(messages::containsKey).map(this::view);
    }

    @Override
    public boolean order(MessageOrder order, QueueId id) throws IOException {
        noted(word((Record) order) + " " + id);
        return messages.containsKey(id);
    }

    @Override
    public Optional<MessageExplanation> explain(QueueId id) throws IOException {
        answers();
        return messages.containsKey(id) || indexIsUnreadable
                ? Optional.of(new MessageExplanation(id.toString(), indexIsUnreadable ? "index" : "retry",
                        "shard " + number, "", "", "", List.of(), List.of(), List.of(), ""))
                : Optional.empty();
    }

    @Override
    public Optional<Content> content(QueueId id) {
        return Optional.empty();
    }

    @Override
    public TraceResult trace(String wanted, int limit) throws IOException {
        return history(wanted, limit);
    }

    @Override
    public TraceResult history(String wanted, int limit) throws IOException {
        noted("history " + wanted);
        return new TraceResult(stories, false, "");
    }

    @Override
    public Optional<MessageTrace> present(MessageTrace story) throws IOException {
        answers();
        return QueueId.parse(story.id()).filter(messages::containsKey)
                .map(_ -> story.withState("in the queue of " + number));
    }

    @Override
    public Optional<MessageTrace> queued(QueueId id) throws IOException {
        answers();
        return Optional.of(id).filter(messages::containsKey).map(_ -> new MessageTrace(id.toString(), "", List.of(),
                0, SubmitterView.UNKNOWN, "in the queue of " + number, true, List.of()));
    }

    // ---- all messages

    @Override
    public SubjectExplanation explain(Subject kind, String name, int most) throws IOException {
        answers();
        return subject.orElseThrow();
    }

    @Override
    public void flushAll(Optional<String> domain) throws IOException {
        noted("flush " + domain.orElse("everything"));
    }

    @Override
    public void flush(String domain) throws IOException {
        flushAll(Optional.of(domain));
    }

    @Override
    public EtrnRequests.Pending pending(String domain) throws IOException {
        answers();
        return new EtrnRequests.Pending(messages.size(), false);
    }

    @Override
    public Optional<VerdictView> verify(Address address) throws IOException {
        noted("verify");
        return Optional.of(new VerdictView(address.toString(), "deliverable", "", "shard " + number, ""));
    }

    @Override
    public Status status() throws IOException {
        answers();
        return new Status("0.1", "mail.example.org", "1970-01-01T00:00:00Z", indexed(messages.size()), indexed(1),
                indexed(0), 3, 1, 2, true, new ConnectionsView(100, 10 * number, number, number, 75), destinations,
                troubles, suspensions().suspensions(), List.of());
    }

    private Optional<Long> indexed(long count) {
        return indexIsUnreadable ? Optional.empty() : Optional.of(count);
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
        return List.of();
    }

    @Override
    public Map<String, Long> counters() {
        return Map.of("mtaReceivedMessages", 12L);
    }

    @Override
    public Activity activity() throws IOException {
        Status now = status();
        return new Activity("1970-01-01T00:01:00Z", now.hostname(), now.started(), now.messages(), now.held(), 3,
                now.connections(), Map.of("mtaReceivedMessages", 9L, Metric.UNANNOUNCED_MESSAGES.word(), 2L),
                now.suspensions(), busy,
                List.of(), 0, List.of());
    }

    // ---- suspensions and hosts

    private final class FakeSuspensions implements ShardStandingOrders {
        @Override
        public List<SuspensionView> suspensions() throws IOException {
            answers();
            return suspensions.stream().map(SuspensionView::of).toList();
        }

        @Override
        public List<LimitView> limits() {
            return List.of();
        }

        @Override
        public Optional<String> refusal(StandingOrder order) {
            return Optional.of("refused by " + number).filter(_ -> order.name().isEmpty());
        }

        @Override
        public void begin(StandingOrder order) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean end(String kind, String name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void keep(StandingOrder order) {
            orders.add("keep " + order.name());
        }

        @Override
        public void forget(String kind, String name) {
            orders.add("forget " + name);
        }

        @Override
        public void beginHere(StandingOrder order) throws IOException {
            answers();
            suspensions.add((Suspension) order);
        }

        @Override
        public boolean endHere(String kind, String name) throws IOException {
            answers();
            return suspensions.removeIf(each -> each.kind().equals(kind) && each.name().equals(name));
        }
    }

    private final class FakeHosts implements HostOperations {
        @Override
        public Hosts hosts() throws IOException {
            answers();
            return new Hosts(knownHosts, 100, 2, 10, 1, 0);
        }

        @Override
        public List<HostView> show(String name) throws IOException {
            answers();
            return knownHosts.stream().filter(host -> host.name().equals(name) || host.host().equals(name)).toList();
        }

        @Override
        public List<String> order(String name, HostOrder order) throws IOException {
            noted(word((Record) order) + " " + name);
            return order instanceof HostOrder.Suspend
                    ? List.of(name)
                    : show(name).stream().map(HostView::host).toList();
        }
    }
}
