package org.slipstream.spool.tools;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.index.IndexDamage;
import org.slipstream.spool.index.IndexDatabase;
import org.slipstream.spool.index.LogIndex;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.UnusableIndexException;
import org.slipstream.spool.log.Directories;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.NewerLogException;
import org.slipstream.spool.log.Position;
import org.slipstream.spool.postgres.InUseException;
import org.slipstream.spool.postgres.LogClaim;
import org.slipstream.spool.postgres.UnreachableException;
import org.slipstream.spool.work.Cleaner;
import org.slipstream.spool.work.CommitTimeout;
import org.slipstream.spool.work.DatabaseWatch;
import org.slipstream.spool.work.DiskTurn;
import org.slipstream.spool.work.DraftMemory;
import org.slipstream.spool.work.HealthReport;
import org.slipstream.spool.work.IndexMaking;
import org.slipstream.spool.work.Indexer;
import org.slipstream.spool.work.LocalSpool;
import org.slipstream.spool.work.LogWriter;
import org.slipstream.spool.work.OpenMark;
import org.slipstream.spool.work.ReaderThreads;
import org.slipstream.spool.work.RecentContents;
import org.slipstream.spool.work.Recovery;
import org.slipstream.spool.work.SpaceGuard;
import org.slipstream.spool.work.SpoolFormat;
import org.slipstream.spool.work.SpoolLock;
import org.slipstream.spool.work.SpoolWatchdog;
import org.slipstream.spool.work.Tail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/// Opens spools.
///
/// The order matters. The version is read first, so that a spool of a newer program is not changed.
/// Then the lock is taken, so that no file of another process is touched. Then the index opens, the
/// end of the log is applied to it, and the log thread starts last. A failure closes everything
/// that was opened before.
public final class Spools {
    private static final Logger log = LoggerFactory.getLogger(Spools.class);
    private static final int READERS = 2;
    /// Clients should wait 10 minutes for the reply to a message (RFC 5321 section 4.5.3.2.6); many
    /// wait for 1 or 2.
    private static final long COMMIT_TIMEOUT_MILLIS = 45_000;
    /// A supervisor restarts the server.
    private static final int EXIT_INTERNAL = 70;
    /// Older messages are read back from the page cache; if they were kept here, the garbage
    /// collector would have to copy them.
    private static final long FRESH_BYTES = 8 << 20;
    /// Share of the heap: 32 of 512 MiB.
    private static final int DRAFTS_SHARE = 16;
    private static final String NOT_CLOSED = "index-not-closed.mv.db";

    private static final long INDEX_DELAY_MILLIS = 2_000;
    /// Each takes some 600 octets of heap.
    private static final int TAIL_MESSAGES = 100_000;
    private static final long TAIL_BYTES = 64 << 20;

    private Spools() {}

    /// @param clock milliseconds since 1970
    public static Spool open(SpoolConfig config, LongSupplier clock) throws SpoolException {
        return open(config, clock, new Parts() {});
    }

    /// Opens the spool of one of several shards.
    ///
    /// @param shard its number, 1 to 64: part of new queue ids and of thread names
    /// @param othersGoOn asked when this spool cannot be written any more: true when the process has other
    ///     spools. Its owner gives it up then ([Spool#hangs]), and the process does not end
    /// @param changes takes what becomes of messages; empty: nothing is told
    public static Spool open(SpoolConfig config, LongSupplier clock, int shard, BooleanSupplier othersGoOn,
            Optional<ChangeSink> changes) throws SpoolException {
        return open(config, clock, new Parts() {
            @Override
            public Optional<ChangeSink> changes() {
                return changes;
            }

            @Override
            public int shard() {
                return shard;
            }

            @Override
            public boolean othersGoOn() {
                return othersGoOn.getAsBoolean();
            }
        });
    }

    /// Opens the spool of a shard that this node has claimed in the database.
    ///
    /// @param claim of the log; its database stays open when the spool is closed
    public static Spool open(SpoolConfig config, LongSupplier clock, LogClaim claim, BooleanSupplier othersGoOn,
            Optional<ChangeSink> changes) throws SpoolException {
        return open(config, clock, new Parts() {
            @Override
            public Optional<ChangeSink> changes() {
                return changes;
            }

            @Override
            public int shard() {
                return claim.shard();
            }

            @Override
            public MessageLog log(SpoolConfig config) throws IOException {
                return LogLocation.open(config, claim);
            }

            @Override
            public boolean othersGoOn() {
                return othersGoOn.getAsBoolean();
            }
        });
    }

