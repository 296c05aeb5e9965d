package org.slipstream.server.shard;

import org.jspecify.annotations.Nullable;
import org.slipstream.config.Config;
import org.slipstream.config.ProgramVersion;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.qmgr.QueueQueries.ConnectionsInUse;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.shard.ConcurrencyInUse;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.dispatch.Probing;
import org.slipstream.server.operate.HostControl;
import org.slipstream.server.operate.QueueOperations;
import org.slipstream.server.operate.QueueViewSources;
import org.slipstream.server.operate.StandingOrderControl;
import org.slipstream.server.shard.QueueRun.RunStart;
import org.slipstream.spool.Draft;
import org.slipstream.spool.MovableMessages;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.postgres.LogClaim;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// A shard: a spool in a folder of its own, and the queue manager that delivers from it.
///
/// Shards share settings, mailboxes, and limits, and nothing that one of them could break for the
/// others. indimail's queues are processes for the same reason; here they are threads with a log
/// each.
public final class Shard {
    private static final long CALM_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long ANSWER_SECONDS = 2;
    /// From here on each commit waits for the index.
    private static final double READY_FILL = 0.5;
    /// Troubles with which clients are refused.
    private static final Set<Spool.What> REFUSING = EnumSet.of(Spool.What.LOG, Spool.What.SPACE, Spool.What.INODES,
            Spool.What.STALL);
    private static final long LOOK_AT_DISK_MILLIS = 200;
    private static final Duration UNTIL_THE_DISK_ANSWERS = Duration.ofDays(3_650);

    private final int number;
    private final SpoolConfig where;
    private final Spool spool;
    private volatile ShardMode mode;
    private final AtomicInteger openDrafts = new AtomicInteger();
    private volatile boolean leaving;
    private volatile int failures;
    private int inARow;
    private volatile long startedNanos;
    private volatile ShardState state = ShardState.CLOSED;
    private volatile Optional<HandLoad> handLoad = Optional.empty();
    private volatile @Nullable Running running;
    private final ShardDraining draining;

    /// The work of a shard at present.
    enum ShardState {
        /// It delivers.
        RUNNING,
        /// Its queue manager failed, and a new run begins soon.
        RESTARTING,
        /// Its disk hangs, and the server goes on without it.
        HUNG,
        /// Another node owns it.
        LOST,
        /// Nothing runs.
        CLOSED
    }

    /// A load that an operator has set.
    ///
    /// @param local empty: as measured
    /// @param remote empty: as measured
    record HandLoad(Optional<ConcurrencyInUse> local, Optional<ConcurrencyInUse> remote) {}

    /// A run with the operators' views of it.
    private record Running(QueueRun run, QueueOperations operations, HostControl hosts,
            StandingOrderControl suspensions) {}

    /// Source of the suspensions that were in force before a start.
    @FunctionalInterface
    interface RestoredSuspensions {
        void restore(Inbox inbox);
    }

    /// @param spool open; @param where its settings
    Shard(int number, SpoolConfig where, Spool spool, ShardMode mode) {
        this.number = number;
        this.where = where;
        this.spool = spool;
        this.mode = mode;
        this.draining = new ShardDraining(number, spool, this::move,
                () -> this.mode == ShardMode.DRAINED && state == ShardState.RUNNING);
    }

    /// Opens the spool of a shard and recovers it. Nothing is delivered before [#start].
    ///
    /// @param othersGoOn whether the server has other shards
    /// @param changes takes what becomes of messages
    static Shard open(int number, SpoolConfig where, LongSupplier clock, ShardMode mode, BooleanSupplier othersGoOn,
            Optional<ChangeSink> changes) throws SpoolException {
        return new Shard(number, where, Spools.open(where, clock, number, othersGoOn, changes), mode);
    }

    /// Opens the spool of a shard that this node of a cluster has claimed.
    static Shard openClaimed(LogClaim claim, SpoolConfig where, LongSupplier clock, BooleanSupplier othersGoOn,
            Optional<ChangeSink> changes) throws SpoolException {
        return new Shard(claim.shard(), where, Spools.open(where, clock, claim, othersGoOn, changes), ShardMode.NORMAL);
    }

    /// Starts a run of the queue manager.
    ///
    /// @param suspensions puts the suspensions in force into the inbox
    /// @param failed called when the queue manager has ended with an exception
    void start(ShardServices services, RunStart start, RestoredSuspensions suspensions, Consumer<Throwable> failed)
            throws IOException {
        QueueRun run = new QueueRun(spool, services, start, failed);
        suspensions.restore(run.inbox());
        // Arrivals use the new inbox before the first scan, so none falls between the runs.
        running = new Running(run, operations(services, run),
                new HostControl(run.inbox(), run.dispatcher().commands(), run.places()),
                new StandingOrderControl(spool, run.inbox(), run.dispatcher().commands(), run::transports,
                        run::providers));
        if (mode == ShardMode.HELD) {
            hold(run, true);
        }
        run.start();
        startedNanos = System.nanoTime();
        state = ShardState.RUNNING;
    }

