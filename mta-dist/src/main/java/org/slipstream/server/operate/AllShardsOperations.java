package org.slipstream.server.operate;

import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.Operations.QueuePage;
import org.slipstream.admin.operations.ViewOperations.ProviderView;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.core.Address;
import org.slipstream.core.Content;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageTrace;
import org.slipstream.core.queue.MessageTrace.TraceResult;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.qmgr.QueueQueries.DeliveryCounts;
import org.slipstream.qmgr.trace.ProviderFigures;
import org.slipstream.server.intake.EtrnRequests;
import org.slipstream.server.operate.AllShards.ShardQuestion;
import org.slipstream.server.operate.ShardReplies.ShardReply;
import org.slipstream.server.view.Views;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex.Found;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Operators' views and orders over all shards, as if there were one queue.
///
/// Pages are in order of id over all shards and have one cursor. A shard that cannot be read is named
/// in the answer, which has the messages of the others. An order for the whole queue that does not
/// reach a shard fails after it has reached the others.
public final class AllShardsOperations implements Operations, EtrnRequests.Queue {
    /// Limit for a count in each shard, which needs only the ids.
    private static final int COUNTED_AT_ONCE = 20_000;
    private static final int SHAPED_AT_ONCE = 1_000;

    private final AllShards<ShardPart> server;
    private final AllShards<ShardPart> shards;
    private final Supplier<ServerLimits> limits;
    private final Supplier<List<TroubleView>> troubles;
    private final LongSupplier clockMillis;

    /// @param server all shards
    /// @param shards those that the operations are about
    /// @param troubles those that no shard knows
    private AllShardsOperations(AllShards<ShardPart> server, AllShards<ShardPart> shards, Supplier<ServerLimits> limits,
            Supplier<List<TroubleView>> troubles, LongSupplier clockMillis) {
        this.troubles = troubles;
        this.server = server;
        this.shards = shards;
        this.limits = limits;
        this.clockMillis = clockMillis;
    }

    public static AllShardsOperations of(AllShards<? extends ShardPart> of, Supplier<ServerLimits> limits,
            Supplier<List<TroubleView>> troubles, LongSupplier clockMillis) {
        AllShards<ShardPart> shards = new AllShards<>(() -> List.copyOf(of.parts().get()));
        return new AllShardsOperations(shards, shards, limits, troubles, clockMillis);
    }

    /// The queue of the only shard of a server. It answers by itself, without a number.
    private Optional<ShardQueue> only() {
        List<ShardPart> parts = server.parts().get();
        return parts.size() == 1 && parts.getFirst().node().isEmpty()
                ? Optional.of(parts.getFirst().queue())
                : Optional.empty();
    }

    @Override
    public Optional<Operations> ofShard(int number) {
        AllShards<ShardPart> one = new AllShards<>(
                () -> shards.parts().get().stream().filter(shard -> shard.number() == number).toList());
        return one.parts().get().isEmpty()
                ? Optional.empty()
                : Optional.of(new AllShardsOperations(server, one, limits, troubles, clockMillis));
    }

    // ---- pages

    /// The ids that each shard has found, with the number of its messages.
    private record FoundOf(Found found, long total) {}

    @Override
    public QueuePage list(QueueFilter filter, Optional<QueueId> after, int limit) throws IOException {
        Optional<ShardQueue> only = only();
        if (only.isPresent()) {
            return only.get().list(filter, after, limit);
        }
        ShardReplies<FoundOf> found = shards.ask(
                shard -> new FoundOf(shard.queue().find(filter, after, limit), shard.queue().total())).orFail();
        MergedIds ids = MergedIds.of(found.replies().stream()
                .map(reply -> new ShardReply<>(reply.shard(), reply.value().found())).toList(), limit);
        ShardReplies<List<MessageView>> views = shards.ask(ids.shards(), shard -> shard.queue().views(ids.of(shard))
                .stream().map(view -> view.in(shard.number())).toList());
        return new QueuePage(views.values().stream().flatMap(List::stream)
                .sorted(Comparator.comparing(MessageView::id)).toList(), ids.nextText(),
                found.values().stream().mapToLong(FoundOf::total).sum(), faults(found, views));
    }

