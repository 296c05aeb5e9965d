package org.slipstream.spool.work;

import org.awaitility.Awaitility;
import org.slipstream.spool.LogEngine;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.SpoolException;
import org.slipstream.spool.follow.ChangeSink;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.index.UnusableIndexException;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.tools.Spools;
import org.slipstream.testkit.SimulatedClock;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// The environment of a spool, with a clock that stands still, a record of the calls, and failures
/// on request.
final class TestWorld implements Spools.Parts {
    /// Runs before a call reaches log or index; the caller gets the exception that it throws.
    interface Trouble {
        void before(String call, Object[] arguments) throws Exception;
    }

    final SimulatedClock clock = new SimulatedClock();
    final AtomicLong usableBytes = new AtomicLong(Long.MAX_VALUE);
    final AtomicLong totalBytes = new AtomicLong(Long.MAX_VALUE);
    final List<String> calls = new CopyOnWriteArrayList<>();
    /// Where the index is; empty for a file.
    Optional<String> database = Optional.empty();
    boolean noSpaceForIndex;
    Optional<ChangeSink> changes = Optional.empty();
    boolean servesFromLog = true;
    long commitTimeoutMillis = 60_000;
    int tailMessages = 100_000;
    /// With an hour the index gets nothing before a reader asks.
    long indexDelayMillis = Spools.Parts.super.indexDelayMillis();
    int messagesInMemory = 100_000;
    DraftMemory drafts = new DraftMemory(32 << 20);
    long watchdogMillis = SpoolWatchdog.HANG_MILLIS;
    final CountDownLatch ended = new CountDownLatch(1);
    volatile Trouble trouble = (_, _) -> {};
    /// The disk does not cut off the bytes of a failed group.
    volatile boolean keepsAbandoned;

    Spool open(SpoolConfig config) throws SpoolException {
        return Spools.open(config, clock::millis, this);
    }

    Spool open(Path directory) throws SpoolException {
        SpoolConfig file = SpoolConfig.at(directory);
        return open(new SpoolConfig(directory, engine(), database, file.databaseLost(), file.segmentSize(),
                file.inlineSize(),
                file.minimumFree()));
    }

    LogEngine engine() {
        return database.isPresent() ? LogEngine.POSTGRESQL : LogEngine.FILES;
    }

    static boolean isMaking(Spool spool) {
        return spool.troubles().stream().anyMatch(trouble -> trouble.what() == Spool.What.MAKING);
    }

    /// Opens it, and waits until the index is made.
    Spool openMade(Path directory) throws SpoolException {
        return made(open(directory));
    }

    Spool openMade(SpoolConfig config) throws SpoolException {
        return made(open(config));
    }

    /// Waits until the index is made.
    static Spool made(Spool spool) {
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> !isMaking(spool));
        return spool;
    }

    long count(String call) {
        return calls.stream().filter(call::equals).count();
    }

    @Override
    public MessageLog log(SpoolConfig config) throws IOException {
        return watched(MessageLog.class, "log", Spools.Parts.super.log(config));
    }

    @Override
    public QueueIndex index(SpoolConfig config) throws UnusableIndexException {
        if (noSpaceForIndex) {
            throw new UnusableIndexException(UnusableIndexException.Why.UNREADABLE, "The index cannot be read.",
                    new IOException("No space left on device"));
        }
        return watched(QueueIndex.class, "index", Spools.Parts.super.index(config));
    }

    @Override
    public Optional<ChangeSink> changes() {
        return changes;
    }

    @Override
    public boolean servesFromLog() {
        return servesFromLog;
    }

    @Override
    public int messagesInMemory() {
        return messagesInMemory;
    }

    @Override
    public int tailMessages() {
        return tailMessages;
    }

    @Override
    public long indexDelayMillis() {
        return indexDelayMillis;
    }

    @Override
    public long commitTimeoutMillis() {
        return commitTimeoutMillis;
    }

    @Override
    public DraftMemory drafts() {
        return drafts;
    }

    @Override
    public long watchdogMillis() {
        return watchdogMillis;
    }

    /// Called in place of the end of the test's process.
    @Override
    public void end() {
        ended.countDown();
    }

    @Override
    public SpaceGuard.DiskSpace disk(SpoolConfig config) {
        return new SpaceGuard.DiskSpace() {
            @Override
            public long usableBytes() {
                return usableBytes.get();
            }

            @Override
            public long totalBytes() {
                return totalBytes.get();
            }
        };
    }

    private <T> T watched(Class<T> type, String name, T real) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, (_, method, arguments) -> {
            String call = name + "." + method.getName();
            calls.add(call);
            trouble.before(call, arguments);
            try {
                if (keepsAbandoned && call.equals("log.abandon")) {
                    type.getMethod("sync").invoke(real);
                }
                Object result = method.invoke(real, arguments);
                calls.add(call + " done");
                return result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    /// A connection of our own to the index of a spool in this process.
    static Connection connect(Path directory) throws SQLException {
        return DriverManager.getConnection("jdbc:h2:file:" + directory.toAbsolutePath().resolve("index")
                + ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH;DB_CLOSE_ON_EXIT=FALSE"
                + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    /// Changes the index by hand, as an operator might.
    static void sql(Path directory, String... statements) throws SQLException {
        try (Connection connection = connect(directory); var statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    static long number(Path directory, String query) throws SQLException {
        return number(connect(directory), query);
    }

    /// Closes the connection.
    static long number(Connection to, String query) throws SQLException {
        try (Connection connection = to;
                var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /// A spool's files as they are now, without its lock, in place of the former files.
    static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (var files = Files.list(from)) {
            for (Path file : files.toList()) {
                Path target = to.resolve(file.getFileName().toString());
                if (Files.isDirectory(file)) {
                    copy(file, target);
                } else if (!file.endsWith("lock")) {
                    copyFile(file, target);
                }
            }
        }
    }

    private static void copyFile(Path file, Path target) throws IOException {
        try {
            Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
        } catch (NoSuchFileException gone) {
            // An open spool deletes the file of a removed message a moment later.
        }
    }
}