    /// Other settings for the present run.
    void reload(ShardServices services) {
        Running now = running;
        if (now != null) {
            now.run().reload(services);
            running = new Running(now.run(), operations(services, now.run()), now.hosts(), now.suspensions());
        }
    }

    /// The queue manager has ended with an exception. The result is the number of failures in a row:
    /// of those that a run of [#CALM_NANOS] does not separate.
    synchronized int failed() {
        if (mayRestart()) {
            state = ShardState.RESTARTING;
        }
        failures++;
        inARow = System.nanoTime() - startedNanos > CALM_NANOS ? 1 : inARow + 1;
        return inARow;
    }

    /// Ends what the failed run left: deliveries under way finish or are cut.
    void salvage(Duration limit) throws InterruptedException {
        running().run().salvage(limit);
    }

    /// Its disk hangs: from now on no client and no reader waits for it.
    synchronized void giveUp() {
        state = ShardState.HUNG;
        spool.giveUp();
    }

    /// Another node owns it: from now on nothing is delivered, and no client waits for its log.
    synchronized void lose() {
        state = ShardState.LOST;
        run().ifPresent(QueueRun::stopChoosing);
        spool.giveUp();
    }

    /// Ends the run over a spool that was given up, and closes the spool when its disk answers.
    ///
    /// The queue manager begins no more deliveries. Those under way end or are cut, and their outcomes
    /// wait for the disk in memory. The queue manager stays until the log has each of them, so the next
    /// run repeats no delivery of which the outcome is known.
    ///
    /// @param limit for deliveries under way; a local one may hang in the same disk, and is waited for
    /// @param cut runs when the connections are closed
    void closeWhenDiskAnswers(Duration limit, Runnable cut) throws InterruptedException {
        QueueRun run = running().run();
        run.stopChoosing();
        run.closeConnections(limit);
        cut.run();
        while (spool.isSlow()) {
            TimeUnit.MILLISECONDS.sleep(LOOK_AT_DISK_MILLIS);
        }
        // A delivery that waits for a host has no connection any more, so not all may end.
        run.stopQueueManager(limit);
        run.salvage(UNTIL_THE_DISK_ANSWERS);
        spool.close();
    }

    /// Ends the run in order, and closes the spool. New mail is refused before.
    void close(Duration limit) throws InterruptedException {
        end(limit);
        spool.close();
    }

    private void end(Duration limit) throws InterruptedException {
        state = state == ShardState.LOST ? state : ShardState.CLOSED;
        if (running != null) {
            QueueRun run = running().run();
            run.stopChoosing();
            run.closeConnections(limit);
            run.stopQueueManager(limit);
            run.closeDispatcher();
            run.closeJournal(limit);
        }
    }

    private QueueOperations operations(ShardServices services, QueueRun run) {
        Config config = services.config();
        boolean delivers = config.operation().delivers();
        return new QueueOperations(spool, run.inbox(), run.dispatcher().commands(), services.clock(),
                ProgramVersion.version(), config.hostname(),
                new QueueViewSources(delivers, run.carriers()::phase, run.places()::suspended,
                        run.places()::connections, run.places()::explain,
                        new QueueViewSources.Stuck(run.loop()::stuckMessages, run.loop()::stuckNow),
                        services.traces(), services.traffic(), services.tlsLine(), services.transport(),
                        services.sources(),
                        delivers
                                ? Optional.of(new Probing(run.dispatcher().commands(), services.knowsLocally(),
                                        services.probed()))
                                : Optional.empty()),
                config.listen().open().values());
    }

    public int number() {
        return number;
    }

    SpoolConfig where() {
        return where;
    }

    public Spool spool() {
        return spool;
    }

    ShardMode mode() {
        return mode;
    }

    void mode(ShardMode newMode) {
        ShardMode before = mode;
        mode = newMode;
        if ((before == ShardMode.HELD) != (newMode == ShardMode.HELD)) {
            run().ifPresent(run -> hold(run, newMode == ShardMode.HELD));
        }
    }

    private void hold(QueueRun run, boolean held) {
        run.inbox().answer(new QmgrEvent.ShardHeld(number, held));
    }

    /// The operators' view of this shard. It belongs to the present run.
    public QueueOperations operations() {
        return running().operations();
    }

