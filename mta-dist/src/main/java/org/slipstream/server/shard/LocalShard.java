package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.config.Config;
import org.slipstream.config.ShardStore;
import org.slipstream.config.StoredShard;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.shard.ShardLoad.ShardMode;
import org.slipstream.spool.DatabaseLost;
import org.slipstream.spool.Draft;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.postgres.MovedMessages;
import org.slipstream.spool.postgres.MovedMessages.Fate;
import org.slipstream.spool.tools.Spools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/// The shard on the disk of this server that takes new mail while the database does not answer
/// (`spool.database-lost = "keep-here"`). It delivers its mail, and what is left moves into the database when that
/// answers.
///
/// It is a drained shard like any other, except that its messages may come into a log that another node owns a
/// moment later. So a move without an answer is decided by the database ([MovedMessages]), and until then the
/// message is neither delivered here nor moved again. A start asks the same for the moves that a kill cut off.
///
/// Two threads: `keep-here-probe` talks to the database and may wait for it; `keep-here` measures the time without
/// an answer.
final class LocalShard implements MessageMover.MoveDoubts, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LocalShard.class);
    private static final long PROBE_MILLIS = 1_000;
    private static final long LOOK_MILLIS = 200;
    /// Without an answer for longer, new mail is kept here.
    static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(3);
    /// When the database answers again, the node gets grants within this time, or has no part of the limits.
    private static final long GRANTS_NANOS = TimeUnit.SECONDS.toNanos(4);

    private final Shard shard;
    private final MovedMessages moved;
    private final boolean keeps;
    private final LongSupplier nanos;
    private final Map<QueueId, Doubt> doubts = new ConcurrentHashMap<>();
    private final Queue<QueueId> gone = new ConcurrentLinkedQueue<>();
    private final Thread probes = Thread.ofPlatform().daemon().name("keep-here-probe").unstarted(this::probe);
    private final Thread looks = Thread.ofPlatform().daemon().name("keep-here").unstarted(this::look);
    private volatile IntConsumer parts = _ -> {};
    private volatile Supplier<Integer> nodes = () -> 0;
    private volatile long answeredNanos;
    private volatile Optional<String> failure = Optional.empty();
    private volatile boolean mayHaveMail = true;
    private volatile boolean closed;
    // On the thread keep-here.
    private boolean keeping;
    private long silentNanos;

    /// A move without an answer.
    ///
    /// @param into the shard that may have the message; empty: it has, and may take it back
    private record Doubt(OptionalInt into, Consumer<Boolean> then) {}

    private LocalShard(Shard shard, MovedMessages moved, boolean keeps, LongSupplier nanos) {
        this.shard = shard;
        this.moved = moved;
        this.keeps = keeps;
        this.nanos = nanos;
        this.answeredNanos = nanos.getAsLong();
        this.silentNanos = answeredNanos - GRANTS_NANOS;
    }

    /// Empty when this server keeps no mail, and has none left of an earlier time.
    ///
    /// @param used numbers of other shards
    static Optional<LocalShard> open(Config config, LongSupplier clock, LongSupplier nanos, Set<Integer> used,
            Function<StoredShard, Optional<ChangeSink>> changes) throws IOException, SpoolException {
        SpoolConfig where = ShardStore.keptHere(config.spool());
        Path folder = where.directory();
        boolean keeps = config.spool().databaseLost() == DatabaseLost.KEEP_HERE
                && Spools.isInDatabase(config.spool());
        if (!keeps && Files.notExists(folder)) {
            return Optional.empty();
        }
        String url = config.spool().database().orElseThrow(() -> new IOException("the folder " + folder
                + " may have mail that was kept here while the database was gone: set spool.database until it has"
                + " moved, then remove the folder"));
        MovedMessages moved = MovedMessages.open(url, config.cluster().node().orElse(""), used);
        Optional<Shard> opened = Optional.empty();
        try {
            StoredShard stored = new StoredShard(moved.number(), ShardMode.DRAINED, false, folder);
            Shard shard = Shard.open(stored.number(), where, clock, ShardMode.DRAINED, () -> false,
                    changes.apply(stored));
            opened = Optional.of(shard);
            LocalShard local = new LocalShard(shard, moved, keeps, nanos);
            local.settleAtStart();
            return Optional.of(local);
        } catch (IOException | SpoolException | RuntimeException refused) {
            opened.ifPresent(shard -> shard.spool().closeAsInterrupted());
            moved.close();
            throw refused;
        }
    }

    Shard shard() {
        return shard;
    }

    boolean is(Shard other) {
        return other == shard;
    }

    /// True while new mail goes here.
    boolean isKeeping() {
        return keeps && isSilent();
    }

    private boolean isSilent() {
        return failure.isPresent() || nanos.getAsLong() - answeredNanos > SILENT_NANOS;
    }

    /// True while messages may leave.
    boolean mayMove() {
        return !closed && !isSilent();
    }

    // ---- moves without an answer

    /// Before any delivery: the moves that a kill cut off.
    private void settleAtStart() throws IOException {
        Spool spool = shard.spool();
        // The killed process may have a transaction under way.
        moved.settle(List.of(), moved.shards());
        List<QueueId> rows = moved.rows();
        Set<QueueId> here = spool.known(rows);
        moved.forget(rows.stream().filter(id -> !here.contains(id)).toList());
        List<QueueId> taken = new ArrayList<>();
        moved.settle(here, Set.of()).forEach((id, fate) -> {
            switch (fate) {
                case TAKEN -> taken.add(id);
                // Its log has no later owner yet. No scan finds an exported message.
                case UNDECIDED -> {
                    spool.export(id, OptionalLong.empty(), _ -> {});
                    doubts.put(id, new Doubt(OptionalInt.empty(), in -> decided(id, in)));
                }
                case NOT_TAKEN -> {
                    // Its row was removed meanwhile.
                }
            }
        });
        CountDownLatch left = new CountDownLatch(taken.size());
        taken.forEach(id -> spool.left(id, left::countDown));
        try {
            left.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stop);
        }
        moved.forget(taken);
        if (!here.isEmpty()) {
            log.info("event=kept-here-settled shard={} count={} moved={}", shard.number(), here.size(), taken.size());
        }
    }

    private void decided(QueueId id, boolean in) {
        if (in) {
            shard.spool().left(id, () -> left(id));
        } else {
            shard.spool().stays(id);
        }
    }

    @Override
    public boolean isOpen(QueueId id) {
        return doubts.containsKey(id);
    }

    @Override
    public void settle(QueueId id, int into, Consumer<Boolean> then) {
        doubts.put(id, new Doubt(OptionalInt.of(into), then));
    }

    @Override
    public void left(QueueId id) {
        gone.add(id);
    }

    private void settleDoubts() throws IOException {
        Map<QueueId, Doubt> open = Map.copyOf(doubts);
        if (open.isEmpty()) {
            return;
        }
        Set<Integer> into = new HashSet<>();
        open.values().forEach(each -> each.into().ifPresent(into::add));
        moved.settle(open.keySet(), into).forEach((id, fate) -> {
            Doubt doubt = open.get(id);
            if (doubt != null && fate != Fate.UNDECIDED) {
                log.info("event=kept-here-decided queue={} moved={}", id, fate == Fate.TAKEN);
                doubts.remove(id);
                doubt.then().accept(fate == Fate.TAKEN);
            }
        });
    }

    private void forgetGone() throws IOException {
        List<QueueId> ids = List.copyOf(gone);
        if (!ids.isEmpty()) {
            moved.forget(ids);
            gone.removeAll(Set.copyOf(ids));
        }
    }

    // ---- time

    /// @param nodes of the cluster, as it was seen last
    /// @param parts is told whether the node may use its part of the limits ([ShardExchange#goesAlone])
    void start(Supplier<Integer> nodes, IntConsumer parts) {
        this.nodes = nodes;
        this.parts = parts;
        // A start that takes long is no silence.
        answeredNanos = nanos.getAsLong();
        probes.start();
        looks.start();
    }

    private void probe() {
        while (!closed) {
            try {
                moved.probe();
                answeredNanos = nanos.getAsLong();
                failure = Optional.empty();
                settleDoubts();
                forgetGone();
            } catch (IOException | RuntimeException silent) {
                failure = Optional.of(FailureWords.of(silent));
            }
            pause(PROBE_MILLIS);
        }
    }

    private void look() {
        long drained = nanos.getAsLong();
        while (!closed) {
            try {
                boolean silent = isSilent();
                if (isKeeping() != keeping) {
                    change(!keeping);
                }
                long now = nanos.getAsLong();
                silentNanos = silent ? now : silentNanos;
                parts.accept(keeps && now - silentNanos < GRANTS_NANOS ? nodes.get() : 0);
                if (!silent && now - drained >= TimeUnit.MILLISECONDS.toNanos(PROBE_MILLIS)) {
                    drained = now;
                    drain();
                }
            } catch (IOException | RuntimeException trouble) {
                log.warn("event=kept-here-not-moved shard={} error=\"{}\" next=\"tried again\"", shard.number(),
                        LogText.text(FailureWords.of(trouble)));
            }
            pause(LOOK_MILLIS);
        }
    }

    private void change(boolean now) {
        keeping = now;
        if (now) {
            mayHaveMail = true;
            shard.mode(ShardMode.NORMAL);
            log.warn("event=keeping-here shard={} folder={} error=\"{}\" next=\"new mail is kept on this server, in one"
                    + " copy, until the database answers\"", shard.number(), shard.where().directory(),
                    LogText.text(failure.orElse("no answer")));
        } else {
            shard.mode(ShardMode.DRAINED);
            log.info("event=keeping-here-ended shard={} next=\"its mail moves into the database\"", shard.number());
        }
    }

    private void drain() throws IOException {
        if (!mayHaveMail) {
            return;
        }
        // In this order: a message that begins now sets it again.
        mayHaveMail = false;
        if (!shard.isEmpty()) {
            mayHaveMail = true;
            shard.drain(() -> {});
        }
    }

    /// Begins a new message.
    Draft draft() throws IOException {
        Draft draft = shard.draft();
        mayHaveMail = true;
        return draft;
    }

    private void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException stop) {
            closed = true;
        }
    }

    /// Empty when nothing is kept here.
    Optional<TroubleView> trouble() {
        if (isKeeping()) {
            return Optional.of(new TroubleView("kept-here", "",
                    "new mail is kept on this server, in one copy, until the database answers",
                    failure.orElse("the database has not answered for some seconds")));
        }
        if (!mayHaveMail) {
            return Optional.empty();
        }
        try {
            long messages = shard.spool().counts().messages();
            return messages == 0
                    ? Optional.empty()
                    : Optional.of(new TroubleView("kept-here", "", "this mail is in one copy until it has moved",
                            messages + " messages in " + shard.where().directory() + " wait for the database"));
        } catch (IOException unread) {
            return Optional.of(new TroubleView("kept-here", "", "the mail in " + shard.where().directory()
                    + " waits", FailureWords.of(unread)));
        }
    }

    /// From here on no message moves.
    void stopMoving() {
        closed = true;
        looks.interrupt();
    }

    /// The spool is closed by then.
    @Override
    public void close() {
        stopMoving();
        moved.close();
    }
}
