package org.slipstream.spool;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/// Says no to new letters while there is still room for what the letters on hand need: outcomes, bounces, the register.
///
/// Looks at the disk at most once a second. Any thread; two threads that look at the same time do no harm.
/// Running out of inodes cannot be seen beforehand in Java; it shows as a failed write, which is told here by [#ranOut]
/// and refuses letters for the next second.
final class SpaceGuard {
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /// The disk, as far as the guard sees it.
    interface Disk {
        long usableBytes() throws IOException;

        long totalBytes() throws IOException;

        static Disk of(Path directory) throws IOException {
            FileStore store = Files.getFileStore(directory);
            return new Disk() {
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

    private final Disk disk;
    private final long minimumFreeBytes;
    private volatile Look latest = new Look(true, System.nanoTime() - LOOK_NANOS, System.nanoTime());

    SpaceGuard(Disk disk, long minimumFreeBytes) {
        this.disk = disk;
        this.minimumFreeBytes = minimumFreeBytes;
    }

    void require() throws NoSpaceException {
        if (isLow()) {
            throw new NoSpaceException("the spool's disk has less than the minimum of free space");
        }
    }

    boolean isLow() {
        long now = System.nanoTime();
        if (now - latest.nanos() >= LOOK_NANOS) {
            latest = latest.then(look(), now);
        }
        return !latest.enough();
    }

    /// For how long there has been too little; empty when there is enough.
    OptionalLong lowForMillis() {
        return isLow()
                ? OptionalLong.of(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - latest.sinceNanos()))
                : OptionalLong.empty();
    }

    /// A write failed for lack of space, whatever the disk says of itself (quotas, inodes).
    void ranOut() {
        latest = latest.then(false, System.nanoTime());
    }

    private boolean look() {
        try {
            return disk.usableBytes() >= Math.min(minimumFreeBytes, disk.totalBytes() / 20);
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
