package org.slipstream.server.operate;

import org.slipstream.admin.operations.Metric;
import org.slipstream.admin.operations.Operations.ConnectionsView;
import org.slipstream.admin.operations.Operations.DestinationView;
import org.slipstream.admin.operations.Operations.Status;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.admin.operations.ShardOperations.UseView;
import org.slipstream.admin.operations.ViewOperations.Activity;
import org.slipstream.admin.operations.ViewOperations.BusyDestination;
import org.slipstream.admin.operations.ViewOperations.SchedulerView;
import org.slipstream.admin.operations.ViewOperations.ShardLine;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.server.operate.ShardReplies.ShardFault;
import org.slipstream.server.view.Views;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The status and the load of a server from those of its shards. Counts are sums. Limits are those of
/// the settings, because a shard knows only the part that it may use now.
final class MergedViews {
    private static final List<String> STATES = List.of("idle", "live", "paused", "dead", "suspended");
    private static final String IDLE = "idle";

    private MergedViews() {}

    // ---- status

    static Status status(ShardReplies<Status> replies, List<ShardPart> shards, ServerLimits limits) {
        List<Status> parts = replies.values();
        Status first = parts.getFirst();
        boolean whole = replies.faults().isEmpty();
        return new Status(first.version(), first.hostname(), first.started(), sum(parts, Status::messages, whole),
                sum(parts, Status::held, whole), sum(parts, Status::corrupt, whole),
                (int) sum(parts, Status::active), sum(parts, Status::stuck),
                sum(parts, Status::unannounced), first.delivers(),
                connections(replies.values(Status::connections), limits),
                destinations(parts.stream().flatMap(part -> part.destinations().stream())),
                troubles(replies, Status::trouble),
                parts.stream().flatMap(part -> part.suspensions().stream()).distinct().toList(),
                lines(shards, replies, part -> new LineCounts(part.messages(), part.held(), part.active(),
                        part.destinations().stream().mapToInt(DestinationView::waiting).sum(),
                        part.connections().open())));
    }

    private static List<DestinationView> destinations(Stream<DestinationView> views) {
        Map<List<String>, DestinationView> merged = new LinkedHashMap<>();
        views.forEach(view -> merged.merge(List.of(view.transport(), view.nextHop()), view,
                (one, other) -> new DestinationView(one.transport(), one.nextHop(), one.waiting() + other.waiting(),
                        one.running() + other.running(), one.connections() + other.connections(),
                        mean(one.meanMillis(), other.meanMillis()))));
        return Views.busiest(merged.values());
    }

    private static Optional<Long> mean(Optional<Long> one, Optional<Long> other) {
        OptionalDouble mean = Stream.concat(one.stream(), other.stream()).mapToLong(Long::longValue).average();
        return mean.isPresent() ? Optional.of(Math.round(mean.getAsDouble())) : Optional.empty();
    }

    private static <T> List<TroubleView> troubles(ShardReplies<T> replies, Function<T, List<TroubleView>> of) {
        List<TroubleView> troubles = new ArrayList<>();
        for (ShardFault fault : replies.faults()) {
            troubles.add(new TroubleView("shard", "", "shard " + fault.shard()
                    + " does not answer; its mail is not in these figures",
                    String.valueOf(fault.reason().getMessage())));
        }
        replies.replies().forEach(reply -> of.apply(reply.value()).forEach(each -> troubles.add(new TroubleView(
                each.what(), each.since(), "shard " + reply.shard().number() + ": " + each.meaning(),
                each.reason()))));
        return troubles;
    }

    /// @param shards the only shard of a server has no number in the texts
    static List<TroubleView> troubles(ShardReplies<List<TroubleView>> replies, int shards) {
        return shards == 1 && replies.faults().isEmpty()
                ? replies.values().getFirst()
                : troubles(replies, Function.identity());
    }

    // ---- load

    static Activity activity(ShardReplies<Activity> replies, List<ShardPart> shards, ServerLimits limits) {
        List<Activity> parts = replies.values();
        Activity first = parts.getFirst();
        boolean whole = replies.faults().isEmpty();
        return new Activity(first.at(), first.hostname(), first.started(), sum(parts, Activity::messages, whole),
                sum(parts, Activity::held, whole), (int) sum(parts, Activity::active),
                connections(replies.values(Activity::connections), limits),
                counters(replies),
                parts.stream().flatMap(part -> part.suspensions().stream()).distinct().toList(),
                busy(parts.stream().flatMap(part -> part.destinations().stream()).toList()),
                lines(shards, replies, part -> new LineCounts(part.messages(), part.held(), part.active(),
                        part.destinations().stream().mapToInt(BusyDestination::waiting).sum(),
                        part.connections().open())),
                limits.shards(),
                troubles(replies, Activity::trouble));
    }

    /// Each shard has a queue manager of its own, and so lists of its own.
    static SchedulerView scheduler(ShardReplies<SchedulerView> replies) {
        return new SchedulerView(replies.values().getFirst().at(), replies.replies().stream()
                .flatMap(reply -> reply.value().transports().stream().map(jobs -> jobs.in(reply.shard().number())))
                .toList());
    }