    public HostControl hosts() {
        return running().hosts();
    }

    public StandingOrderControl suspensions() {
        return running().suspensions();
    }

    /// The present run; empty before the start.
    Optional<QueueRun> run() {
        return Optional.ofNullable(running).map(Running::run);
    }

    private Running running() {
        return Objects.requireNonNull(running, "the shard has not started");
    }

    ShardState state() {
        return state;
    }

    int failures() {
        return failures;
    }

    /// No new message is begun here from now on, or again.
    void leave(boolean leaves) {
        leaving = leaves;
    }

    boolean isLeaving() {
        return leaving;
    }

    /// True when new mail can be stored here and the index follows.
    public boolean isReady() {
        return takesMail() && !spool.isSlow() && spool.figures().filled() < READY_FILL
                && spool.troubles().stream().noneMatch(trouble -> REFUSING.contains(trouble.what()));
    }

    boolean takesMail() {
        return (mode == ShardMode.NORMAL || mode == ShardMode.HELD) && !leaving && state != ShardState.RESTARTING
                && mayRestart();
    }

    /// False when its run has ended for good, or its disk hangs.
    boolean mayRestart() {
        return state != ShardState.HUNG && state != ShardState.LOST;
    }

    /// The records that concern all shards, from the queue manager; empty when it does not answer.
    Optional<Spool.CommonRecords> commonRecords() {
        try {
            return Optional.of(running().run().commonRecords().get(ANSWER_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException | TimeoutException unanswered) {
            return Optional.empty();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    /// Begins a new message.
    Draft draft() throws IOException {
        openDrafts.incrementAndGet();
        try {
            return spool.draft(openDrafts::decrementAndGet);
        } catch (IOException | RuntimeException refused) {
            openDrafts.decrementAndGet();
            throw refused;
        }
    }

    /// True when the shard has no message, not even one that is set aside, and none is being written.
    boolean isEmpty() throws IOException {
        return openDrafts.get() == 0 && spool.ids(Optional.empty(), 1).isEmpty();
    }

    // ---- moves

    /// Begins a pass that moves all mail to other shards.
    ///
    /// @param empty runs when there is none
    void drain(Runnable empty) {
        draining.begin(empty);
    }

    /// Ends a drain: this shard takes mail again when no move from it is under way.
    void endDrain() {
        mode(ShardMode.NORMAL);
        leaving = false;
        draining.awaitEnd();
    }

    private CompletableFuture<Result> move(QueueId id) {
        return running().run().dispatcher().commands()
                .give(new QmgrEvent.OperatorCommand.OfMessage(id, new MessageOrder.Move()));
    }

    /// The shard stays open until the move has ended.
    MessageMover.MoveTarget asTarget() {
        openDrafts.incrementAndGet();
        return new MessageMover.MoveTarget() {
            @Override
            public int number() {
                return number;
            }

            @Override
            public MovableMessages spool() {
                return spool;
            }

            @Override
            public void arrived(QmgrEvent.MovedIn message) {
                // A queue manager that starts again finds the message with its first scan.
                run().ifPresent(each -> each.movedIn(message));
            }

            @Override
            public void release() {
                openDrafts.decrementAndGet();
            }
        };
    }

    /// Sets the load by hand; empty: as measured (IM-23).
    void load(Optional<HandLoad> load) {
        handLoad = load;
    }

    boolean hasLoadByHand() {
        return handLoad.isPresent();
    }

    /// The deliveries in progress and their limits, as of the queue manager's last turn.
    ///
    /// @param config with the limits of the server
    /// @param shards that are open: each has its share of them
    ShardLoad load(Config config, int shards, boolean empty) {
        ConnectionsInUse inUse = run().map(each -> each.loop().inUse()).orElse(new ConnectionsInUse(0, 0));
        Optional<HandLoad> byHand = handLoad;
        return new ShardLoad(number,
                byHand.flatMap(HandLoad::local).orElseGet(
                        () -> new ConcurrencyInUse(inUse.local(), config.lanesOfShard(number, true, shards))),
                byHand.flatMap(HandLoad::remote).orElseGet(
                        () -> new ConcurrencyInUse(inUse.remote(), config.lanesOfShard(number, false, shards))),
                !takesMail() && (mode == ShardMode.NORMAL || mode == ShardMode.HELD) ? ShardMode.DISABLED : mode,
                empty);
    }

    void arrived(MessageSummary message) {
        running().run().arrived(message);
    }

    boolean isBehindArrivals() {
        return running().run().loop().isBehindArrivals();
    }

    @Override
    public String toString() {
        return "shard " + number;
    }
}
