package org.slipstream.cluster;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.spool.postgres.DatabaseCheck;
import org.slipstream.spool.postgres.DatabaseCheck.StandbyFacts;
import org.slipstream.spool.postgres.LogDatabase;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// The thread `cluster-renewal`: puts the questions of [Ownership] to the database, a round each second.
///
/// Its database has connections of its own, so no writer of a log keeps a renewal waiting for one.
public final class ClusterMember implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ClusterMember.class);
    private static final long RENEWAL_MILLIS = OwnershipRules.RENEWAL.toMillis();
    /// A process that had this name and was killed is taken for alive for some seconds.
    private static final int REGISTRATIONS = 5;
    private static final long LAST_ROUND_MILLIS = 2_000;

    private final LogDatabase database;
    private final OwnershipStore store;
    private final Ownership ownership;
    private final Consumer<OwnershipChange> changes;
    private final LongSupplier nanos;
    private final Thread thread;
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private volatile long answeredNanos;
    private volatile @Nullable String trouble;
    private volatile @Nullable SettingPrints settings;
    /// Those that the database has. Of the thread.
    private @Nullable SettingPrints told;
    // Guarded by this.
    private boolean woken;
    private boolean stopping;

    /// @param changes told on this thread; must not block
    /// @param nanos a clock like [System#nanoTime]
    private ClusterMember(LogDatabase database, String node, Consumer<OwnershipChange> changes, LongSupplier nanos) {
        this.database = database;
        this.store = new OwnershipStore(database, node);
        this.ownership = new Ownership(node);
        this.changes = changes;
        this.nanos = nanos;
        this.answeredNanos = nanos.getAsLong();
        this.thread = Thread.ofPlatform().daemon().name("cluster-renewal").unstarted(this::run);
    }

    /// Enters the cluster, and claims shards from now on.
    ///
    /// @param url of the database of the message log
    /// @param address where other nodes reach this one
    public static ClusterMember join(String url, String node, String address, String version,
            Consumer<OwnershipChange> changes, LongSupplier nanos) throws IOException {
        try {
            LogDatabase database = LogDatabase.open(url);
            ClusterMember member = new ClusterMember(database, node, changes, nanos);
            try {
                member.register(node, address, version);
            } catch (SQLException | IOException | RuntimeException e) {
                database.close();
                throw e;
            }
            member.thread.start();
            return member;
        } catch (ClusterFormat.FormatException e) {
            throw new IOException(e.getMessage(), e);
        } catch (SQLException e) {
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(e), e);
        }
    }

    private void register(String node, String address, String version) throws SQLException, IOException {
        for (int i = 1; !store.register(address, version); i++) {
            if (i == REGISTRATIONS) {
                throw new IOException("another server has the name \"" + node + "\" in this cluster and is alive: set"
                        + " another cluster.node");
            }
            try {
                TimeUnit.MILLISECONDS.sleep(RENEWAL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    private void run() {
        try {
            while (!isStopping()) {
                long begin = nanos.getAsLong();
                pause(round()
                        ? ownership.restMillis(nanos.getAsLong())
                        : RENEWAL_MILLIS - TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - begin));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isStopping() {
        return stopping;
    }

    private synchronized void pause(long millis) throws InterruptedException {
        if (!woken && !stopping && millis > 0) {
            wait(millis);
        }
        woken = false;
    }

    private synchronized void wake() {
        woken = true;
        notifyAll();
    }

    /// @return false when a question had no answer
    private boolean round() {
        boolean renewed = false;
        while (!renewed || ownership.hasMore()) {
            long sent = nanos.getAsLong();
            OwnershipQuestion question = ownership.next(sent);
            renewed |= question instanceof OwnershipQuestion.Renew;
            try {
                OwnershipAnswer answer = store.ask(question);
                answeredNanos = nanos.getAsLong();
                if (trouble != null) {
                    trouble = null;
                    log.info("event=cluster-database-answers");
                }
                ownership.answered(question, answer, sent).forEach(this::tell);
            } catch (SQLException | RuntimeException e) {
                ownership.unanswered();
                String words = LogText.text(FailureWords.of(e));
                if (trouble == null) {
                    log.warn("event=cluster-database-silent error=\"{}\" next=\"tried each second; without an answer"
                            + " deliveries stop\"", words);
                }
                trouble = words;
                return false;
            }
        }
        tellSettings();
        if (ownership.isNameTaken() && !isStopping()) {
            log.error("event=cluster-name-taken next=\"this node takes no shard until it is started again; another"
                    + " server has its name\"");
            stopClaiming();
        }
        return true;
    }

    /// Nothing waits for it: a failure is tried again with the next renewal.
    private void tellSettings() {
        SettingPrints now = settings;
        if (now == null || now.equals(told)) {
            return;
        }
        try {
            store.tell(now);
            told = now;
        } catch (SQLException | RuntimeException e) {
            log.debug("event=cluster-settings-not-told error=\"{}\"", LogText.text(FailureWords.of(e)));
        }
    }

    private void tell(OwnershipChange change) {
        (change instanceof OwnershipChange.Taken ? taken : lost).incrementAndGet();
        changes.accept(change);
    }

    // ---- the server's side; any thread

    /// The settings of this node from now on; other nodes can compare them within seconds.
    public void settings(SettingPrints prints) {
        settings = prints;
    }

    /// The log said that the shard has another owner.
    public void fenced(int shard, long epoch) {
        ownership.fenced(shard, epoch).ifPresent(this::tell);
    }

    /// The spool of a shard is closed. A claim on it ends at once.
    public void closed(int shard) {
        ownership.closed(shard);
        wake();
    }

    /// The shard cannot be opened here, so other nodes may take it.
    public void refused(int shard) {
        ownership.refused(shard, nanos.getAsLong());
        wake();
    }

    /// True while a delivery from the shard may begin.
    public boolean mayStart(int shard, long epoch) {
        return ownership.mayStart(shard, epoch, nanos.getAsLong());
    }

    /// True while a delivery from the shard may end.
    public boolean mayEnd(int shard, long epoch) {
        return ownership.mayEnd(shard, epoch, nanos.getAsLong());
    }

    /// The name of this server.
    public String node() {
        return ownership.node();
    }

    /// The cluster now.
    public ClusterLook look() throws IOException {
        try {
            return store.look();
        } catch (SQLException e) {
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(e), e);
        }
    }

    /// The standbys of the database that are connected.
    public List<StandbyFacts> standbys() throws IOException {
        try {
            return DatabaseCheck.standbys(database);
        } catch (SQLException e) {
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(e), e);
        }
    }

    /// The cluster as the last renewal saw it, without a question to the database.
    public Optional<ClusterLook> seen() {
        return ownership.seen().map(Ownership.Seen::look);
    }

    /// Orders that a shard goes to another node.
    ///
    /// @return false when there is no such shard
    public boolean moveTo(int shard, String node) throws IOException {
        try {
            boolean done = store.moveTo(shard, node);
            wake();
            return done;
        } catch (SQLException e) {
            throw new IOException("the database of the cluster does not answer: " + FailureWords.of(e), e);
        }
    }

    /// Milliseconds since the database has not answered; empty while it does.
    public OptionalLong silentMillis() {
        return trouble == null
                ? OptionalLong.empty()
                : OptionalLong.of(TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - answeredNanos));
    }

    /// The failure of the last question; empty while the database answers.
    public Optional<String> trouble() {
        return Optional.ofNullable(trouble);
    }

    /// The shards of this node.
    public Set<Integer> shards() {
        return ownership.shards();
    }

    /// Shards that this node has claimed since its start.
    public long taken() {
        return taken.get();
    }

    /// Shards that this node has lost or given away since its start.
    public long left() {
        return lost.get();
    }

    /// From here on no shard is claimed. The leases of those that are open are renewed still.
    public void stopClaiming() {
        ownership.stop();
    }

    /// Ends the renewals. Shards that were closed before are released, and others take them at once; a shard
    /// that is open still keeps its lease until that ends.
    @Override
    public void close() {
        stopClaiming();
        synchronized (this) {
            if (stopping) {
                return;
            }
            stopping = true;
            notifyAll();
        }
        boolean interrupted = false;
        try {
            thread.join(LAST_ROUND_MILLIS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (!thread.isAlive() && trouble == null) {
            try {
                while (ownership.hasMore()) {
                    store.ask(ownership.next(nanos.getAsLong()));
                }
                store.leave();
            } catch (SQLException e) {
                log.warn("event=cluster-not-left error=\"{}\" next=\"other nodes take the shards when their leases"
                        + " end\"", LogText.text(FailureWords.of(e)));
            }
        }
        database.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
