package org.slipstream.server.shard;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.cluster.ClusterLook;
import org.slipstream.cluster.ClusterLook.ClusterNode;
import org.slipstream.cluster.ClusterMember;
import org.slipstream.cluster.OwnershipChange;
import org.slipstream.config.CommonSettings;
import org.slipstream.config.Config;
import org.slipstream.config.ProgramVersion;
import org.slipstream.config.StoredShard;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.server.dispatch.DeliveryLease;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.postgres.LogClaim;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/// The shards of a node in a cluster. It opens those that the node claims and forgets those that it loses,
/// while the server runs.
///
/// **A lost shard** is forgotten where the loss is found: from then on its lease says no, so no delivery starts
/// and none ends, and new mail goes elsewhere. Its connections are cut and its spool is closed on a thread of
/// its own. The database refuses each later write of that spool, because the shard has another epoch.
///
/// **A shard that leaves** by an order finishes its deliveries first, and is released when its spool is closed.
final class ShardCluster implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ShardCluster.class);
    private static final long FIRST_SHARD_SECONDS = 30;
    /// How often deliveries that were kept back are looked at.
    private static final long RESUME_MILLIS = 500;
    /// A node or a shard that is alone for longer is told.
    private static final long SILENT_MILLIS = 15_000;
    /// Names the last claim of this node, in the folder of the shard.
    private static final String LAST_CLAIM = "claim";
    private static final Duration FINISH = Duration.ofSeconds(9);
    private static final Duration CUT = Duration.ofSeconds(1);

    private final ShardSet shards;
    private final Config config;
    private final ClaimedOpener opener;
    private final Map<Integer, Claim> claims = new ConcurrentHashMap<>();
    private final BlockingQueue<OwnershipChange> toDo = new LinkedBlockingQueue<>();
    /// The connections of all logs.
    private final LogDatabase database;
    private final ClusterMember member;
    private final Thread thread = Thread.ofPlatform().daemon().name("cluster-shards").unstarted(this::run);
    private volatile boolean closed;

    /// Opens the spool of a shard that this node owns.
    @FunctionalInterface
    interface ClaimedOpener {
        Shard open(StoredShard stored, LogClaim claim) throws SpoolException;
    }

    /// One claim, from its beginning to its end. It is the lease of the deliveries from the shard.
    private final class Claim implements DeliveryLease {
        final int number;
        final long epoch;
        final AtomicBoolean ended = new AtomicBoolean();
        volatile boolean lost;
        volatile @Nullable Shard shard;

        Claim(int number, long epoch) {
            this.number = number;
            this.epoch = epoch;
        }

        @Override
        public boolean mayStart() {
            return member.mayStart(number, epoch);
        }

        @Override
        public boolean mayEnd() {
            return member.mayEnd(number, epoch);
        }
    }

    private ShardCluster(Config config, ShardSet shards, ClaimedOpener opener, String node, String address,
            LongSupplier nanos) throws IOException {
        this.config = config;
        this.shards = shards;
        this.opener = opener;
        String url = database(config);
        this.database = LogDatabase.reach(url);
        try {
            this.member = ClusterMember.join(url, node, address, ProgramVersion.version(), this::changed, nanos);
        } catch (IOException | RuntimeException refused) {
            database.close();
            throw refused;
        }
        settings(config);
    }

    /// The settings in force, for `mta cluster check` at any node.
    void settings(Config now) {
        member.settings(CommonSettings.of(now));
    }

    /// The URL of the database of the cluster.
    static String database(Config config) {
        return config.spool().database().orElseThrow();
    }

    /// Joins the cluster, and returns when a shard is open.
    ///
    /// @param address where other nodes reach this one; empty when they do not
    /// @param nanos a clock like [System#nanoTime]
    static ShardCluster join(Config config, ShardSet shards, ClaimedOpener opener, String node, String address,
            LongSupplier nanos) throws IOException {
        ShardCluster cluster = new ShardCluster(config, shards, opener, node, address, nanos);
        try {
            cluster.awaitFirst();
            return cluster;
        } catch (IOException | RuntimeException refused) {
            cluster.close();
            throw refused;
        }
    }

    private void awaitFirst() throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(FIRST_SHARD_SECONDS);
        try {
            while (shards.all().isEmpty()) {
                OwnershipChange change = toDo.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                if (change == null) {
                    throw new IOException("this node got no shard within " + FIRST_SHARD_SECONDS + " s"
                            + member.trouble().map(why -> ": " + why).orElse(""));
                }
                handle(change);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stop);
        }
    }

    /// From now on shards are opened and closed as the claims change.
    void start() {
        thread.start();
    }

    ClusterMember member() {
        return member;
    }

    /// The lease of the deliveries from a shard.
    DeliveryLease lease(Shard shard) {
        Claim claim = claims.get(shard.number());
        return claim != null ? claim : NO_LEASE;
    }

    /// Of a run that begins while its shard is lost.
    private static final DeliveryLease NO_LEASE = new DeliveryLease() {
        @Override
        public boolean mayStart() {
            return false;
        }

        @Override
        public boolean mayEnd() {
            return false;
        }
    };

    // ---- on the thread of the renewals

    private void changed(OwnershipChange change) {
        switch (change) {
            case OwnershipChange.Taken(int number, long epoch) -> {
                claims.put(number, new Claim(number, epoch));
                log.info("event=shard-claimed shard={} epoch={}", number, epoch);
                toDo.add(change);
            }
            case OwnershipChange.Lost(int number, long epoch) -> {
                log.warn("event=shard-lost shard={} epoch={} next=\"another node delivers its mail\"", number, epoch);
                Claim claim = claims.get(number);
                if (claim != null && claim.epoch == epoch) {
                    claim.lost = true;
                    if (claim.shard != null) {
                        forget(claim);
                    }
                }
            }
            case OwnershipChange.Leaving _ -> toDo.add(change);
        }
    }

    private void forget(Claim claim) {
        Shard shard = claim.shard;
        if (shard != null && claim.ended.compareAndSet(false, true)) {
            shard.lose();
            shards.leaves(shard);
            Thread.ofPlatform().daemon().name("shard-lost-" + claim.number)
                    .start(ShardSupervisor.told(() -> end(claim, shard, CUT)));
        }
    }

    private void end(Claim claim, Shard shard, Duration limit) {
        try {
            if (!claim.lost) {
                shards.leaveRecords(shard);
            }
            shard.close(limit);
            if (claim.lost) {
                shards.leaveRecords(shard);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            shards.gone(shard);
            claims.remove(claim.number, claim);
            member.closed(claim.number);
        }
    }

    // ---- on the thread of this class

    private void run() {
        while (!closed) {
            try {
                OwnershipChange change = toDo.poll(RESUME_MILLIS, TimeUnit.MILLISECONDS);
                if (change != null) {
                    handle(change);
                }
                shards.all().forEach(shard -> shard.run().ifPresent(QueueRun::resume));
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                return;
            } catch (RuntimeException | Error broken) {
                log.error("event=task-failed", broken);
            }
        }
    }

    private void handle(OwnershipChange change) {
        Claim claim = claims.get(change.shard());
        if (claim == null) {
            return;
        }
        switch (change) {
            case OwnershipChange.Taken(int _, long epoch) when epoch == claim.epoch -> open(claim);
            case OwnershipChange.Leaving(int _, long epoch, String to) when epoch == claim.epoch -> leave(claim, to);
            default -> {
                // Of an earlier claim.
            }
        }
    }

    private void open(Claim claim) {
        StoredShard stored = new StoredShard(claim.number, ShardMode.NORMAL, false,
                config.shard().folder(config.spool().directory(), claim.number));
        try {
            if (!claim.lost) {
                Shard shard = opened(stored, claim);
                shards.arrives(shard, stored);
                claim.shard = shard;
                if (claim.lost) {
                    forget(claim);
                }
                return;
            }
        } catch (IOException | SpoolException | RuntimeException refused) {
            log.error("event=shard-not-opened shard={} epoch={} error=\"{}\" next=\"other nodes may take it\"",
                    claim.number, claim.epoch, LogText.text(FailureWords.of(refused)));
            claims.remove(claim.number, claim);
            if (!claim.lost) {
                member.refused(claim.number);
                return;
            }
        }
        claims.remove(claim.number, claim);
        member.closed(claim.number);
    }

    /// An index of before is of use when no other node has owned the shard since.
    private Shard opened(StoredShard stored, Claim claim) throws IOException, SpoolException {
        if (!Spools.isInDatabase(stored.spool(config.spool()))) {
            throw new IOException("the folder " + stored.folder() + " has messages in files: deliver them with"
                    + " cluster.node = \"\" and spool.engine = \"files\" first, or set another spool.directory");
        }
        Path known = stored.folder().resolve(LAST_CLAIM);
        if (!Files.exists(known) || !Files.readString(known).equals(claimText(claim.epoch - 1))) {
            Files.deleteIfExists(stored.folder().resolve(IndexDatabase.FILE_NAME));
        }
        Shard shard = opener.open(stored, new LogClaim(database, claim.number, claim.epoch,
                () -> fenced(claim)));
        try {
            Files.writeString(known, claimText(claim.epoch));
            return shard;
        } catch (IOException unwritten) {
            shard.spool().closeAsInterrupted();
            throw unwritten;
        }
    }

    // On a thread of its own, because the log must not wait for the shard.
    private void fenced(Claim claim) {
        if (!claim.lost && !claim.ended.get()) {
            Thread.ofPlatform().daemon().name("shard-lost-" + claim.number)
                    .start(ShardSupervisor.told(() -> member.fenced(claim.number, claim.epoch)));
        }
    }

    private static String claimText(long epoch) {
        return "epoch " + epoch + "\n";
    }

    private void leave(Claim claim, String to) {
        Shard shard = claim.shard;
        if (shard == null || !claim.ended.compareAndSet(false, true)) {
            return;
        }
        log.info("event=shard-leaves shard={} to={}", claim.number, LogText.word(to));
        shard.leave(true);
        shards.leaves(shard);
        Thread.ofPlatform().daemon().name("shard-leaves-" + claim.number).start(ShardSupervisor.told(() -> {
            end(claim, shard, FINISH);
            log.info("event=shard-released shard={} to={}", claim.number, LogText.word(to));
        }));
    }

    // ---- for operators

    /// @param keepsHere whether new mail is kept on this node
    List<TroubleView> troubles(boolean keepsHere) {
        List<TroubleView> troubles = new ArrayList<>();
        member.trouble().ifPresent(why -> troubles.add(new TroubleView("cluster-database", "",
                "no delivery from its shards starts after some seconds, and new mail is "
                        + (keepsHere ? "kept on this node" : "refused with 451"),
                "for " + member.silentMillis().orElse(0) / 1_000 + " s: " + why)));
        if (member.trouble().isEmpty()) {
            member.seen().ifPresent(look -> {
                look.nodes().stream().filter(each -> each.silentMillis() > SILENT_MILLIS)
                        .forEach(each -> troubles.add(new TroubleView("cluster-node", each.name(),
                                "none for mail, other nodes have its shards", "node " + each.name()
                                        + " has not renewed its leases for " + each.silentMillis() / 1_000 + " s")));
                look.shards().stream().filter(each -> each.holder().isEmpty() && -each.leaseMillis() > SILENT_MILLIS)
                        .forEach(each -> troubles.add(new TroubleView("cluster-shard", String.valueOf(each.number()),
                                "its mail waits", "shard " + each.number() + " has had no owner for "
                                        + -each.leaseMillis() / 1_000 + " s (mta cluster status)")));
            });
        }
        return troubles;
    }

    /// @param grants whether deliveries may start by the limits of the cluster
    ClusterFigures figures(boolean grants) {
        List<ClusterNode> nodes = member.seen().map(ClusterLook::nodes).orElse(List.of());
        long alive = nodes.stream().filter(ClusterNode::isAlive).count();
        return new ClusterFigures(member.shards().size(), member.taken(), member.left(), alive, nodes.size() - alive,
                grants);
    }

    // ---- stop

    /// From here on no shard is taken.
    void stopClaiming() {
        closed = true;
        member.stopClaiming();
    }

    /// The spool of the shard is closed, so another node may have it at once.
    void closed(Shard shard) {
        member.closed(shard.number());
    }

    @Override
    public void close() {
        closed = true;
        member.close();
        database.close();
    }
}
