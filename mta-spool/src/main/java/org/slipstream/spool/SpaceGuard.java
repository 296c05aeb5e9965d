package org.slipstream.spool;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.DataSize;

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

/// Says no to new letters while there is still room for what the letters on hand need: outcomes, bounces, the index.
///
/// Looks at the disk at most once a second. Any thread; two threads that look at the same time do no harm.
///
/// Java cannot see free inodes or a quota. Both show as a write that finds no room on a disk that has some, which is told here by
/// [#ranOut] and refuses letters for the next second; then the next letter tries. One trouble lasts from the first such write until a
/// letter of the same kind succeeds: without inodes a small letter still finds room in its segment, and a large one needs a file.
final class SpaceGuard {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceGuard.class);
    private static final long USUAL_BYTES = 256L << 20;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String TOO_LITTLE = "the spool's disk has less than the minimum of free space";
    /// With less free, bytes may be what a write has not found.
    private static final long ROOM_BYTES = 1 << 20;

    /// The disk, as far as the guard sees it.
    interface DiskSpace {
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

    /// @param sinceNanos of the first of the looks that saw the same
    private record Look(boolean enough, long nanos, long sinceNanos) {
        Look then(boolean enough, long nanos) {
            return new Look(enough, nanos, enough == this.enough ? sinceNanos : nanos);
        }
    }

    /// A write that found no room.
    ///
    /// @param sinceNanos of the first one
    /// @param freeBytes what the disk said it had
    private record Refused(long sinceNanos, long freeBytes) {}

    /// Why letters are refused.
    record Shortage(Spool.What what, long millis, String reason) {}

    private final DiskSpace disk;
    private final Optional<DataSize> minimumFree;
    private final LongSupplier nanoTime;
    /// By whether it was the own file of a large letter.
    private final Map<Boolean, Refused> refused = new ConcurrentHashMap<>();
    private volatile Look latest;
    private volatile long closedUntilNanos;

    /// @param minimumFree empty for what is usual
    SpaceGuard(DiskSpace disk, Optional<DataSize> minimumFree) {
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
                // The bytes are back; what else was missing shows with the next write.
                refused.clear();
            }
        }
        return !latest.enough() || now - closedUntilNanos < 0;
    }

    /// Why letters are refused, or would be, and for how long; empty when there is room.
    Optional<Shortage> shortage() {
        long now = nanoTime.getAsLong();
        if (isLow() && !latest.enough()) {
            return Optional.of(new Shortage(Spool.What.SPACE, millis(latest.sinceNanos(), now), TOO_LITTLE));
        }
        return refused.values().stream().min(Comparator.comparingLong(each -> each.sinceNanos() - now))
                .map(each -> each.freeBytes() < ROOM_BYTES
                        ? new Shortage(Spool.What.SPACE, millis(each.sinceNanos(), now), "a write found no room")
                        : new Shortage(Spool.What.INODES, millis(each.sinceNanos(), now),
                                "a write found no room although "
                                        + (each.freeBytes() >> 20) + " MiB are free: no free inodes, or a quota"));
    }

    private static long millis(long sinceNanos, long now) {
        return TimeUnit.NANOSECONDS.toMillis(now - sinceNanos);
    }

    /// A write failed for lack of space, whatever the disk says of itself.
    ///
    /// @param ownFile true for the own file of a large letter, false for the log or the index
    void ranOut(boolean ownFile) {
        long now = nanoTime.getAsLong();
        long free = usable();
        closedUntilNanos = now + LOOK_NANOS;
        if (refused.putIfAbsent(ownFile, new Refused(now, free)) == null) {
            LOG.warn("event=no-room own-file={} free-bytes={} look-at=\"df -h, df -i, quota\"", ownFile, free);
        }
    }

    /// A letter was written: what had run out for such letters is there again.
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

    /// 5 % of a small disk, which could not spare as much as a large one.
    private static long usual(long totalBytes) {
        return Math.min(USUAL_BYTES, totalBytes / 20);
    }

    private boolean look() {
        try {
            long minimum = minimumFree.isPresent() ? minimumFree.get().bytes() : usual(disk.totalBytes());
            return disk.usableBytes() >= minimum;
        } catch (IOException e) {
            // A disk that does not answer this will answer the write.
            return true;
        }
    }

    /// True when some system said, anywhere in the chain of causes, that there is no room.
    static boolean isNoSpace(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause() == each ? null : each.getCause()) {
            String text = String.valueOf(each.getMessage());
            if (each instanceof NoSpaceException || text.contains("No space left") || text.contains("quota exceeded")
                    || text.contains("not enough space")) {
                return true;
            }
        }
        return false;
    }
}