    /// Shards of one node share its counters, but not those of their queues.
    private static Map<String, Long> counters(ShardReplies<Activity> replies) {
        List<Map<String, Long>> parts = replies.values(Activity::counters);
        Map<String, Map<String, Long>> nodes = new LinkedHashMap<>();
        replies.replies().forEach(reply -> nodes.putIfAbsent(reply.shard().node(), reply.value().counters()));
        Map<String, Long> counters = new LinkedHashMap<>();
        nodes.values().forEach(node -> node.forEach((name, count) -> counters.merge(name, count, Long::sum)));
        Arrays.stream(Metric.values()).filter(each -> each.ofQueue.isPresent()).map(Metric::word).forEach(
                each -> counters.replace(each, sum(parts, part -> part.getOrDefault(each, 0L))));
        return counters;
    }

    /// A destination that is in the memory of one shard is not idle. The window is a limit for the whole
    /// server, the largest that a shard has learned.
    private static List<BusyDestination> busy(List<BusyDestination> rows) {
        Set<String> inMemory = rows.stream().filter(row -> !row.state().equals(IDLE)).map(BusyDestination::nextHop)
                .collect(Collectors.toSet());
        Map<List<String>, BusyDestination> merged = new LinkedHashMap<>();
        rows.stream().filter(row -> !row.state().equals(IDLE) || !inMemory.contains(row.nextHop())).forEach(
                row -> merged.merge(List.of(row.transport(), row.nextHop()), row, MergedViews::merged));
        return Views.busiestInMemory(merged.values());
    }

    private static BusyDestination merged(BusyDestination one, BusyDestination other) {
        BusyDestination state = Comparator.comparingInt((BusyDestination row) -> STATES.indexOf(row.state()))
                .thenComparing(BusyDestination::until).compare(one, other) >= 0 ? one : other;
        BusyDestination error = one.lastErrorAt().compareTo(other.lastErrorAt()) >= 0 ? one : other;
        return new BusyDestination(one.transport(), one.nextHop(), state.state(), state.until(),
                Math.max(one.window(), other.window()), Math.max(one.limit(), other.limit()),
                one.connections() + other.connections(), one.running() + other.running(),
                one.waiting() + other.waiting(),
                Stream.of(one.oldest(), other.oldest()).filter(text -> !text.isEmpty())
                        .min(Comparator.naturalOrder()).orElse(""),
                error.lastError().isEmpty() ? state.lastError() : error.lastError(), error.lastErrorAt());
    }

    // ---- both

    /// The counts of a shard, from its queue index and its queue manager.
    private record LineCounts(Optional<Long> messages, Optional<Long> held, int active, int waiting,
            int connections) {
        static final LineCounts UNKNOWN = new LineCounts(Optional.empty(), Optional.empty(), 0, 0, 0);
    }

    private static <T> List<ShardLine> lines(List<ShardPart> shards, ShardReplies<T> replies,
            Function<T, LineCounts> counts) {
        return shards.stream().sorted(Comparator.comparingInt(ShardPart::number)).map(shard -> replies.replies()
                .stream()
                .filter(reply -> reply.shard().number() == shard.number())
                .map(reply -> line(shard, counts.apply(reply.value()), "")).findFirst()
                .orElseGet(() -> line(shard, LineCounts.UNKNOWN, fault(shard, replies)))).toList();
    }

    private static ShardLine line(ShardPart shard, LineCounts counts, String fault) {
        ShardLoad load = shard.load();
        return new ShardLine(shard.number(), load.mode().name().toLowerCase(Locale.ROOT), use(load.local()),
                use(load.remote()), counts.messages(), counts.held(), counts.active(), counts.waiting(),
                counts.connections(), fault);
    }

    private static UseView use(ConcurrencyInUse use) {
        return new UseView(use.used(), use.limit());
    }

    private static String fault(ShardPart shard, ShardReplies<?> replies) {
        return replies.faults().stream().filter(fault -> fault.shard() == shard.number())
                .map(fault -> String.valueOf(fault.reason().getMessage())).findFirst()
                .orElse("the shard has just begun");
    }

    private static ConnectionsView connections(Collection<ConnectionsView> parts, ServerLimits limits) {
        return new ConnectionsView(limits.connections(),
                (int) sum(parts, ConnectionsView::open), (int) sum(parts, ConnectionsView::opening),
                (int) sum(parts, ConnectionsView::unproven), limits.unproven());
    }

    private static <T> long sum(Collection<T> parts, ToLongFunction<T> figure) {
        return parts.stream().mapToLong(figure).sum();
    }

    /// A sum is unknown when one of its parts is.
    private static <T> Optional<Long> sum(Collection<T> parts, Function<T, Optional<Long>> figure, boolean whole) {
        return whole
                ? parts.stream().map(figure).reduce(Optional.of(0L),
                        (sum, part) -> sum.flatMap(known -> part.map(more -> known + more)))
                : Optional.empty();
    }
}