    /// Checks whether [#open] may succeed without changing anything: an existing spool's format,
    /// and the database of its log.
    public static void examine(SpoolConfig config) throws SpoolException {
        SpoolFormat.check(config.directory());
        try {
            LogLocation.examine(config);
        } catch (IOException e) {
            throw refusal(config.directory(), e);
        }
    }

    /// Whether the messages of this spool are, or will be, in the database of the settings.
    public static boolean isInDatabase(SpoolConfig config) throws IOException {
        return LogLocation.isInDatabase(config);
    }

    /// Parts that a test may replace.
    // Only tests replace parts, and they see the package of the parts.
    @SuppressWarnings("exports")
    public interface Parts {
        /// Number of the shard.
        default int shard() {
            return 1;
        }

        default MessageLog log(SpoolConfig config) throws IOException {
            return LogLocation.open(config, shard());
        }

        default QueueIndex index(SpoolConfig config) throws UnusableIndexException {
            return IndexDatabase.open(indexFolder(config), READERS);
        }

        /// Whether the spool is opened before its index is made. Tools wait for it.
        default boolean servesFromLog() {
            return true;
        }

        /// Takes what becomes of messages.
        default Optional<ChangeSink> changes() {
            return Optional.empty();
        }

        /// Whether segments without mail are deleted. A tool keeps them: events may still be made of them when the
        /// server runs again.
        default boolean deletesSegments() {
            return true;
        }

        /// Folder of the embedded index and of its mark.
        default Path indexFolder(SpoolConfig config) {
            return config.directory();
        }

        /// Whether nothing of the spool may change.
        default boolean looks() {
            return false;
        }

        /// Limit for a session that waits until the log thread takes its message.
        default long commitTimeoutMillis() {
            return COMMIT_TIMEOUT_MILLIS;
        }

        /// Memory for messages that are not on disk yet, in addition to each draft's small buffer.
        default DraftMemory drafts() {
            return new DraftMemory(Runtime.getRuntime().maxMemory() / DRAFTS_SHARE);
        }

        /// Limit for a write that does not return while the disk works.
        default long watchdogMillis() {
            return SpoolWatchdog.HANG_MILLIS;
        }

        /// Whether the process has other spools.
        default boolean othersGoOn() {
            return false;
        }

        /// Ends the process in which a write hangs or the log thread fails.
        default void end() {
            Runtime.getRuntime().halt(EXIT_INTERNAL);
        }

        default SpaceGuard.DiskSpace disk(SpoolConfig config) throws IOException {
            return SpaceGuard.DiskSpace.of(config.directory());
        }

        /// Age at which a message is entered into the index.
        default long indexDelayMillis() {
            return INDEX_DELAY_MILLIS;
        }

        /// Limit for the messages that are served from the log while the index is made.
        default int messagesInMemory() {
            return Indexer.MOST_MESSAGES;
        }

        /// Limit for the messages that the index may be behind the log.
        default int tailMessages() {
            return TAIL_MESSAGES;
        }

        /// Whether an empty log is accepted although the index names messages.
        default boolean acceptsEmptyLog() {
            return false;
        }
    }

    /// For the tools of an operator: returns when the index has the whole log.
    ///
    /// @param acceptsEmptyLog whether messages of a missing log are set aside
    static Spool openWhole(SpoolConfig config, LongSupplier clock, boolean acceptsEmptyLog) throws SpoolException {
        return open(config, clock, new Parts() {
            @Override
            public boolean servesFromLog() {
                return false;
            }

            @Override
            public boolean acceptsEmptyLog() {
                return acceptsEmptyLog;
            }

            @Override
            public boolean deletesSegments() {
                return false;
            }

            @Override
            public MessageLog log(SpoolConfig config) throws IOException {
                return LogLocation.openStopped(config);
            }
        });
    }

    /// For an operator who looks: log and contents stay as they are.
    ///
    /// @param copy folder with a copy of the index, which may change
    static Spool openToLook(SpoolConfig config, LongSupplier clock, Path copy) throws SpoolException {
        return open(config, clock, new Parts() {
            @Override
            public boolean looks() {
                return true;
            }

            @Override
            public MessageLog log(SpoolConfig config) throws IOException {
                return LogLocation.toLook(config);
            }

            @Override
            public Path indexFolder(SpoolConfig config) {
                return copy;
            }
        });
    }

