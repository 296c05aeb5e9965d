package org.slipstream.world;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/// The disk below one folder. The files are real ones, and hold what the page cache of a system
/// would hold; this class keeps, beside them, how to take back each change that no sync has made
/// durable.
///
/// A cut of the power takes changes back: of the renamings, creations and deletions, those behind a
/// point of time that is drawn; of the writes of each file, a subset that is drawn, the last of them
/// perhaps in part. A sync of a folder makes the changes of names up to its last one durable, as the
/// journal of a file system does. A sync of a file makes its writes durable, not its name.
final class WorldDisk {
    private static final int SECTOR = 512;

    private final Path root;
    private final Path trash;
    private final WorldScheduler scheduler;
    private final List<NameChange> names = new ArrayList<>();
    private final Map<String, List<Write>> writes = new LinkedHashMap<>();
    private Health health = Health.GOOD;
    private final List<Aimed> aimed = new ArrayList<>();
    private boolean busy;
    private long trashed;
    private long syncs;

    /// @param slowMillis how long a sync takes at most, beyond the usual
    /// @param full writes fail for want of space
    /// @param failing of 1,000 writes and syncs, how many fail with an error of the device
    /// @param hung nothing that touches the disk returns
    record Health(int slowMillis, boolean full, int failing, boolean hung) {
        static final Health GOOD = new Health(0, false, 0, false);
    }

    /// Something that happens in the middle of a later access.
    private static final class Aimed {
        private final Runnable event;
        private int accesses;

        Aimed(Runnable event, int accesses) {
            this.event = event;
            this.accesses = accesses;
        }
    }

    private interface NameChange {
        Path folder();

        void undo() throws IOException;
    }

    /// @param before what the file had there; @param size of the file before; @param after empty for a
    ///     file that was cut to `position`
    private record Write(long position, byte[] before, long size, byte[] after) {}

    WorldDisk(Path root, Path trash, WorldScheduler scheduler) {
        this.root = root;
        this.trash = trash;
        this.scheduler = scheduler;
    }

    void health(Health next) {
        health = next;
    }

    Health health() {
        return health;
    }

    long syncs() {
        return syncs;
    }

    private boolean concerns(String path) {
        return !busy && Path.of(path).startsWith(root);
    }

    @FunctionalInterface
    private interface Look {
        void look() throws IOException;
    }

    /// Nothing in between is an access of the program.
    private void quietly(Look look) throws IOException {
        busy = true;
        try {
            look.look();
        } finally {
            busy = false;
        }
    }

    /// @param accesses it happens at this one; the thread that makes it stands before the change
    void aim(Runnable event, int accesses) {
        aimed.add(new Aimed(event, accesses));
    }

    void forgetAims() {
        aimed.clear();
    }

    private void access() {
        if (aimed.isEmpty()) {
            return;
        }
        boolean hit = false;
        for (Aimed each : List.copyOf(aimed)) {
            if (--each.accesses <= 0) {
                aimed.remove(each);
                scheduler.afterTurn(each.event);
                hit = true;
            }
        }
        if (hit) {
            // The thread never comes back when the event was the end of its process.
            Thread.yield();
        }
    }

    private void suffer(boolean needsSpace) throws IOException {
        access();
        while (health.hung) {
            LockSupport.parkNanos(1_000_000_000L);
            Thread.interrupted();
        }
        if (needsSpace && health.full) {
            throw new IOException("No space left on device");
        }
        if (health.failing > 0 && scheduler.draw(1_000) < health.failing) {
            throw new IOException("Input/output error");
        }
    }

    void write(String path, ByteBuffer source, long position) throws IOException {
        if (!concerns(path)) {
            return;
        }
        if (scheduler.draw(8) == 0) {
            Thread.yield();
        }
        suffer(true);
        byte[] after = new byte[source.remaining()];
        source.get(source.position(), after);
        quietly(() -> {
            try (FileChannel file = FileChannel.open(Path.of(path), StandardOpenOption.READ)) {
                writes.computeIfAbsent(path, _ -> new ArrayList<>())
                        .add(new Write(position, part(file, position, after.length), file.size(), after));
            }
        });
    }

    private static byte[] part(FileChannel file, long position, int length) throws IOException {
        int there = Math.clamp(file.size() - position, 0, length);
        ByteBuffer before = ByteBuffer.allocate(there);
        while (before.hasRemaining() && file.read(before, position + before.position()) > 0) {
            // The whole part.
        }
        return before.array();
    }

    void truncate(String path, long size) throws IOException {
        if (!concerns(path)) {
            return;
        }
        suffer(false);
        quietly(() -> {
            try (FileChannel file = FileChannel.open(Path.of(path), StandardOpenOption.READ)) {
                if (size < file.size()) {
                    writes.computeIfAbsent(path, _ -> new ArrayList<>()).add(new Write(size,
                            part(file, size, (int) (file.size() - size)), file.size(), new byte[0]));
                }
            }
        });
    }

