package org.slipstream.spool.tools;

import org.slipstream.spool.LogEngine;
import org.slipstream.spool.SpoolConfig;
import org.slipstream.spool.log.Directories;
import org.slipstream.spool.log.Segments;
import org.slipstream.spool.postgres.LogClaim;
import org.slipstream.spool.postgres.LogDatabase;
import org.slipstream.spool.postgres.PageStore;
import org.slipstream.spool.work.DatabaseWatch;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where the log of a spool is: in its folder, or in a PostgreSQL.
///
/// A spool whose log is in the database has a file `log-in-postgresql`, which names its shard there and the owner. So
/// the tools of a stopped server find the log, and a spool keeps its log when the setting `spool.engine` changes. The
/// owner's name is random: two servers with the same settings are two owners.
final class LogLocation {
    private static final String FILE = "log-in-postgresql";
    private static final Pattern LINE = Pattern.compile("shard ([0-9]{1,3}) owner ([0-9a-f]{32})\\s*");
    private static final int OWNER_BYTES = 16;

    private record Mark(int shard, String owner) {}

    private LogLocation() {}

    static LogEngine engine(SpoolConfig config) throws IOException {
        if (Segments.exist(config.directory())) {
            return LogEngine.FILES;
        }
        return mark(config.directory()).isPresent() ? LogEngine.POSTGRESQL : config.engine();
    }

    static boolean isInDatabase(SpoolConfig config) throws IOException {
        return engine(config) == LogEngine.POSTGRESQL;
    }

    private static Optional<Mark> mark(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        try {
            Matcher line = LINE.matcher(Files.readString(file));
            if (!line.matches()) {
                throw new IOException("the file " + file + " is damaged: delete it, and the next start claims the log"
                        + " after the lease of this owner");
            }
            return Optional.of(new Mark(Integer.parseInt(line.group(1)), line.group(2)));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    private static Mark marked(Path directory, int shard) throws IOException {
        Optional<Mark> before = mark(directory);
        if (before.isPresent()) {
            if (before.get().shard() != shard) {
                throw new IOException("the folder " + directory + " is of shard " + before.get().shard() + ", not of "
                        + shard + ": give each shard its own folder");
            }
            return before.get();
        }
        byte[] name = new byte[OWNER_BYTES];
        new SecureRandom().nextBytes(name);
        Mark mark = new Mark(shard, HexFormat.of().formatHex(name));
        Path fresh = directory.resolve(FILE + ".new");
        Files.writeString(fresh, "shard " + shard + " owner " + mark.owner() + "\n");
        try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(fresh, directory.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
        Directories.sync(directory);
        return mark;
    }

    private static String url(SpoolConfig config) throws IOException {
        return config.database().orElseThrow(() -> new IOException("the messages of " + config.directory()
                + " are in a PostgreSQL, and spool.database is empty: set it"));
    }

    /// Opens a log to write. In the database this claims it.
    static Segments open(SpoolConfig config, int shard) throws IOException {
        if (!isInDatabase(config)) {
            return new Segments(config.directory(), config.segmentSize().bytes());
        }
        Mark mark = marked(config.directory(), shard);
        LogDatabase database = LogDatabase.reach(url(config));
        try {
            long epoch = PageStore.claim(database, shard, mark.owner(), DatabaseWatch.LEASE);
            return open(config, new LogClaim(database, shard, epoch), DatabaseWatch.LEASE, database::close);
        } catch (IOException | RuntimeException e) {
            database.close();
            throw e;
        }
    }

    /// Opens the log of a shard that was claimed. The database stays open at the end.
    static Segments open(SpoolConfig config, LogClaim claim) throws IOException {
        marked(config.directory(), claim.shard());
        return open(config, claim, Duration.ZERO, () -> {});
    }

    private static Segments open(SpoolConfig config, LogClaim claim, Duration lease, Runnable atClose)
            throws IOException {
        PageStore store = PageStore.open(claim, lease, atClose);
        return new Segments(store, store.contents(), config.directory(), config.segmentSize().bytes());
    }

    /// For the tools: the shard is the one of the folder.
    static Segments openStopped(SpoolConfig config) throws IOException {
        return open(config, shard(config));
    }

    private static int shard(SpoolConfig config) throws IOException {
        return mark(config.directory()).map(Mark::shard).orElse(1);
    }

    static Segments toLook(SpoolConfig config) throws IOException {
        if (!isInDatabase(config)) {
            return Segments.toLook(config.directory(), config.segmentSize().bytes());
        }
        PageStore store = pages(config);
        return new Segments(store, store.contents(), config.directory(), config.segmentSize().bytes());
    }

    private static PageStore pages(SpoolConfig config) throws IOException {
        LogDatabase database = LogDatabase.reachToLook(url(config));
        return PageStore.toLook(database, shard(config), database::close);
    }

    /// False when the place of the log is not the one that a log was in.
    static boolean exists(SpoolConfig config) throws IOException {
        if (!isInDatabase(config)) {
            return Segments.exist(config.directory());
        }
        try (PageStore store = pages(config)) {
            return Segments.exist(store);
        }
    }

    /// Name of the place, for an operator.
    static String name(SpoolConfig config) throws IOException {
        return isInDatabase(config)
                ? "The database " + LogDatabase.place(url(config))
                : "The folder " + config.directory().resolve("log");
    }

    /// Connects to the database of the settings, and changes nothing.
    static void examine(SpoolConfig config) throws IOException {
        if (!isInDatabase(config)) {
            return;
        }
        try (LogDatabase database = LogDatabase.toLook(url(config))) {
            database.examine();
        }
    }
}