    @Override
    public MessageCount count(QueueFilter filter, Optional<QueueId> after) throws IOException {
        if (filter.isAny()) {
            ShardReplies<Long> totals = shards.ask(shard -> shard.queue().total()).orFail();
            return new MessageCount(totals.values().stream().mapToLong(Long::longValue).sum(), Optional.empty(),
                    totals.faultTexts());
        }
        return tally(shard -> shard.queue().find(filter, after, COUNTED_AT_ONCE));
    }

    @Override
    public MessageCount wouldOrder(MessageOrder order, QueueFilter filter, Optional<QueueId> after) throws IOException {
        return tally(shard -> shard.queue().toBeOrdered(order, filter, after, COUNTED_AT_ONCE));
    }

    private MessageCount tally(ShardQuestion<ShardPart, Found> question) throws IOException {
        ShardReplies<Found> found = shards.ask(question).orFail();
        MergedIds ids = MergedIds.of(found.replies(), Integer.MAX_VALUE);
        return new MessageCount(ids.owners().size(), ids.nextText(), found.faultTexts());
    }

    @Override
    public MessageCount order(MessageOrder order, QueueFilter filter, Optional<QueueId> after, int limit)
            throws IOException {
        ShardReplies<Found> found = shards.ask(
                shard -> shard.queue().toBeOrdered(order, filter, after, limit)).orFail();
        MergedIds ids = MergedIds.of(found.replies(), limit);
        ShardReplies<Integer> ordered = shards.ask(ids.shards(), shard -> {
            List<QueueId> own = ids.of(shard);
            shard.queue().order(order, own);
            return own.size();
        });
        if (!ids.shards().isEmpty()) {
            ordered.orFail();
        }
        return new MessageCount(ordered.values().stream().mapToInt(Integer::intValue).sum(), ids.nextText(),
                faults(found, ordered));
    }

    @Override
    public ShapePage shape(ShapeBy by, Optional<QueueId> after) throws IOException {
        Optional<ShardQueue> only = only();
        if (only.isPresent()) {
            return only.get().shape(by, after);
        }
        ShardReplies<Found> found = shards.ask(
                shard -> shard.queue().find(QueueFilter.ANY, after, SHAPED_AT_ONCE)).orFail();
        MergedIds ids = MergedIds.of(found.replies(), Integer.MAX_VALUE);
        ShardReplies<Spool.CommonRecords> common = server.ask(
                server.parts().get().stream().filter(ShardPart::keepsRecords).toList(),
                ShardPart::commonRecords);
        ShardReplies<List<ShapeRow>> shapes = shards.ask(ids.shards(), shard -> shard.queue().shape(by, ids.of(shard),
                common.values().stream().findFirst().orElse(Spool.CommonRecords.NONE)));
        Map<String, ShapeRow> rows = new TreeMap<>();
        shapes.values().forEach(part -> part.forEach(row -> rows.merge(row.name(), row, ShapeRow::plus)));
        return new ShapePage(List.copyOf(rows.values()), ids.nextText(), faults(found, shapes));
    }

    private static List<String> faults(ShardReplies<?> one, ShardReplies<?> other) {
        return Stream.concat(one.faultTexts().stream(), other.faultTexts().stream()).distinct().toList();
    }

    // ---- single messages

    @Override
    public Optional<MessageView> show(QueueId id) throws IOException {
        Optional<ShardQueue> only = only();
        if (only.isPresent()) {
            return only.get().show(id);
        }
        return shards.findOrFail(id, shard -> shard.queue().show(id))
                .map(reply -> reply.value().in(reply.shard().number()));
    }

    @Override
    public boolean order(MessageOrder order, QueueId id) throws IOException {
        return shards.findOrFail(id, shard -> shard.queue().order(order, id) ? Optional.of(true) : Optional.empty())
                .isPresent();
    }