    public static Spool open(SpoolConfig config, LongSupplier clock, Parts parts) throws SpoolException {
        long begin = System.nanoTime();
        SpoolFormat.check(config.directory());
        createDirectory(config.directory());
        SpoolLock lock = SpoolLock.take(config.directory());
        ReaderThreads readers = new ReaderThreads(parts.shard(), READERS);
        try {
            // Not on the caller's thread: an interrupt of it would close the database.
            Spool spool = readers.run(() -> open(config, clock, parts, lock, readers));
            log.debug("event=spool-open directory={} millis={}", config.directory(),
                    (System.nanoTime() - begin) / 1_000_000);
            return spool;
        } catch (ExecutionException e) {
            readers.close();
            lock.close();
            throw refusal(config.directory(), Objects.requireNonNullElse(e.getCause(), e));
        }
    }

    private static void createDirectory(Path directory) throws SpoolException {
        try {
            if (Files.notExists(directory)) {
                // Only the root has none, and it exists.
                Path parent = Objects.requireNonNull(directory.toAbsolutePath().getParent());
                Files.createDirectories(parent);
                // It will hold private mail.
                Files.createDirectory(directory, ownerOnly(directory));
                Directories.sync(parent);
            }
        } catch (IOException e) {
            throw SpaceGuard.notWritable(directory, e);
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path directory) {
        return directory.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[]{
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))}
                : new FileAttribute<?>[0];
    }

    private static Spool open(SpoolConfig config, LongSupplier clock, Parts parts, SpoolLock lock,
            ReaderThreads readers) throws IOException, UnusableIndexException, SpoolException {
        Path folder = parts.indexFolder(config);
        if (!parts.acceptsEmptyLog()) {
            requireFolder(config, folder);
        }
        if (!parts.looks()) {
            SpoolFormat.mark(config.directory());
        }
        try {
            return open(config, clock, parts, lock, readers, parts.log(config));
        } catch (IOException | UnusableIndexException | RuntimeException e) {
            // This process alone has the spool, so that a lock in its index is damage too.
            boolean damaged = IndexDamage.isBehind(e) || IndexDamage.isLock(e);
            if (!damaged || Files.notExists(folder.resolve(IndexDatabase.FILE_NAME))) {
                throw e;
            }
            setIndexAside(folder, "index-damaged-" + clock.getAsLong() + ".mv.db", String.valueOf(e.getMessage()));
        }
        return open(config, clock, parts, lock, readers, parts.log(config));
    }

    /// Renames an index that cannot be read; a new one is made from the log. Other obstacles
    /// (another process, a newer program, a full disk, missing rights) have nothing to do with its
    /// contents.
    private static void setIndexAside(Path directory, String name, String why) throws IOException {
        Path aside = directory.resolve(name);
        Files.deleteIfExists(aside);
        Files.move(directory.resolve(IndexDatabase.FILE_NAME), aside);
        Directories.sync(directory);
        log.warn("event=index-made-again-from-log file={} reason=\"{}\"", aside, LogText.text(why));
    }

    private static void clear(OpenMark mark, Exception refused) {
        try {
            mark.clear();
        } catch (IOException left) {
            refused.addSuppressed(left);
        }
    }

    /// Sets an index aside that may have holes; it stays a witness. Without a segment it stays the index, because it is
    /// all there is of the mail that the log had.
    private static void distrust(OpenMark mark, Path directory, MessageLog messageLog) throws IOException {
        if (mark.wasSet() && Files.exists(directory.resolve(IndexDatabase.FILE_NAME))
                && !messageLog.segments().isEmpty()) {
            OldIndex.keep(directory, NOT_CLOSED);
            log.warn("event=index-made-again-from-log file={} reason=\"it was not closed\"",
                    directory.resolve(NOT_CLOSED));
        }
        mark.set();
    }

    private static Spool open(SpoolConfig config, LongSupplier clock, Parts parts, SpoolLock lock,
            ReaderThreads readers, MessageLog messageLog) throws IOException, UnusableIndexException, SpoolException {
        OpenMark mark = new OpenMark(parts.indexFolder(config));
        try {
            distrust(mark, parts.indexFolder(config), messageLog);
            // Makes the names of the log's folders durable; the syncs of their contents do not cover them.
            Directories.sync(config.directory());
            Indexer.FirstIndex start = isToBeMade(config, parts, messageLog)
                    ? fromLog(config, parts, messageLog)
                    : withIndex(config, parts, messageLog, !mark.wasSet());
            return open(config, clock, parts, lock, readers, messageLog, mark, start);
        } catch (IOException | UnusableIndexException | SpoolException | RuntimeException e) {
            messageLog.close();
            // The mark of a kill stays: the next start must not trust the index of that server.
            if (!mark.wasSet()) {
                clear(mark, e);
            }
            throw e;
        }
    }

    /// After a kill, or when its file is missing.
    private static boolean isToBeMade(SpoolConfig config, Parts parts, MessageLog messageLog) throws IOException {
        return parts.servesFromLog() && !parts.looks() && !messageLog.segments().isEmpty()
                && Files.notExists(parts.indexFolder(config).resolve(IndexDatabase.FILE_NAME));
    }

    /// Serves from the log, and makes the index beside it. A queue that is too long for the memory waits
    /// for its index.
    private static Indexer.FirstIndex fromLog(SpoolConfig config, Parts parts, MessageLog messageLog)
            throws IOException, UnusableIndexException, SpoolException {
        messageLog.startAfter(Position.START);
        LogIndex queue = new LogIndex(messageLog, parts.messagesInMemory());
        if (!queue.isWhole()) {
            return withIndex(config, parts, messageLog, false);
        }
        return new Indexer.FirstIndex(queue, Optional.of(making -> {
            QueueIndex index;
            try {
                index = parts.index(config);
            } catch (UnusableIndexException e) {
                throw new IOException(e);
            }
            try {
                recover(parts.indexFolder(config), messageLog, index, making, false);
                return index;
            } catch (IOException | RuntimeException e) {
                index.discard();
                throw e;
            }
        }));
    }

    /// Brings the index up to the end of the log before anything is served.
    ///
    /// @param closed the index was closed in an orderly way, when it had the whole log
    private static Indexer.FirstIndex withIndex(SpoolConfig config, Parts parts, MessageLog messageLog, boolean closed)
            throws IOException, UnusableIndexException, SpoolException {
        QueueIndex index = parts.index(config);
        try {
            if (!parts.acceptsEmptyLog()) {
                requireLog(config, messageLog, index);
            }
            recover(parts.indexFolder(config), messageLog, index, IndexMaking.alone(messageLog), closed);
            return new Indexer.FirstIndex(index, Optional.empty());
        } catch (IOException | SpoolException | RuntimeException e) {
            index.close();
            throw e;
        }
    }

    private static Spool open(SpoolConfig config, LongSupplier clock, Parts parts, SpoolLock lock,
            ReaderThreads readers, MessageLog messageLog, OpenMark mark, Indexer.FirstIndex start)
            throws IOException {
        try {
            long lastId = start.serving().standing().lastId();
            Tail tail = new Tail(parts.tailMessages(), TAIL_BYTES, messageLog.end(), lastId);
            HealthReport health = new HealthReport(clock, System::nanoTime);
            SpaceGuard space = new SpaceGuard(parts.disk(config), config.minimumFree());
            RecentContents fresh = new RecentContents(FRESH_BYTES);
            Cleaner cleaner = new Cleaner(messageLog, config.segmentSize().bytes());
            if (parts.changes().isPresent() || !parts.deletesSegments()) {
                cleaner.waitFor((_, _) -> 0);
            }
            Indexer indexer = new Indexer(parts.shard(), messageLog, start, tail, health, cleaner, space::hasRoom,
                    parts.indexDelayMillis());
            Runnable end = () -> {
                if (parts.othersGoOn()) {
                    health.broke();
                } else {
                    parts.end();
                }
            };
            LogWriter writer = new LogWriter(parts.shard(), DiskTurn.of(config.directory()), messageLog, tail, fresh,
                    space, health, indexer::discard, end);
            writer.start();
            indexer.start(writer, parts.looks());
            SpoolWatchdog watchdog = new SpoolWatchdog(parts.shard(), health, writer::isStopping,
                    SpoolWatchdog.Probe.in(config.directory()), System::nanoTime, parts.watchdogMillis(), end);
            watchdog.start();
            Optional<DatabaseWatch> databaseWatch = LogLocation.isInDatabase(config) && !parts.looks()
                    ? Optional.of(new DatabaseWatch(parts.shard(), messageLog, health))
                    : Optional.empty();
            databaseWatch.ifPresent(DatabaseWatch::start);
            LocalSpool spool = new LocalSpool(config, parts.shard(), clock, lastId,
                    new LocalSpool.LogSide(messageLog, writer, space,
                            CommitTimeout.with(parts.shard(), writer, parts.commitTimeoutMillis())),
                    new LocalSpool.IndexSide(indexer, readers, tail),
                    new LocalSpool.ContentMemory(fresh, parts.drafts()),
                    new LocalSpool.Guards(lock, health, watchdog, databaseWatch, mark));
            if (parts.changes().isPresent()) {
                cleaner.waitFor(spool.follow(parts.changes().get()));
            }
            return spool;
        } catch (IOException | RuntimeException e) {
            start.serving().close();
            throw e;
        }
    }

    /// @param folder of the index and of its witnesses
    /// @param closed the index was closed in an orderly way, when it had the whole log
    private static void recover(Path folder, MessageLog messageLog, QueueIndex index, IndexMaking making,
            boolean closed) throws IOException {
        QueueIndex.Standing before = index.standing();
        List<Path> pending = OldIndex.pending(folder);
        List<OldIndex> witnesses = pending.stream().flatMap(file -> OldIndex.open(file).stream()).toList();
        try {
            Position known = witnesses.stream().map(OldIndex::position).reduce(before.position(),
                    (one, other) -> one.compareTo(other) > 0 ? one : other);
            making.reached(known);
            Recovery.Applied applied = Recovery.run(messageLog, index, making);
            boolean complete = true;
            for (OldIndex witness : witnesses) {
                complete &= witness.ask(messageLog, index, making);
            }
            Position named = complete ? known : before.position();
            Recovery.settle(messageLog, index, making,
                    new Recovery.Known(named, closed && named.equals(before.position())), applied.damaged());
        } finally {
            witnesses.forEach(OldIndex::close);
        }
        index.sync();
        for (Path file : pending) {
            OldIndex.asked(folder, file);
        }
        if (before.position().equals(Position.START)) {
            messageLog.returnedAreIndexed();
        }
    }

    /// The folder of the log is missing, or it is a folder that never had a log: the mount point of a disk that is not
    /// mounted. A new spool has the log before it has an index.
    private static void requireFolder(SpoolConfig config, Path indexFolder) throws IOException, SpoolException {
        boolean used = SpoolFormat.exists(config.directory())
                && (Files.exists(indexFolder.resolve(IndexDatabase.FILE_NAME)) || new OpenMark(indexFolder).wasSet());
        if (used && !LogLocation.exists(config)) {
            throw new SpoolException(SpoolException.Reason.DAMAGED, LogLocation.name(config)
                    + " has no message log, and the spool was in use: " + wayBack(config) + ", or"
                    + " begin without its messages with `mta spool repair`.");
        }
    }

    private static String wayBack(SpoolConfig config) throws IOException {
        return LogLocation.isInDatabase(config)
                ? "correct spool.database, or restore it"
                : "put the folder back (is its disk mounted?)";
    }

    /// An unmounted disk and a deleted folder look like this. Nothing has been written yet, so with
    /// the files back in place, the next start succeeds.
    private static void requireLog(SpoolConfig config, MessageLog messageLog, QueueIndex index)
            throws IOException, SpoolException {
        if (!messageLog.segments().isEmpty()) {
            return;
        }
        long queued = index.named().queued();
        if (queued > 0 || !messageLog.gaps().isEmpty()) {
            throw new SpoolException(SpoolException.Reason.DAMAGED, LogLocation.name(config)
                    + " has no segment, and the index names " + queued
                    + " messages in it: " + wayBack(config) + ", or set these messages aside with"
                    + " `mta spool repair`.");
        }
    }

    private static SpoolException refusal(Path directory, Throwable cause) {
        return switch (cause) {
            case SpoolException e -> e;
            case Exception e when SpaceGuard.isNoSpace(e) -> SpaceGuard.noSpace(directory, e);
            case UnusableIndexException e -> switch (e.why()) {
                case IN_USE -> new SpoolException(SpoolException.Reason.IN_USE, e.getMessage(), e);
                case NOT_WRITABLE -> new SpoolException(SpoolException.Reason.NOT_WRITABLE, e.getMessage(), e);
                case DAMAGED, UNREADABLE -> new SpoolException(SpoolException.Reason.DAMAGED, e.getMessage(), e);
            };
            case NewerLogException e -> newer(directory, e);
            case InUseException e -> new SpoolException(SpoolException.Reason.IN_USE, "The spool " + directory
                    + " cannot be opened: " + e.getMessage() + ". Stop that one, or wait for the end of its lease ("
                    + DatabaseWatch.LEASE.toSeconds() + " s after it was last heard of).", e);
            case UnreachableException e -> new SpoolException(SpoolException.Reason.NOT_WRITABLE,
                    "The spool " + directory + " cannot be opened: " + e.getMessage() + ".", e);
            case IOException e -> SpaceGuard.notWritable(directory, e);
            case Error e -> throw e;
            default -> new SpoolException(SpoolException.Reason.DAMAGED,
                    "The spool " + directory + " cannot be opened (" + cause + ").", cause);
        };
    }

    static SpoolException newer(Path directory, NewerLogException e) {
        return new SpoolException(SpoolException.Reason.NEWER_VERSION, "The spool " + directory
                + " was written by a newer Slipstream (" + e.getMessage() + "): start that version.", e);
    }
}
