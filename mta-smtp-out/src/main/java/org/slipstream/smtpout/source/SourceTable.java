package org.slipstream.smtpout.source;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The sources and pools of the settings: which pool a message has, and in which order it tries the sources of
/// the pool.
///
/// **The pool** is that of the user who handed the message in, else of its sender, else of its destination
/// (`pool` in a `[destination]` clause or its transport), else of its provider. The sender comes first because
/// a pool protects a reputation, and a clause about a destination must not mix two of them.
///
/// **The order** is a shuffle by weight ([#order]): the first source is drawn with the chance of its share, the
/// next one from the rest. Its randomness is the message's number, so a message keeps its order over retries
/// and restarts and needs no memory for it. A message takes the first source of its order that can be used.
/// A share therefore holds in the mean of many messages, and a source that fails spreads its mail over the
/// others by their weights.
public final class SourceTable {
    public static final int MOST_SOURCES = 256;
    public static final int MOST_POOLS = 64;
    public static final SourceTable EMPTY = new SourceTable(Map.of(), Map.of());
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}");

    private final SortedMap<String, SourceSettings> sources;
    private final SortedMap<String, PoolSettings> pools;
    private final Map<String, String> byUser = new HashMap<>();
    private final Map<String, String> bySender = new HashMap<>();
    private final Map<String, String> byProvider = new HashMap<>();

    /// A pool and the line of the settings that gave it.
    ///
    /// @param why such as `sender shop.example`
    public record PoolChoice(String pool, PoolSettings settings, String why) {}

    public SourceTable(Map<String, SourceSettings> sources, Map<String, PoolSettings> pools) {
        this.sources = Collections.unmodifiableSortedMap(new TreeMap<>(sources));
        this.pools = Collections.unmodifiableSortedMap(new TreeMap<>(pools));
        this.pools.forEach((name, pool) -> {
            pool.users().forEach(user -> byUser.putIfAbsent(user, name));
            pool.senders().forEach(sender -> bySender.putIfAbsent(sender, name));
            pool.providers().forEach(provider -> byProvider.putIfAbsent(provider, name));
        });
    }

    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    public SortedMap<String, SourceSettings> sources() {
        return sources;
    }

    public SortedMap<String, PoolSettings> pools() {
        return pools;
    }

    /// Without pools each message leaves by the usual addresses.
    public boolean isEmpty() {
        return pools.isEmpty();
    }

    /// The pool of a message; empty for the usual addresses of the server.
    ///
    /// @param user empty when no user handed the message in
    /// @param clause the pool that a clause names for its destination
    /// @param provider of its destination
    public Optional<PoolChoice> pool(Optional<Address> sender, String user, Optional<String> clause, String provider) {
        Optional<PoolChoice> ofUser = named(byUser, user, "user ");
        Optional<PoolChoice> ofSender = ofUser.or(() -> sender.flatMap(each -> named(bySender, each.key(), "sender ")
                .or(() -> named(bySender, each.folded().key(), "sender "))
                .or(() -> named(bySender, each.domainKey(), "sender "))));
        return ofSender.or(() -> clause.flatMap(name -> choice(name, "destination")))
                .or(() -> named(byProvider, provider, "provider "));
    }

    private Optional<PoolChoice> named(Map<String, String> by, String key, String kind) {
        return Optional.ofNullable(by.get(key)).flatMap(pool -> choice(pool, kind + key));
    }

    private Optional<PoolChoice> choice(String pool, String why) {
        return Optional.ofNullable(pools.get(pool)).map(settings -> new PoolChoice(pool, settings, why));
    }

    /// The sources of a pool in the order in which a message tries them.
    public static List<String> order(PoolSettings pool, QueueId message) {
        List<PoolSettings.PoolMember> left = new ArrayList<>(pool.sources());
        List<String> order = new ArrayList<>(left.size());
        long chance = message.value();
        while (!left.isEmpty()) {
            chance = mixed(chance);
            long at = Long.remainderUnsigned(chance, left.stream().mapToLong(PoolSettings.PoolMember::weight).sum());
            int next = 0;
            while (at >= left.get(next).weight()) {
                at -= left.get(next++).weight();
            }
            order.add(left.remove(next).source());
        }
        return order;
    }

    // Numbers of messages follow each other; SplitMix64 makes them independent.
    private static long mixed(long number) {
        long z = number + 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SourceTable table && sources.equals(table.sources) && pools.equals(table.pools);
    }

    @Override
    public int hashCode() {
        return 31 * sources.hashCode() + pools.hashCode();
    }

    @Override
    public String toString() {
        return sources.keySet() + " in " + pools.keySet();
    }
}