    @Override
    public Optional<Content> content(QueueId id) throws IOException {
        return shards.findOrFail(id, shard -> shard.queue().content(id)).map(ShardReply::value);
    }

    /// A shard whose index cannot be read explains that for each id. Its answer counts only when no
    /// other shard has the message.
    @Override
    public Optional<MessageExplanation> explain(QueueId id) throws IOException {
        List<MessageExplanation> unreadable = new ArrayList<>();
        Optional<MessageExplanation> found = shards.findOrFail(id, shard -> {
            Optional<MessageExplanation> explanation = shard.queue().explain(id);
            explanation.filter(AllShardsOperations::isUnreadable).ifPresent(unreadable::add);
            return explanation.filter(each -> !isUnreadable(each));
        }).map(ShardReply::value);
        return found.or(() -> unreadable.stream().findFirst());
    }

    private static boolean isUnreadable(MessageExplanation explanation) {
        return explanation.reason().equals(QueuePhase.Code.INDEX.word());
    }

    @Override
    public TraceResult trace(String wanted, int limit) throws IOException {
        TraceResult found = history(wanted, limit);
        List<MessageTrace> messages = new ArrayList<>();
        for (MessageTrace message : found.messages()) {
            messages.add(QueueId.parse(message.id()).map(id -> present(id, message)).orElse(message));
        }
        Optional<QueueId> id = QueueId.parse(wanted);
        if (messages.isEmpty() && id.isPresent()) {
            shards.findOrFail(id.get(), shard -> shard.queue().queued(id.get()))
                    .ifPresent(reply -> messages.add(reply.value()));
        }
        return new TraceResult(messages, found.more(), found.since(), found.faults());
    }

    /// The shards of one node have the same history, and each node has one of its own.
    private TraceResult history(String wanted, int limit) throws IOException {
        Map<String, ShardPart> nodes = new LinkedHashMap<>();
        shards.parts().get().stream().filter(shard -> !(shard instanceof WaitingShard))
                .forEach(shard -> nodes.putIfAbsent(shard.node(), shard));
        if (nodes.size() < 2) {
            return shards.askAny(shard -> shard.queue().history(wanted, limit));
        }
        ShardReplies<TraceResult> found = shards.ask(List.copyOf(nodes.values()),
                shard -> shard.queue().history(wanted, limit));
        return MergedStories.of(found.orFail().values(), limit, found.faultTexts());
    }

    private MessageTrace present(QueueId id, MessageTrace message) {
        ShardReplies<MessageTrace> found = shards.find(id, shard -> shard.queue().present(message));
        return found.values().stream().findFirst().orElseGet(() -> found.faults().isEmpty()
                ? message.absent()
                : message.withState(message.state() + "; not read: " + String.join("; ", found.faultTexts())));
    }

    // ---- all messages

    @Override
    public void flushAll(Optional<String> domain) throws IOException {
        shards.ask(shard -> {
            shard.queue().flushAll(domain);
            return true;
        }).orFailIncomplete();
    }

    @Override
    public EtrnRequests.Pending pending(String domain) throws IOException {
        ShardReplies<EtrnRequests.Pending> pending = shards.ask(shard -> shard.queue().pending(domain)).orFail();
        return new EtrnRequests.Pending(pending.values().stream().mapToInt(EtrnRequests.Pending::messages).sum(),
                !pending.faults().isEmpty() || pending.values().stream().anyMatch(EtrnRequests.Pending::more));
    }

    /// A client of ETRN cannot tell the operator, so the mail of one shard is better than none.
    @Override
    public void flush(String domain) throws IOException {
        shards.ask(shard -> {
            shard.queue().flush(domain);
            return true;
        }).orFail();
    }

    // ---- the server

