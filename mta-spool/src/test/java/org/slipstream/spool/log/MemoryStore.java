package org.slipstream.spool.log;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/// A log in memory, on a disk that can fail in each way that a disk is known to fail:
///
/// - **torn**: [Disk#crash] keeps any part of what was not committed, sector by sector;
/// - **lost**: [Disk#lose] takes a segment or its end, committed or not;
/// - **slow**: [Disk#atCommit] is run inside a commit, and may wait;
/// - **full**: [Disk#room] octets are left, and a write takes what fits;
/// - **failing**: the next commit fails, after it was done or before;
/// - **wrong**: [Disk#flip] changes a bit.
final class MemoryStore implements LogStore {
    /// The disk outlives the processes that use it.
    static final class Disk {
        private static final int SECTOR = 512;

        private static final class Octets {
            byte[] bytes = {};
            int committed;

            void append(byte[] more) {
                int length = bytes.length;
                bytes = Arrays.copyOf(bytes, length + more.length);
                System.arraycopy(more, 0, bytes, length, more.length);
            }
        }

        private final TreeMap<Long, Octets> segments = new TreeMap<>();
        private final Set<String> marks = new HashSet<>();
        private final Map<Long, Octets> deleted = new TreeMap<>();
        private final Set<String> unmarked = new HashSet<>();
        final TreeMap<Long, byte[]> hints = new TreeMap<>();
        private long owner;
        long room = Long.MAX_VALUE;
        boolean failsBefore;
        boolean failsAfter;
        /// Octets of a group that failed are not cut off.
        boolean keepsFailed;
        Runnable atCommit = () -> {};

        /// The power fails. The process that had the disk is gone.
        ///
        /// @param torn told each segment with octets that were not committed, and where they begin
        synchronized void crash(Random random, BiConsumer<Long, Integer> torn) {
            deleted.forEach((number, octets) -> {
                if (random.nextBoolean()) {
                    segments.putIfAbsent(number, octets);
                }
            });
            deleted.clear();
            unmarked.stream().sorted().filter(_ -> random.nextBoolean()).forEach(marks::add);
            unmarked.clear();
            segments.forEach((number, octets) -> {
                if (octets.bytes.length > octets.committed) {
                    torn.accept(number, octets.committed);
                }
                int end = octets.committed + random.nextInt(octets.bytes.length - octets.committed + 1);
                boolean whole = random.nextInt(3) == 0;
                octets.bytes = Arrays.copyOf(octets.bytes, whole ? octets.bytes.length : end);
                for (int at = octets.committed; at < octets.bytes.length; at += SECTOR) {
                    if (!whole && random.nextInt(3) == 0) {
                        Arrays.fill(octets.bytes, at, Math.min(octets.bytes.length, at + SECTOR), (byte) 0);
                    }
                }
                octets.committed = octets.bytes.length;
            });
            healthy();
        }

        synchronized void healthy() {
            room = Long.MAX_VALUE;
            failsBefore = false;
            failsAfter = false;
            keepsFailed = false;
            atCommit = () -> {};
        }

        /// @param left octets; 0: the segment is missing
        synchronized void lose(long segment, int left) {
            if (left == 0) {
                segments.remove(segment);
            } else {
                Octets octets = segments.get(segment);
                octets.bytes = Arrays.copyOf(octets.bytes, left);
                octets.committed = left;
            }
        }

        synchronized void flip(long segment, int at, int bit) {
            segments.get(segment).bytes[at] ^= (byte) (1 << bit);
        }

        synchronized int size(long segment) {
            Octets octets = segments.get(segment);
            return octets == null ? 0 : octets.bytes.length;
        }

        synchronized SortedSet<Long> segments() {
            return new TreeSet<>(segments.keySet());
        }
    }

    private final Disk disk;
    private final long epoch;
    private long tip;

    private MemoryStore(Disk disk, long epoch) {
        this.disk = disk;
        this.epoch = epoch;
    }

    static MemoryStore claim(Disk disk) {
        synchronized (disk) {
            return new MemoryStore(disk, ++disk.owner);
        }
    }

    static MemoryStore toLook(Disk disk) {
        return new MemoryStore(disk, 0);
    }

    private void requireOwner() throws IOException {
        if (epoch == 0 || epoch != disk.owner) {
            throw new NotOwnerException(epoch, disk.owner);
        }
    }

    @Override
    public boolean isClaimedSince() {
        return epoch != 0 && disk.owner > epoch;
    }

    @Override
    public SortedSet<Long> segments() {
        return disk.segments();
    }

    @Override
    public long size(long segment) {
        return disk.size(segment);
    }

