package org.slipstream.server.operate;

import org.slipstream.admin.operations.HostOperations;
import org.slipstream.core.order.HostOrder;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/// The destination database over all shards. Shards share the records of hosts, and each has
/// connections of its own.
///
/// An order names a host as an operator does. The keys are collected from all shards first, because
/// only one of them may know the host by this name, and then all shards get the order for each key.
public final class AllShardsHosts implements HostOperations {
    /// The use of a host; a shard that uses it hides that another does not.
    private static final List<String> USES = List.of("active", "idle", "unused");

    private final AllShards<OwnShard> shards;
    private final Supplier<ServerLimits> limits;

    public AllShardsHosts(AllShards<OwnShard> shards, Supplier<ServerLimits> limits) {
        this.shards = shards;
        this.limits = limits;
    }

    // ---- views

    @Override
    public Hosts hosts() throws IOException {
        List<Hosts> parts = shards.ask(shard -> shard.hosts().hosts()).orFail().values();
        if (parts.size() == 1) {
            return parts.getFirst();
        }
        return new Hosts(merged(parts.stream().flatMap(part -> part.hosts().stream())), limits.get().connections(),
                sum(parts, Hosts::busy), parts.stream().mapToLong(Hosts::opened).sum(),
                parts.stream().mapToLong(Hosts::possibleDuplicates).sum(), sum(parts, Hosts::withoutSeat));
    }

    @Override
    public List<HostView> show(String name) throws IOException {
        return merged(shards.ask(shard -> shard.hosts().show(name)).orFail().values().stream()
                .flatMap(List::stream));
    }

    private static int sum(List<Hosts> parts, ToIntFunction<Hosts> figure) {
        return parts.stream().mapToInt(figure).sum();
    }

    private static List<HostView> merged(Stream<HostView> views) {
        Map<String, HostView> hosts = new TreeMap<>();
        views.forEach(view -> hosts.merge(view.host(), view, AllShardsHosts::merged));
        return List.copyOf(hosts.values());
    }

    private static HostView merged(HostView one, HostView other) {
        List<ConnectionView> connections = new ArrayList<>(one.connections());
        connections.addAll(other.connections());
        Map<String, StateView> states = new LinkedHashMap<>();
        Stream.concat(one.states().stream(), other.states().stream())
                .forEach(state -> states.merge(state.state(), state, AllShardsHosts::latest));
        List<String> uses = USES.stream().filter(states::containsKey).toList();
        uses.stream().skip(1).forEach(states::remove);
        return new HostView(one.host(), one.name().isEmpty() ? other.name() : one.name(),
                List.copyOf(states.values()), connections);
    }

    /// Of two records of the same kind, the one that ends later. A record without an end has no text for it.
    private static StateView latest(StateView one, StateView other) {
        Comparator<StateView> byEnd = Comparator.comparing((StateView state) -> state.until().isEmpty())
                .thenComparing(StateView::until).thenComparingInt(StateView::failures);
        return byEnd.compare(one, other) >= 0 ? one : other;
    }

    // ---- orders

    /// A name that no shard knows may be an address without a record.
    @Override
    public List<String> order(String name, HostOrder order) throws IOException {
        List<String> known = show(name).stream().map(HostView::host).toList();
        List<String> keys = known.isEmpty() ? List.of(name) : known;
        return shards.ask(shard -> {
            List<String> done = new ArrayList<>();
            for (String key : keys) {
                done.addAll(shard.hosts().order(key, order));
            }
            return done;
        }).orFailIncomplete().values().stream().flatMap(List::stream).distinct().sorted().toList();
    }
}
