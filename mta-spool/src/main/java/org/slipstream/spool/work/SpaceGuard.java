package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.DataSize;
import org.slipstream.spool.NoSpaceException;
import org.slipstream.spool.Spool;
import org.slipstream.spool.SpoolException;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Refuses new messages while there is still space for what the queued messages need: outcomes,
/// bounces, the index.
///
/// Checks the disk at most once a second. May be called by any thread; two simultaneous checks do
/// no harm.
///
/// Java cannot read free inodes or a quota. Both appear as a write that finds no space on a disk
/// that has some. [#ranOut] reports it, and messages are refused for the next second; then the next
/// message tries. The shortage lasts from the first such write until a message of the same kind
/// succeeds: without inodes a small message still fits into its segment, and a large one needs a
/// file.
public final class SpaceGuard {
    private static final Logger log = LoggerFactory.getLogger(SpaceGuard.class);
    private static final long USUAL_BYTES = 256L << 20;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String TOO_LITTLE = "the spool's disk has less free space than the minimum";
    /// With less free space than this, a failed write may have lacked bytes and not inodes.
    private static final long ROOM_BYTES = 1 << 20;

    /// The disk as the guard sees it.
    public interface DiskSpace {
        long usableBytes() throws IOException;

        long totalBytes() throws IOException;

        static DiskSpace of(Path directory) throws IOException {
            FileStore store = Files.getFileStore(directory);
            return new DiskSpace() {
                @Override
                public long usableBytes() throws IOException {
                    return store.getUsableSpace();
                }

                @Override
                public long totalBytes() throws IOException {
                    return store.getTotalSpace();
                }
            };
        }
    }

    /// @param sinceNanos of the first check in a row with the same result
    private record Look(boolean enough, long nanos, long sinceNanos) {
        Look then(boolean enough, long nanos) {
            return new Look(enough, nanos, enough == this.enough ? sinceNanos : nanos);
        }
    }

    /// A write that found no space.
    ///
    /// @param sinceNanos of the first one in a row
    /// @param freeBytes free space that the disk reported
    private record Refused(long sinceNanos, long freeBytes) {}

    /// Why messages are refused.
    record Shortage(Spool.What what, long millis, String reason) {}

    private final DiskSpace disk;
    private final Optional<DataSize> minimumFree;
    private final LongSupplier nanoTime;
    /// Key: whether it was the own file of a large message.
    private final Map<Boolean, Refused> refused = new ConcurrentHashMap<>();
    private volatile Look latest;
    private volatile long closedUntilNanos;

    /// @param minimumFree empty for what is usual
    public SpaceGuard(DiskSpace disk, Optional<DataSize> minimumFree) {
        this(disk, minimumFree, System::nanoTime);
    }

    SpaceGuard(DiskSpace disk, Optional<DataSize> minimumFree, LongSupplier nanoTime) {
        this.disk = disk;
        this.minimumFree = minimumFree;
        this.nanoTime = nanoTime;
        long now = nanoTime.getAsLong();
        latest = new Look(true, now - LOOK_NANOS, now);
        closedUntilNanos = now;
    }

    void require() throws NoSpaceException {
        if (isLow()) {
            throw new NoSpaceException(shortage().map(Shortage::reason).orElse(TOO_LITTLE));
        }
    }

    boolean isLow() {
        long now = nanoTime.getAsLong();
        Look before = latest;
        if (now - before.nanos() >= LOOK_NANOS) {
            Look fresh = before.then(look(), now);
            latest = fresh;
            if (fresh.enough() && !before.enough()) {
                // There is enough free space again; any other shortage shows with the next write.
                refused.clear();
            }
        }
        return !latest.enough() || now - closedUntilNanos < 0;
    }

    /// True when the disk has so much space beside the minimum.
    public boolean hasRoom(long bytes) {
        try {
            return !isLow() && disk.usableBytes() - minimum() >= bytes;
        } catch (IOException e) {
            return false;
        }
    }

    /// Why messages are or would be refused, and for how long; empty when there is space.
    Optional<Shortage> shortage() {
        long now = nanoTime.getAsLong();
        if (isLow() && !latest.enough()) {
            return Optional.of(new Shortage(Spool.What.SPACE, millis(latest.sinceNanos(), now), TOO_LITTLE));
        }
        return refused.values().stream().min(Comparator.comparingLong(each -> each.sinceNanos() - now))
                .map(each -> each.freeBytes() < ROOM_BYTES
                        ? new Shortage(Spool.What.SPACE, millis(each.sinceNanos(), now), "a write found no space")
                        : new Shortage(Spool.What.INODES, millis(each.sinceNanos(), now),
                                "a write found no space although "
                                        + (each.freeBytes() >> 20) + " MiB are free: no free inodes, or a quota"));
    }

    private static long millis(long sinceNanos, long now) {
        return TimeUnit.NANOSECONDS.toMillis(now - sinceNanos);
    }

    /// A write failed for lack of space, whatever free space the disk reports.
    ///
    /// @param ownFile true for the own file of a large message, false for the log or the index
    void ranOut(boolean ownFile) {
        long now = nanoTime.getAsLong();
        long free = usable();
        closedUntilNanos = now + LOOK_NANOS;
        if (refused.putIfAbsent(ownFile, new Refused(now, free)) == null) {
            log.warn("event=no-space own-file={} bytes={} next=\"df -h, df -i, quota\"", ownFile, free);
        }
    }

    /// A message was written: the shortage for messages of this kind has ended.
    ///
    /// @param ownFile true when it has a file of its own
    void wrote(boolean ownFile) {
        if (!refused.isEmpty()) {
            refused.remove(false);
            refused.remove(ownFile);
        }
    }

    private long usable() {
        try {
            return disk.usableBytes();
        } catch (IOException e) {
            return 0;
        }
    }

    /// 5 % of a small disk, which cannot spare as much as a large one.
    private static long usual(long totalBytes) {
        return Math.min(USUAL_BYTES, totalBytes / 20);
    }

    private long minimum() throws IOException {
        return minimumFree.isPresent() ? minimumFree.get().bytes() : usual(disk.totalBytes());
    }

    private boolean look() {
        try {
            return disk.usableBytes() >= minimum();
        } catch (IOException e) {
            // A disk that cannot report its free space shows a shortage with the next write.
            return true;
        }
    }

    /// True when an exception in the chain of causes says that the disk is full.
    public static boolean isNoSpace(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause() == each ? null : each.getCause()) {
            String text = String.valueOf(each.getMessage());
            if (each instanceof NoSpaceException || text.contains("No space left") || text.contains("quota exceeded")
                    || text.contains("not enough space")) {
                return true;
            }
        }
        return false;
    }

    public static SpoolException noSpace(Path directory, Exception e) {
        return new SpoolException(SpoolException.Reason.NO_SPACE, "The disk of the spool " + directory
                + " has no space to open it (" + e.getMessage() + "): free some (df -h, df -i, quota).", e);
    }

    /// The reason why a spool cannot be opened: its disk has no space, or the folder cannot be written.
    public static SpoolException notWritable(Path directory, IOException e) {
        return isNoSpace(e)
                ? noSpace(directory, e)
                : new SpoolException(SpoolException.Reason.NOT_WRITABLE, "The spool " + directory
                        + " cannot be made, read or written (" + e
                        + "): give this user the right to, or choose another one.",
                        e);
    }
}
