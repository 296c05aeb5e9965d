package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.DueQuery;
import org.slipstream.spool.index.IndexDamage;
import org.slipstream.spool.index.IndexException;
import org.slipstream.spool.index.LogIndex;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.Position;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/// The thread `spool-index-1`, with the number of the shard: applies the message log to the index,
/// many records at a time. No other thread writes the index.
///
/// **When.** A record is applied some seconds after it was written, so most messages have been
/// delivered by then and are never entered. It is applied at once when a reader or a scan asks
/// ([#bringUp], [#findDue]), or when the tail grows long.
///
/// **Failures.** Nothing is lost and no client waits: the log has everything, and the [Tail] keeps
/// what the index lacks. The index is opened again twice a second. If it is older than before (an
/// embedded database may lose what was not synced), the log is read again from the index's
/// position. Readers get an error until then; mail is accepted and delivered as long as the tail has
/// space.
///
/// **While the index is made** (after a kill, when it is missing, when its pages are damaged), a [LogIndex] answers in
/// its place, and the [IndexMaker] works on a thread of its own. The change to the new index is a step of this
/// thread, so no question falls between both.
public final class Indexer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Indexer.class);
    /// After a power cut the next start reads at most this much log again.
    private static final long SYNC_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /// A failure that only looks like damage must not rebuild the index repeatedly.
    private static final long MAKE_NANOS = TimeUnit.MINUTES.toNanos(1);
    /// Of two failures within this time that look like damage, the first is taken for chance: a fresh connection may
    /// read the same page.
    private static final long SUSPICION_NANOS = TimeUnit.HOURS.toNanos(1);
    /// A fresh connection to an embedded database has no rival. So a lock that so many of them meet one after
    /// another comes from a damaged page.
    private static final int MOST_LOCKED = 3;
    /// Messages of the queue that are held in memory while the index is made, a part of the heap: some
    /// 80 octets each.
    public static final int MOST_MESSAGES = (int) Math.min(Runtime.getRuntime().maxMemory() / 4 / 80, 1 << 26);
    private static final int BATCH = 2000;
    /// Number of records that a waiting reader is delayed by: a fraction of a second.
    private static final int SOON = 10_000;

    private sealed interface Request {
        record BringUp(CompletableFuture<Void> done) implements Request {}

        record FindDue(DueQuery query, Consumer<QueueIndex.Due> then) implements Request {}

        record Discard(Set<QueueId> files) implements Request {}

        record Step() implements Request {}

        record Damaged(IOException why) implements Request {}

        record Made(QueueIndex made) implements Request {}

        record Stop() implements Request {}
    }

    private final int shard;
    private final MessageLog messageLog;
    private final Tail tail;
    private final HealthReport health;
    private final Cleaner cleaner;
    private final LongPredicate hasRoom;
    private final long delayNanos;
    private final LeftFiles leftFiles;
    private final BlockingQueue<Request> requests = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean ended;
    /// It changes when the index has been made, or has to be made again.
    private volatile QueueIndex index;
    private volatile Optional<IndexMaker> maker;

    private volatile Optional<LogWriter> writer = Optional.empty();

    // Fields below belong to the index thread.
    private boolean cleans;
    private final List<Request.FindDue> queries = new ArrayList<>();
    private Optional<Throwable> down = Optional.empty();
    private Optional<QueueIndex> made = Optional.empty();
    private QueueIndex.Standing standing;
    private boolean unsynced;
    /// True when the last transaction had all records of the tail.
    private boolean appliedWhole;
    private boolean stopping;
    /// Connections in a row that met a lock.
    private int locked;
    private long retryNanos;
    private long madeNanos = System.nanoTime() - MAKE_NANOS;
    private long suspectedNanos = System.nanoTime() - SUSPICION_NANOS;
    private long syncNanos;
    private long lookNanos;

    /// Opens the index and makes it.
    public interface Opening {
        /// @return an index that has the log up to [IndexMaking#end]
        QueueIndex make(IndexMaking making) throws IOException;

        /// The index cannot be used.
        ///
        /// @param closed [#make] is not called again
        default void failed(QueueIndex made, boolean closed) {
            made.discard();
        }
    }

    /// @param serving answers until the index is made; [#close] closes it
    /// @param opening makes the index beside the service, if `serving` is not the index itself
    public record FirstIndex(QueueIndex serving, Optional<Opening> opening) {}

    /// @param hasRoom whether the disk has so many octets
    /// @param shard number of the shard; @param delayMillis age at which a message is entered into the index
    public Indexer(int shard, MessageLog messageLog, FirstIndex start, Tail tail, HealthReport health,
            Cleaner cleaner, LongPredicate hasRoom, long delayMillis) throws IOException {
        this.shard = shard;
        this.messageLog = messageLog;
        this.tail = tail;
        this.health = health;
        this.cleaner = cleaner;
        this.hasRoom = hasRoom;
        delayNanos = TimeUnit.MILLISECONDS.toNanos(delayMillis);
        index = start.serving();
        standing = index.standing();
        leftFiles = new LeftFiles(start.opening().isPresent() ? messageLog.ownFiles() : Set.of());
        maker = start.opening().map(this::maker);
        tail.keepRemovals(maker.isPresent());
        syncNanos = System.nanoTime();
        lookNanos = syncNanos;
        thread = Thread.ofPlatform().daemon().name("spool-index-" + shard).unstarted(this::run);
    }

    private IndexMaker maker(Opening opening) {
        return new IndexMaker(shard, messageLog, tail, this, opening, leftFiles, health.nowMillis());
    }

    /// Any thread: an index is complete but for the last moment.
    void made(QueueIndex fresh) {
        requests.add(new Request.Made(fresh));
    }

    /// Any thread.
    ///
    /// @param bytes for each message of the queue
    void requireRoom(long bytes) throws IOException {
        if (!hasRoom.test(bytes * index.totals().messages())) {
            throw new NoSpaceException("the disk has no space for the queue index");
        }
    }

    /// Any thread: a message that comes in again gets a new content file now.
    void reuseFile(QueueId id) {
        leftFiles.reuse(id);
    }

    /// Any thread: executes a task on the log thread.
    boolean write(Task task) {
        return writer.orElseThrow().add(task);
    }

    /// Any thread.
    boolean isQueued(QueueId id) {
        try {
            return index.locate(id).isPresent();
        } catch (IOException e) {
            // A reader that meets it will tell.
            return false;
        }
    }

    /// The index that answers questions now.
    QueueIndex index() {
        return index;
    }

    /// How far the making of the index is; empty when it is made.
    Optional<Spool.Trouble> making() {
        Optional<IndexMaker> current = maker;
        return current.map(each -> each.trouble(messages()));
    }

    private OptionalLong messages() {
        try {
            return OptionalLong.of(index.totals().messages());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /// @param looks the log must not change
    public void start(LogWriter log, boolean looks) {
        writer = Optional.of(log);
        cleans = !looks;
        if (maker.isEmpty()) {
            clean();
        }
        thread.start();
        maker.ifPresent(IndexMaker::start);
    }

    /// Nothing is deleted from the log before the index has it.
    private void clean() {
        if (cleans) {
            cleaner.start(index, writer.orElseThrow()::add, this::step);
        }
    }

    /// Returns when the index has everything that is durable in the log now. May be called by any
    /// thread.
    ///
    /// @throws IOException when the index fails
    void bringUp() throws IOException {
        if (tail.size() > 0 || health.has(Spool.What.INDEX)) {
            settle();
        }
    }

    /// As [#bringUp], and returns when the content files of messages that were removed before are
    /// deleted.
    void settle() throws IOException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        requests.add(new Request.BringUp(done));
        if (ended) {
            refuseAll();
        }
        try {
            health.await(done);
        } catch (CompletionException e) {
            Throwable why = Objects.requireNonNullElse(e.getCause(), e);
            throw new IOException("the queue index is not available: " + why.getMessage(), why);
        }
    }

    /// Any thread: `then` runs on the index thread, at once or when the index is available again.
    void findDue(DueQuery query, Consumer<QueueIndex.Due> then) {
        requests.add(new Request.FindDue(query, then));
    }

    /// Any thread: deletes the content files of removed messages.
    public void discard(Set<QueueId> files) {
        requests.add(new Request.Discard(files));
    }

    /// Any thread: a reader found damaged pages. The index is made again from the log.
    void damaged(IOException why) {
        requests.add(new Request.Damaged(why));
    }

    /// Any thread: the tail has grown, or the cleaner may continue.
    public void step() {
        requests.add(new Request.Step());
    }

    /// Applies everything and closes the index. The log thread has ended before.
    @Override
    public void close() {
        requests.add(new Request.Stop());
        Threads.join(thread);
    }

    private void run() {
        while (!stopping) {
            List<Request> taken = new ArrayList<>();
            try {
                Optional.ofNullable(requests.poll(waitNanos(), TimeUnit.NANOSECONDS)).ifPresent(taken::add);
                requests.drainTo(taken);
                turn(taken);
            } catch (InterruptedException e) {
                log.warn("event=indexer-interrupted");
            } catch (RuntimeException | Error e) {
                log.error("event=indexer-failed", e);
            }
        }
        ended = true;
        refuseAll();
        maker.ifPresent(IndexMaker::close);
        index.close();
    }

    private long waitNanos() {
        long now = System.nanoTime();
        if (down.isPresent()) {
            return Math.max(0, retryNanos - now);
        }
        return Math.max(0, tail.size() > SOON ? 0 : Math.min(delayNanos, lookNanos - now));
    }

    private void turn(List<Request> taken) {
        List<CompletableFuture<Void>> readers = new ArrayList<>();
        for (Request request : taken) {
            switch (request) {
                case Request.BringUp(CompletableFuture<Void> done) -> readers.add(done);
                case Request.FindDue query -> queries.add(query);
                case Request.Discard(Set<QueueId> files) -> delete(files);
                case Request.Stop _ -> stopping = true;
                case Request.Damaged(IOException why) -> failed(why);
                case Request.Made(QueueIndex made) -> this.made = Optional.of(made);
                case Request.Step _ -> {
                    // The wake-up is the purpose.
                }
            }
        }
        if (down.isPresent() && System.nanoTime() - retryNanos < 0 && !stopping) {
            readers.forEach(each -> each.completeExceptionally(down.get()));
            return;
        }
        try {
            work(!readers.isEmpty() || !queries.isEmpty() || stopping);
            takeMade();
            readers.forEach(each -> each.complete(null));
            runQueries();
            maintain();
            locked = 0;
        } catch (IOException | RuntimeException | Error e) {
            failed(e);
            readers.forEach(each -> each.completeExceptionally(e));
        }
    }

    /// Any thread.
    private void refuseAll() {
        for (Request each = requests.poll(); each != null; each = requests.poll()) {
            if (each instanceof Request.BringUp(CompletableFuture<Void> done)) {
                done.completeExceptionally(new IOException("the spool is closed"));
            }
        }
    }

    private void work(boolean all) throws IOException {
        if (down.isPresent()) {
            reopen();
        }
        long now = System.nanoTime();
        apply(all || tail.size() > SOON ? now : now - delayNanos);
    }

    private void apply(long beforeNanos) throws IOException {
        for (Tail.Batch batch = tail.take(beforeNanos, BATCH); !batch.records().isEmpty(); batch = tail
                .take(beforeNanos, BATCH)) {
            try {
                appliedWhole = true;
                apply(batch);
            } catch (IndexException e) {
                if (!e.aboutData()) {
                    throw e;
                }
                appliedWhole = false;
                applyOneByOne();
            }
            tail.applied();
        }
    }

    private void apply(Tail.Batch batch) throws IndexException {
        health.begins(Spool.What.INDEX);
        try {
            Set<QueueId> files = index.apply(batch.records(), batch.position(), batch.lastId());
            standing = new QueueIndex.Standing(batch.position(), Math.max(standing.lastId(), batch.lastId()),
                    standing.applied() + 1);
            unsynced = true;
            delete(files);
        } finally {
            health.ends(Spool.What.INDEX);
        }
    }

    /// A record with values that the database rejects is left out alone.
    private void applyOneByOne() throws IndexException {
        for (Tail.Batch batch : tail.single()) {
            try {
                apply(batch);
            } catch (IndexException e) {
                if (!e.aboutData()) {
                    throw e;
                }
                log.error("event=record-not-indexed records=\"{}\" error=\"{}\" next=\"the record stays in the log\"",
                        LogText.text(batch.records().toString()), LogText.text(e.toString()));
                setAside(batch);
            }
        }
    }

    /// A message whose outcome the index cannot store must not be delivered again.
    private void setAside(Tail.Batch batch) throws IndexException {
        if (batch.records().getFirst() instanceof LogRecord.OfMessage record) {
            apply(new Tail.Batch(List.of(new LogRecord.SetAside(record.id())), batch.position(), batch.lastId()));
        }
    }

    private void delete(Set<QueueId> files) {
        for (QueueId id : files) {
            try {
                messageLog.deleteOwnFile(id);
            } catch (IOException e) {
                // The next start deletes it.
                log.warn("event=file-not-deleted queue={} error=\"{}\"", id, e.toString());
            }
        }
    }

    private void runQueries() throws IOException {
        while (!queries.isEmpty() && !stopping) {
            health.begins(Spool.What.INDEX);
            try {
                QueueIndex.Due due = index.due(queries.getFirst().query());
                queries.removeFirst().then().accept(due);
            } finally {
                health.ends(Spool.What.INDEX);
            }
        }
    }

    private void maintain() throws IOException {
        long now = System.nanoTime();
        if (now - lookNanos >= 0 || stopping) {
            lookNanos = now + LOOK_NANOS;
            if (tail.position().segment() > standing.position().segment() || stopping) {
                advance();
            }
        }
        if (stopping || unsynced && now - syncNanos >= 0) {
            sync();
        }
        if (!stopping) {
            cleaner.step(standing.position(), this::sync);
        }
        health.over(Spool.What.INDEX);
    }

    /// Serves from the log, and makes the index again beside it.
    private void makeAgain(String reason) throws IOException {
        madeNanos = System.nanoTime();
        log.warn("event=index-made-again-from-log reason=\"{}\"", LogText.text(reason));
        QueueIndex damaged = index;
        cleaner.stop();
        tail.keepRemovals(true);
        index = new LogIndex(messageLog, MOST_MESSAGES);
        standing = index.standing();
        IndexMaker making = maker(new Opening() {
            @Override
            public QueueIndex make(IndexMaking beside) throws IOException {
                damaged.makeAgain();
                return damaged;
            }

            @Override
            public void failed(QueueIndex made, boolean closed) {
                // The next try makes the same index again, and needs its connections.
                if (closed) {
                    made.discard();
                }
            }
        });
        maker = Optional.of(making);
        making.start();
    }

    /// The index has been made up to a moment ago.
    private void takeMade() throws IOException {
        if (made.isEmpty() || stopping) {
            return;
        }
        QueueIndex fresh = made.get();
        IndexMaker from = maker.orElseThrow();
        made = Optional.empty();
        try {
            Recovery.run(messageLog, fresh, tail.unapplied(), IndexMaking.alone(messageLog));
            fresh.sync();
        } catch (IOException | RuntimeException e) {
            from.refuse(e);
            return;
        }
        if (!from.take()) {
            return;
        }
        maker = Optional.empty();
        QueueIndex fromLog = index;
        index = fresh;
        fromLog.close();
        tail.keepRemovals(false);
        standing = fresh.standing();
        unsynced = true;
        clean();
        log.info("event=index-made count={}", fresh.totals().messages());
    }

    /// Moves the position: all earlier records were applied or need no index.
    private void advance() throws IndexException {
        Position reached = tail.position();
        if (!reached.equals(standing.position())) {
            apply(new Tail.Batch(List.of(), reached, tail.lastId()));
        }
    }

    private void sync() throws IndexException {
        advance();
        health.begins(Spool.What.INDEX);
        try {
            index.sync();
            unsynced = false;
            syncNanos = System.nanoTime() + SYNC_NANOS;
        } finally {
            health.ends(Spool.What.INDEX);
        }
    }

    private void failed(Throwable e) {
        retryNanos = System.nanoTime() + RETRY_NANOS;
        if (down.isEmpty()) {
            log.error("event=index-down count={} error=\"{}\"", tail.size(), LogText.text(e.toString()));
        }
        down = Optional.of(e);
        health.met(Spool.What.INDEX, e);
    }

    private void reopen() throws IOException {
        long now = System.nanoTime();
        retryNanos = now + RETRY_NANOS;
        if (maker.isEmpty() && down.filter(each -> isDamage(each, now)).isPresent() && now - madeNanos >= MAKE_NANOS) {
            makeAgain(down.get().toString());
        } else {
            catchUp(index.recover());
        }
        standing = index.standing();
        log.info("event=index-up count={}", tail.size());
        down = Optional.empty();
    }

    private boolean isDamage(Throwable failure, long now) {
        if (IndexDamage.isLock(failure)) {
            return ++locked >= MOST_LOCKED;
        }
        if (IndexDamage.isCertain(failure) || !IndexDamage.isBehind(failure)) {
            return IndexDamage.isCertain(failure);
        }
        boolean again = now - suspectedNanos < SUSPICION_NANOS;
        suspectedNanos = now;
        return again;
    }

    private void catchUp(QueueIndex.Standing found) throws IOException {
        if (found.applied() < standing.applied()) {
            log.warn("event=index-position-moved-back from={} to={} next=\"reading the log again\"",
                    standing.position(),
                    found.position());
            Recovery.run(messageLog, index, tail.unapplied(), IndexMaking.alone(messageLog));
        } else if (found.applied() > standing.applied() && appliedWhole) {
            // The transaction with the unknown end had been committed; applied again, it would
            // count attempts twice.
            tail.applied();
        }
    }
}