    void sync(String path) throws IOException {
        if (!concerns(path)) {
            return;
        }
        long nanos = 100_000L + scheduler.draw(1_500_000)
                + (health.slowMillis > 0 ? scheduler.draw(health.slowMillis) * 1_000_000L : 0);
        LockSupport.parkNanos(nanos);
        suffer(false);
        syncs++;
        if (Files.isDirectory(Path.of(path))) {
            int last = -1;
            for (int i = 0; i < names.size(); i++) {
                if (names.get(i).folder().equals(Path.of(path))) {
                    last = i;
                }
            }
            names.subList(0, last + 1).clear();
        } else {
            writes.remove(path);
        }
    }

    void open(String path, boolean creates, boolean truncates) throws IOException {
        if (!concerns(path)) {
            return;
        }
        if (creates) {
            suffer(true);
            Path file = Path.of(path);
            changed(file, () -> {
                Files.deleteIfExists(file);
                writes.remove(path);
            });
        } else if (truncates) {
            truncate(path, 0);
        }
    }

    void makeFolder(String path) throws IOException {
        if (concerns(path)) {
            suffer(true);
            changed(Path.of(path), () -> Files.deleteIfExists(Path.of(path)));
        }
    }

    void delete(String path) throws IOException {
        if (!concerns(path)) {
            return;
        }
        suffer(false);
        Path file = Path.of(path);
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            changed(file, () -> Files.createDirectory(file));
            return;
        }
        Path kept = keep(file);
        List<Write> open = writes.remove(path);
        changed(file, () -> restore(kept, path, open));
    }

    private Path keep(Path file) throws IOException {
        Path kept = trash.resolve(String.valueOf(trashed++));
        quietly(() -> {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                Files.createLink(kept, file);
            }
        });
        return kept;
    }

    private void restore(Path kept, String path, List<Write> open) throws IOException {
        if (Files.exists(kept)) {
            Files.move(kept, Path.of(path), StandardCopyOption.REPLACE_EXISTING);
            if (open != null) {
                writes.put(path, open);
            }
        }
    }

    void move(String from, String to) throws IOException {
        if (!concerns(from)) {
            return;
        }
        suffer(false);
        Path target = Path.of(to);
        Path kept = keep(target);
        List<Write> replaced = writes.remove(to);
        List<Write> moved = writes.remove(from);
        if (moved != null) {
            writes.put(to, moved);
        }
        changed(target, () -> {
            if (Files.exists(target)) {
                List<Write> now = writes.remove(to);
                Files.move(target, Path.of(from), StandardCopyOption.REPLACE_EXISTING);
                if (now != null) {
                    writes.put(from, now);
                }
            }
            restore(kept, to, replaced);
        });
    }

    private void changed(Path file, Look undo) {
        Path folder = file.getParent();
        names.add(new NameChange() {
            @Override
            public Path folder() {
                return folder;
            }

            @Override
            public void undo() throws IOException {
                undo.look();
            }
        });
    }

    /// The power fails: what is not durable is lost, or not, by chance.
    void cut() throws IOException {
        quietly(() -> {
            int survive = scheduler.draw(names.size() + 1);
            for (int i = names.size() - 1; i >= survive; i--) {
                names.get(i).undo();
            }
            names.clear();
            for (Map.Entry<String, List<Write>> each : List.copyOf(writes.entrySet())) {
                if (Files.isRegularFile(Path.of(each.getKey()))) {
                    lose(Path.of(each.getKey()), each.getValue());
                }
            }
            writes.clear();
        });
    }

    private void lose(Path path, List<Write> open) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            for (Write each : open.reversed()) {
                if (each.before.length > 0) {
                    put(file, each.before, each.position);
                }
                file.truncate(each.size);
            }
            int mode = scheduler.draw(3);
            int first = mode == 0 ? 0 : scheduler.draw(open.size() + 1);
            for (int i = 0; i < open.size(); i++) {
                Write each = open.get(i);
                boolean survives = mode == 1 ? i < first : mode == 2 && scheduler.draw(2) == 0;
                if (survives && each.after.length == 0) {
                    file.truncate(each.position);
                } else if (survives) {
                    put(file, each.after, each.position);
                } else if (mode == 1 && i == first && each.after.length > 0) {
                    int sectors = scheduler.draw(each.after.length / SECTOR + 1);
                    put(file, java.util.Arrays.copyOf(each.after, sectors * SECTOR), each.position);
                }
            }
        }
    }

    private static void put(FileChannel file, byte[] bytes, long position) throws IOException {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        while (all.hasRemaining()) {
            file.write(all, position + all.position());
        }
    }
}
