package org.slipstream.server.shard;

import org.jspecify.annotations.Nullable;
import org.slipstream.core.MessageSummary;
import org.slipstream.qmgr.run.Inbox;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.config.Config;
import org.slipstream.server.config.ProgramVersion;
import org.slipstream.server.dispatch.MessageOrders;
import org.slipstream.server.dispatch.Probing;
import org.slipstream.server.dispatch.QueueOperations;
import org.slipstream.server.dispatch.QueueViewSources;
import org.slipstream.server.dispatch.SuspensionControl;
import org.slipstream.server.hosts.HostControl;
import org.slipstream.server.shard.QueueRun.RunStart;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.Spools;

import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// A shard: a spool in a folder of its own, and the queue manager that delivers from it.
///
/// Shards share settings, mailboxes, and limits, and nothing that one of them could break for the
/// others. indimail's queues are processes for the same reason; here they are threads with a log
/// each.
public final class Shard {
    private final int number;
    private final SpoolConfig where;
    private final Spool spool;
    private volatile ShardMode mode;
    private volatile @Nullable Running running;

    /// A run with the operators' views of it.
    private record Running(QueueRun run, QueueOperations operations, HostControl hosts,
            SuspensionControl suspensions) {}

    /// Source of the suspensions that were in force before a start.
    @FunctionalInterface
    interface RestoredSuspensions {
        void restore(Inbox inbox) throws IOException;
    }

    private Shard(int number, SpoolConfig where, Spool spool, ShardMode mode) {
        this.number = number;
        this.where = where;
        this.spool = spool;
        this.mode = mode;
    }

    /// Opens the spool of a shard and recovers it. Nothing is delivered before [#start].
    static Shard open(int number, SpoolConfig where, LongSupplier clock, ShardMode mode) throws SpoolException {
        return new Shard(number, where, Spools.open(where, clock), mode);
    }

    /// Starts a run of the queue manager.
    ///
    /// @param suspensions puts the suspensions in force into the inbox
    /// @param failed called when the queue manager has ended with an exception
    void start(ShardServices services, RunStart start, RestoredSuspensions suspensions, Consumer<Throwable> failed)
            throws IOException {
        QueueRun run = new QueueRun(spool, services, start, failed);
        suspensions.restore(run.inbox());
        running = new Running(run, operations(services, run), new HostControl(run.inbox(), run.places()),
                new SuspensionControl(spool, run.inbox(), run.dispatcher().commands()));
        run.start();
    }

    private QueueOperations operations(ShardServices services, QueueRun run) {
        Config config = services.config();
        boolean delivers = config.operation().delivers();
        return new QueueOperations(spool, run.inbox(), run.dispatcher().commands(), services.clock(),
                ProgramVersion.version(), config.hostname(),
                new QueueViewSources(delivers, run.carriers()::phase, run.places()::suspended,
                        run.places()::connections, run.places()::explain, run.loop()::stuckMessages,
                        services.traces(), services.traffic(),
                        delivers
                                ? Optional.of(new Probing(run.dispatcher().commands(), services.knowsLocally()))
                                : Optional.empty()),
                new MessageOrders(config.listen().open().values()));
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
        mode = newMode;
    }

    /// The operators' view of this shard. It belongs to the present run.
    public QueueOperations operations() {
        return running().operations();
    }

    public HostControl hosts() {
        return running().hosts();
    }

    public SuspensionControl suspensions() {
        return running().suspensions();
    }

    /// The present run; empty before the start.
    Optional<QueueRun> run() {
        return Optional.ofNullable(running).map(Running::run);
    }

    private Running running() {
        return Objects.requireNonNull(running, "the shard has not started");
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