    @Override
    public OpenSegment open(long segment) throws IOException {
        synchronized (disk) {
            Disk.Octets octets = disk.segments.get(segment);
            if (octets == null) {
                throw new NoSuchFileException("segment " + segment);
            }
            return new Copy(octets.bytes);
        }
    }

    private record Copy(byte[] bytes) implements OpenSegment {
        @Override
        public long size() {
            return bytes.length;
        }

        @Override
        public void read(long offset, byte[] into, int at, int length) throws IOException {
            if (offset + length > bytes.length) {
                throw new EOFException();
            }
            System.arraycopy(bytes, (int) offset, into, at, length);
        }

        @Override
        public ByteBuffer view(long limit) {
            return ByteBuffer.wrap(bytes, 0, (int) Math.min(limit, bytes.length)).slice().asReadOnlyBuffer();
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    @Override
    public Set<String> marks() {
        synchronized (disk) {
            return Set.copyOf(disk.marks);
        }
    }

    @Override
    public void mark(String before, String name) throws IOException {
        synchronized (disk) {
            requireOwner();
            disk.marks.remove(before);
            disk.marks.add(name);
        }
    }

    @Override
    public void unmark(String name) throws IOException {
        synchronized (disk) {
            requireOwner();
            if (disk.marks.remove(name)) {
                disk.unmarked.add(name);
            }
        }
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public void begin(long segment, ByteBuffer first) throws IOException {
        synchronized (disk) {
            requireOwner();
            if (disk.segments.containsKey(segment)) {
                throw new IOException("segment " + segment + " exists");
            }
            if (disk.room < first.remaining()) {
                throw new IOException("No space left on device");
            }
            Disk.Octets octets = new Disk.Octets();
            disk.segments.put(segment, octets);
            tip = segment;
            append(first);
            octets.committed = octets.bytes.length;
        }
    }

    @Override
    public void append(ByteBuffer octets) throws IOException {
        synchronized (disk) {
            requireOwner();
            byte[] fit = new byte[(int) Math.min(disk.room, octets.remaining())];
            octets.get(fit);
            tip().append(fit);
            disk.room -= disk.room == Long.MAX_VALUE ? 0 : fit.length;
            if (octets.hasRemaining()) {
                throw new IOException("No space left on device");
            }
        }
    }

    private Disk.Octets tip() throws IOException {
        if (tip == 0) {
            throw new IOException("no segment was begun");
        }
        return disk.segments.get(tip);
    }

    @Override
    public void commit() throws IOException {
        disk.atCommit.run();
        synchronized (disk) {
            requireOwner();
            if (disk.failsBefore) {
                throw new IOException("Input/output error");
            }
            Disk.Octets octets = tip();
            octets.committed = octets.bytes.length;
            if (disk.failsAfter) {
                throw new IOException("Input/output error");
            }
        }
    }

    @Override
    public void abandon() {
        synchronized (disk) {
            Disk.Octets octets = disk.segments.get(tip);
            tip = 0;
            if (octets != null && epoch == disk.owner && !disk.keepsFailed) {
                octets.bytes = Arrays.copyOf(octets.bytes, octets.committed);
            }
        }
    }

    @Override
    public long settle(long segment) throws IOException {
        synchronized (disk) {
            requireOwner();
            Disk.Octets octets = disk.segments.get(segment);
            if (octets == null) {
                throw new NoSuchFileException("segment " + segment);
            }
            octets.committed = octets.bytes.length;
            return octets.committed;
        }
    }

    @Override
    public void mend(long segment, ByteBuffer first) throws IOException {
        synchronized (disk) {
            requireOwner();
            first.get(disk.segments.get(segment).bytes, 0, first.remaining());
        }
    }

    @Override
    public void delete(long segment) throws IOException {
        synchronized (disk) {
            requireOwner();
            Disk.Octets octets = disk.segments.remove(segment);
            if (octets != null) {
                disk.deleted.put(segment, octets);
            }
        }
    }

    @Override
    public void addHints(long segment, boolean first, ByteBuffer chunk) {
        synchronized (disk) {
            byte[] before = first ? new byte[0] : disk.hints.getOrDefault(segment, new byte[0]);
            byte[] all = Arrays.copyOf(before, before.length + chunk.remaining());
            chunk.get(all, before.length, all.length - before.length);
            disk.hints.put(segment, all);
        }
    }

    @Override
    public ByteBuffer hints(long segment, long most) {
        synchronized (disk) {
            byte[] all = disk.hints.getOrDefault(segment, new byte[0]);
            return all.length > most || !disk.segments.containsKey(segment)
                    ? ByteBuffer.allocate(0)
                    : ByteBuffer.wrap(all);
        }
    }

    @Override
    public void close() {
        tip = 0;
    }
}
