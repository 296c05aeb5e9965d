package org.slipstream.server.shard;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.qmgr.event.HostRow;
import org.slipstream.qmgr.place.HostMemory;
import org.slipstream.server.hosts.HostStore;
import org.slipstream.server.operate.AllShardsStandingOrders;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// The records that concern all shards, in the spool of one of them: what is known about hosts, and the
/// standing orders of operators.
///
/// **They move** when that shard is drained: copied into the other log and synced, then named by the file
/// of shards, then removed from the former log. So one copy is in force at any moment: the file decides,
/// and a crash before it leaves the former copy. While they move, orders of operators wait, and changes
/// of hosts are kept in memory.
final class RecordKeeper implements HostMemory, AllShardsStandingOrders.OrderKeeper {
    private static final Logger log = LoggerFactory.getLogger(RecordKeeper.class);
    private static final long SYNC_SECONDS = 30;

    private final Supplier<List<Shard>> shards;
    private final Object orders = new Object();
    private volatile Shard keeper;
    /// Changes of hosts while the records move. Guarded by this, as each change of a host.
    private @Nullable List<HostRow.Change> changes;

    /// Names the keeper in the file of shards.
    @FunctionalInterface
    interface KeeperFile {
        void write(int shard) throws IOException;
    }

    /// @param shards that are open now
    RecordKeeper(Supplier<List<Shard>> shards, Shard keeper) {
        this.shards = shards;
        this.keeper = keeper;
    }

    /// Of a start without a file of shards: the first shard with records, or the first one.
    static Shard find(List<Shard> opened) throws IOException {
        for (Shard shard : opened.size() == 1 ? List.<Shard>of() : opened) {
            if (!shard.spool().commonRecords().equals(Spool.CommonRecords.NONE)) {
                return shard;
            }
        }
        return opened.getFirst();
    }

    Shard shard() {
        return keeper;
    }

    boolean is(Shard shard) {
        return keeper.number() == shard.number();
    }

    /// The keeper is open again.
    void reopened(Shard shard) {
        keeper = shard;
    }

    @Override
    public synchronized void changed(List<HostRow.Change> news) {
        if (changes != null) {
            changes.addAll(news);
        } else {
            new HostStore(keeper.spool()).changed(news);
        }
    }

    @Override
    public void with(AllShardsStandingOrders.OrderTask task) throws IOException {
        synchronized (orders) {
            task.run(keeper.suspensions());
        }
    }

    /// The records now. While the disk of the keeper hangs, the other queue managers know them.
    Spool.CommonRecords read() throws IOException {
        if (!keeper.spool().isGivenUp()) {
            return keeper.spool().commonRecords();
        }
        for (Shard other : shards.get()) {
            Optional<Spool.CommonRecords> known = other.commonRecords();
            if (known.isPresent()) {
                return known.get();
            }
        }
        throw new IOException("no shard has the standing orders, because the disk of " + keeper + " hangs");
    }

    /// At a start, before the records are used.
    void forgetExpired(long nowMillis) throws IOException {
        new HostStore(keeper.spool()).forgetExpired(keeper.spool().hosts(), nowMillis);
    }

    /// Another shard keeps the records from now on.
    void moveTo(Shard next, KeeperFile file) throws IOException {
        Shard former = keeper;
        synchronized (orders) {
            synchronized (this) {
                changes = new ArrayList<>();
            }
            try {
                replace(next.spool(), read());
                file.write(next.number());
                keeper = next;
            } finally {
                flush();
            }
        }
        log.info("event=shard-records-moved from={} to={}", former.number(), next.number());
        if (former.spool().isGivenUp()) {
            return;
        }
        // When the file of shards is lost, the shard with records is the keeper.
        changes(former.spool(), Spool.CommonRecords.NONE).forEach(change -> change.accept(() -> {}));
    }

    private synchronized void flush() {
        List<HostRow.Change> kept = changes == null ? List.of() : changes;
        changes = null;
        new HostStore(keeper.spool()).changed(kept);
    }

    /// Returns when the spool has these records and no others.
    private static void replace(Spool spool, Spool.CommonRecords records) throws IOException {
        List<Consumer<Runnable>> changes = changes(spool, records);
        if (changes.isEmpty()) {
            return;
        }
        // They take effect in their order, so the last one is on disk when all are.
        CompletableFuture<Void> synced = new CompletableFuture<>();
        changes.subList(0, changes.size() - 1).forEach(change -> change.accept(() -> {}));
        changes.getLast().accept(() -> synced.complete(null));
        try {
            synced.get(SYNC_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException unanswered) {
            throw new IOException("the disk of shard " + spool.shard() + " does not answer", unanswered);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("stopping", stop);
        }
    }

    /// The changes that give a spool these records and no others. Each gets the callback of its sync.
    private static List<Consumer<Runnable>> changes(Spool spool, Spool.CommonRecords wanted) throws IOException {
        Spool.CommonRecords there = spool.commonRecords();
        Set<List<String>> kept = wanted.hosts().stream().map(RecordKeeper::key)
                .collect(Collectors.toCollection(HashSet::new));
        wanted.orders().forEach(order -> kept.add(key(order)));
        List<Consumer<Runnable>> changes = new ArrayList<>();
        there.hosts().stream().filter(host -> !kept.contains(key(host)))
                .forEach(host -> changes.add(then -> spool.forgetHost(host.host(), host.kind(), then)));
        there.orders().stream().filter(order -> !kept.contains(key(order)))
                .forEach(order -> changes.add(then -> spool.forgetOrder(order.kind(), order.name(), then)));
        wanted.orders().forEach(order -> changes.add(then -> spool.keepOrder(order, then)));
        wanted.hosts().forEach(host -> changes.add(then -> spool.keepHost(host, then)));
        return changes;
    }

    private static List<String> key(HostRecord host) {
        return List.of("host", host.host(), host.kind());
    }

    private static List<String> key(StandingOrder order) {
        return List.of("order", order.kind(), order.name());
    }
}