    /// The deliveries in memory, of the shards that answer.
    public DeliveryCounts deliveryCounts() {
        Map<QueuePhase.Code, Long> waiting = new EnumMap<>(QueuePhase.Code.class);
        long open = 0;
        long running = 0;
        SortedMap<String, ProviderFigures> providers = new TreeMap<>();
        for (DeliveryCounts each : server.ask(server.parts().get(), shard -> shard.queue().deliveryCounts()).values()) {
            each.waiting().forEach((gate, count) -> waiting.merge(gate, count, Long::sum));
            open += each.open();
            running += each.running();
            each.providers().forEach(one -> providers.merge(one.name(), one, ProviderFigures::plus));
        }
        return new DeliveryCounts(waiting, open, running, List.copyOf(providers.values()));
    }

    /// The list of troubles, as the status has it. It is there when the status is not.
    public List<TroubleView> troubles() {
        ShardReplies<List<TroubleView>> replies = server.ask(server.parts().get(), shard -> shard.queue().troubles());
        return Stream.concat(MergedViews.troubles(replies, server.parts().get().size()).stream(),
                troublesOfServer().stream()).toList();
    }

    @Override
    public Route nextHop(String text) {
        List<ShardPart> parts = shards.parts().get();
        return parts.stream().filter(part -> !(part instanceof WaitingShard)).findFirst().orElse(parts.getFirst())
                .queue().nextHop(text);
    }

    @Override
    public Optional<VerdictView> verify(Address address) throws IOException {
        return shards.askAny(shard -> shard.queue().verify(address));
    }

    @Override
    public SubjectExplanation explain(Subject subject, String name, int most) throws IOException {
        ShardReplies<SubjectExplanation> parts = shards.ask(shard -> shard.queue().explain(subject, name, most))
                .orFail();
        Map<Integer, SubjectExplanation> byShard = new TreeMap<>();
        parts.replies().forEach(part -> byShard.put(part.shard().number(), part.value()));
        return SubjectText.merged(byShard, parts.faultTexts(), clockMillis.getAsLong());
    }

    @Override
    public Status status() throws IOException {
        Optional<ShardQueue> only = only();
        Status status = only.isPresent()
                ? only.get().status()
                : MergedViews.status(shards.ask(shard -> shard.queue().status()).orFail(), shards.parts().get(),
                        limits.get());
        return status.withTroubles(troublesOfServer());
    }

    private List<TroubleView> troublesOfServer() {
        return Stream.concat(troubles.get().stream(), noShardTakesMail().stream()).toList();
    }

    private Optional<TroubleView> noShardTakesMail() {
        return server.parts().get().stream().filter(shard -> !(shard instanceof RemoteShard))
                .anyMatch(shard -> shard.load().takesMail())
                        ? Optional.empty()
                        : Optional.of(new TroubleView("shards", "", "new mail is refused with 451",
                                "no shard takes mail: each is disabled, drained or starts again (mta shard list;"
                                        + " mta shard enable NUMBER)"));
    }

    @Override
    public SchedulerView scheduler() throws IOException {
        Optional<ShardQueue> only = only();
        return only.isPresent()
                ? only.get().scheduler()
                : MergedViews.scheduler(shards.ask(shard -> shard.queue().scheduler()).orFail());
    }

    /// Each shard has a window of its own; all of them share the errors.
    @Override
    public DestinationDetails destination(String name) throws IOException {
        List<DestinationDetails> parts = shards.ask(shard -> shard.queue().destination(name)).orFail().values();
        return new DestinationDetails(name, parts.stream().flatMap(each -> each.windows().stream()).toList(),
                parts.getFirst().errors());
    }

    @Override
    public List<ProviderView> providers() {
        return deliveryCounts().providers().stream().map(Views::provider).toList();
    }

    /// Shards share the counters of the server.
    @Override
    public Map<String, Long> counters() throws IOException {
        return shards.askAny(shard -> shard.queue().counters());
    }

    @Override
    public Activity activity() throws IOException {
        Optional<ShardQueue> only = only();
        Activity activity = only.isPresent()
                ? only.get().activity()
                : MergedViews.activity(shards.ask(shard -> shard.queue().activity()).orFail(), shards.parts().get(),
                        limits.get());
        return activity.withTroubles(troublesOfServer());
    }
}
