package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.place.HostRow;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.config.Config;
import org.slipstream.server.dispatch.SuspensionControl;
import org.slipstream.server.hosts.HostStore;
import org.slipstream.server.shard.QueueRun.RunStart;
import org.slipstream.spool.Draft;
import org.slipstream.spool.SpoolException;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/// The shards of a server: where new mail goes, and their common start and stop.
public final class ShardSet {
    private static final Logger log = LoggerFactory.getLogger(ShardSet.class);
    private static final int EXIT_INTERNAL = 70;

    private final Config config;
    private final LongSupplier clock;
    /// In order of their numbers.
    private final List<Shard> shards = new CopyOnWriteArrayList<>();

    /// A step of the stop.
    @FunctionalInterface
    interface StopStep<T> {
        void run(T part) throws InterruptedException;
    }

    private ShardSet(Config config, LongSupplier clock) {
        this.config = config;
        this.clock = clock;
    }

    // ---- start

    /// Opens and recovers the spools. Nothing is delivered before [#start].
    public static ShardSet open(Config config, LongSupplier clock) throws SpoolException {
        ShardSet set = new ShardSet(config, clock);
        set.shards.add(Shard.open(1, config.spool(), clock, ShardMode.NORMAL));
        return set;
    }

    /// Starts the queue managers.
    public void start(ShardServices services) throws IOException {
        for (Shard shard : shards) {
            start(shard, services);
        }
    }

    private void start(Shard shard, ShardServices services) throws IOException {
        List<HostRow> known = HostStore.read(first().spool());
        shard.start(services, new RunStart(known, new HostStore(first().spool()),
                config.operation().journal().file()),
                inbox -> SuspensionControl.restore(first().spool(), inbox, clock.getAsLong()),
                trouble -> failed(shard, trouble));
    }

    // Nothing is lost: the log has every message. A supervisor restarts the server.
    private static void failed(Shard shard, Throwable trouble) {
        log.error("event=queue-manager-failed next=\"the process ends\"", trouble);
        Runtime.getRuntime().halt(EXIT_INTERNAL);
    }

    /// The shard with the smallest number. Its spool keeps what concerns all of them: records of
    /// hosts and suspensions.
    public Shard first() {
        return shards.getFirst();
    }

    public List<Shard> all() {
        return List.copyOf(shards);
    }

    // ---- arrival

    /// Begins a new message in the shard that takes the next one.
    public Draft draft() throws IOException {
        return first().spool().draft();
    }

    /// A message was committed.
    public void arrived(MessageSummary message) {
        of(message.id()).arrived(message);
    }

    private Shard of(QueueId id) {
        return first();
    }

    /// True when mail arrives faster than the queue managers take it up.
    public boolean isBehindArrivals() {
        return shards.stream().allMatch(shard -> shard.isBehindArrivals());
    }

    // ---- stop, in this order

    /// From here on no more deliveries are chosen.
    public void stopChoosing() {
        shards.forEach(shard -> shard.run().ifPresent(QueueRun::stopChoosing));
    }

    public void closeConnections(Duration limit) throws InterruptedException {
        eachRun(run -> run.closeConnections(limit));
    }

    public void stopQueueManagers(Duration limit) throws InterruptedException {
        eachRun(run -> run.stopQueueManager(limit));
    }

    public void closeDispatchers() throws InterruptedException {
        eachRun(QueueRun::closeDispatcher);
    }

    public void closeJournals(Duration limit) throws InterruptedException {
        eachRun(run -> run.closeJournal(limit));
    }

    public void closeSpools() throws InterruptedException {
        inParallel(shards, shard -> shard.spool().close());
    }

    private void eachRun(StopStep<QueueRun> step) throws InterruptedException {
        inParallel(shards.stream().map(Shard::run).flatMap(Optional::stream).toList(), step);
    }

    /// All at once, since each may need the whole time.
    private static <T> void inParallel(List<T> parts, StopStep<T> step) throws InterruptedException {
        List<Thread> threads = parts.stream()
                .map(part -> Thread.ofPlatform().daemon().name("stop-shard").start(() -> run(part, step))).toList();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static <T> void run(T part, StopStep<T> step) {
        try {
            step.run(part);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException trouble) {
            log.warn("event=stop-step-failed step=\"{}\"", part, trouble);
        }
    }
}
