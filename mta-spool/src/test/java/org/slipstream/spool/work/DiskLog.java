package org.slipstream.spool.work;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/// The calls that a disk received, in order, and the states that it may have after a power cut: the
/// model behind the crash points.
///
/// A disk keeps two kinds of things, and each has a sync of its own. **Bytes** of a file are safe
/// with the next sync of that file; until then each sector of 512 bytes is there or not. **Names**
/// (a file made, renamed, deleted; a folder made) are safe with the next sync of their folder, with
/// or without a sync of the file itself; until then the journals of file systems keep a prefix of
/// them. That is POSIX exactly, and harder than ext4 or XFS, which write a new file's name with its
/// first sync.
///
/// The model is that of ALICE (Pillai and others, *All File Systems Are Not Created Equal*, OSDI
/// 2014), with one persistence model instead of six: the weakest.
final class DiskLog {
    private static final int SECTOR = 512;

    /// Files are numbers here, because a name may later belong to another file.
    sealed interface Event {
        record Write(int file, long position, byte[] bytes) implements Event {}

        record Truncate(int file, long size) implements Event {}

        record Force(int file) implements Event {}

        record Create(String name, int file) implements Event {}

        record Folder(String name) implements Event {}

        record Delete(String name) implements Event {}

        record Rename(String from, String to) implements Event {}

        record SyncFolder(String name) implements Event {}
    }

    /// How a run ends behind its first `n` events.
    sealed interface Cut {
        /// The process is killed: the operating system has all writes and stores them later.
        record Process() implements Cut {}

        /// The process is killed inside its last write, of which this many bytes are there.
        record Torn(int bytes) implements Cut {}

        /// The power fails: only synced data is kept.
        record Power() implements Cut {}

        /// The power fails while the disk is busy: of the unsynced data, any sectors and a prefix
        /// of the names.
        record Reordered(long seed) implements Cut {}
    }

    interface Action<T> {
        T run() throws IOException;
    }

    private final Path root;
    private final boolean remembers;
    private final List<Event> events = new ArrayList<>();
    private final Map<String, Integer> files = new HashMap<>();
    private int nextFile;
    private Optional<String> trouble = Optional.empty();
    private volatile int recorded;
    private Runnable watcher = () -> {};

    /// @param remembers false for a disk that only forgets its syncs, and is quick
    DiskLog(Path root, boolean remembers) {
        this.root = root.toAbsolutePath();
        this.remembers = remembers;
    }

    /// A disk that begins with the state of another one, all of it synced, and lies in `root`.
    static DiskLog of(Image image, Path root) throws IOException {
        image.copyTo(root);
        DiskLog log = new DiskLog(root, true);
        for (String folder : image.folders()) {
            log.events.add(new Event.Folder(folder));
        }
        for (Map.Entry<String, ByteBuffer> file : image.files().entrySet()) {
            byte[] bytes = new byte[file.getValue().remaining()];
            file.getValue().duplicate().get(bytes);
            int number = log.nextFile++;
            log.files.put(file.getKey(), number);
            log.events.add(new Event.Create(file.getKey(), number));
            log.events.add(new Event.Write(number, 0, bytes));
            log.events.add(new Event.Force(number));
        }
        image.folders().forEach(folder -> log.events.add(new Event.SyncFolder(folder)));
        return log;
    }

    Path root() {
        return root;
    }

    /// The number of events so far.
    synchronized int now() {
        return events.size();
    }

    /// As [#now], without waiting for a call that is in progress.
    int recorded() {
        return recorded;
    }

    /// @param each runs behind each event, before the call returns
    synchronized void watch(Runnable each) {
        watcher = each;
    }

    synchronized Event event(int index) {
        return events.get(index);
    }

    /// Writing and syncing files whose names contain `part` fails from now on.
    synchronized void fail(Optional<String> part) {
        trouble = part;
    }

    synchronized boolean isFailing() {
        return trouble.isPresent();
    }

    /// Performs and records a call, with no other call in between.
    synchronized <T> T happens(Path file, Event event, Action<T> action) throws IOException {
        boolean bytes = event instanceof Event.Write || event instanceof Event.Force;
        if (bytes && trouble.filter(part -> file.toString().contains(part)).isPresent()) {
            throw new IOException("No space left on device");
        }
        T result = action.run();
        if (remembers) {
            events.add(event);
            recorded = events.size();
            watcher.run();
        }
        return result;
    }

    synchronized void create(Path file, Action<?> action) throws IOException {
        int number = nextFile++;
        happens(file, new Event.Create(name(file), number), action);
        files.put(name(file), number);
    }

    synchronized int number(Path file) {
        return files.getOrDefault(name(file), -1);
    }

    synchronized void rename(Path from, Path to, Action<?> action) throws IOException {
        happens(from, new Event.Rename(name(from), name(to)), action);
        Integer file = files.remove(name(from));
        if (file != null) {
            files.put(name(to), file);
        }
    }

    /// A write of a session that does not pass here: a whole file in a few writes, and its sync.
    synchronized void written(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(root.resolve(name(file)));
        for (int at = 0; at < bytes.length; at += 4096) {
            byte[] piece = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + 4096));
            happens(file, new Event.Write(number(file), at, piece), () -> piece);
        }
        happens(file, new Event.Force(number(file)), () -> bytes);
    }

    String name(Path file) {
        return root.relativize(root.resolve(file.toString())).toString();
    }

    private static final class Content {
        byte[] bytes = new byte[4096];
        int size;

        void write(long position, byte[] from, int offset, int length) {
            int end = (int) position + length;
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, end));
            }
            System.arraycopy(from, offset, bytes, (int) position, length);
            size = Math.max(size, end);
        }

        void truncate(long to) {
            if (to < size) {
                Arrays.fill(bytes, (int) to, size, (byte) 0);
                size = (int) to;
            }
        }
    }

    /// The state of the disk when it was cut off behind the first `n` events.
    record Image(TreeSet<String> folders, TreeMap<String, ByteBuffer> files) {
        void copyTo(Path target) throws IOException {
            Files.createDirectories(target);
            for (String folder : folders) {
                Files.createDirectories(target.resolve(folder));
            }
            for (Map.Entry<String, ByteBuffer> file : files.entrySet()) {
                try (var channel = Files.newByteChannel(target.resolve(file.getKey()),
                        java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) {
                    channel.write(file.getValue().duplicate());
                }
            }
        }
    }

    synchronized Image image(int n, Cut cut) {
        return names(n, cut, contents(n, cut));
    }

    private Map<Integer, Content> contents(int n, Cut cut) {
        SplittableRandom random = new SplittableRandom(cut instanceof Cut.Reordered(long seed) ? seed : 0);
        Map<Integer, Integer> synced = new HashMap<>();
        for (int i = 0; i < n; i++) {
            if (events.get(i) instanceof Event.Force(int file)) {
                synced.put(file, i);
            }
        }
        Map<Integer, Content> contents = new HashMap<>();
        for (int i = 0; i < n; i++) {
            switch (events.get(i)) {
                case Event.Write(int file, long position, byte[] bytes) -> {
                    Content content = contents.computeIfAbsent(file, _ -> new Content());
                    if (i < synced.getOrDefault(file, -1)) {
                        content.write(position, bytes, 0, bytes.length);
                    } else {
                        write(content, position, bytes, i == n - 1, cut, random);
                    }
                }
                case Event.Truncate(int file, long size) -> {
                    if (i < synced.getOrDefault(file, -1) || switch (cut) {
                        case Cut.Process _,Cut.Torn _ -> true;
                        case Cut.Power _ -> false;
                        case Cut.Reordered _ -> random.nextBoolean();
                    }) {
                        contents.computeIfAbsent(file, _ -> new Content()).truncate(size);
                    }
                }
                default -> {
                    // Names come later.
                }
            }
        }
        return contents;
    }

    private static void write(Content content, long position, byte[] bytes, boolean last, Cut cut,
            SplittableRandom random) {
        switch (cut) {
            case Cut.Process _ -> content.write(position, bytes, 0, bytes.length);
            case Cut.Torn(int length) -> content.write(position, bytes, 0, last ? length : bytes.length);
            case Cut.Power _ -> {
                // Gone.
            }
            case Cut.Reordered _ -> {
                for (int at = 0; at < bytes.length; at += SECTOR) {
                    if (random.nextBoolean()) {
                        content.write(position + at, bytes, at, Math.min(SECTOR, bytes.length - at));
                    }
                }
            }
        }
    }

    private Image names(int n, Cut cut, Map<Integer, Content> contents) {
        Map<String, Integer> synced = new HashMap<>();
        for (int i = 0; i < n; i++) {
            if (events.get(i) instanceof Event.SyncFolder(String folder)) {
                synced.put(folder, i);
            }
        }
        int prefix = switch (cut) {
            case Cut.Process _,Cut.Torn _ -> n;
            case Cut.Power _ -> 0;
            case Cut.Reordered(long seed) -> n - new SplittableRandom(seed).nextInt(8);
        };
        Map<String, Integer> names = new HashMap<>();
        TreeSet<String> folders = new TreeSet<>();
        folders.add("");
        for (int i = 0; i < n; i++) {
            int at = i;
            IntPredicate safe = index -> index < prefix
                    || index < synced.getOrDefault(folder(name(events.get(index))), -1);
            if (safe.test(at)) {
                switch (events.get(i)) {
                    case Event.Create(String name, int file) -> names.put(name, file);
                    case Event.Folder(String name) -> folders.add(name);
                    case Event.Delete(String name) -> names.remove(name);
                    case Event.Rename(String from, String to) -> {
                        Integer file = names.remove(from);
                        if (file != null) {
                            names.put(to, file);
                        }
                    }
                    case Event.Write _,Event.Truncate _,Event.Force _,Event.SyncFolder _ -> {
                    }
                }
            }
        }
        TreeMap<String, ByteBuffer> files = new TreeMap<>();
        names.forEach((name, file) -> {
            Content content = contents.getOrDefault(file, new Content());
            if (folders.contains(folder(name))) {
                files.put(name, ByteBuffer.wrap(content.bytes, 0, content.size));
            }
        });
        return new Image(folders, files);
    }

    private static String name(Event event) {
        return switch (event) {
            case Event.Create(String name, int _) -> name;
            case Event.Folder(String name) -> name;
            case Event.Delete(String name) -> name;
            case Event.Rename(String _, String to) -> to;
            case Event.SyncFolder(String name) -> name;
            case Event.Write _,Event.Truncate _,Event.Force _ -> "";
        };
    }

    private static String folder(String name) {
        int slash = name.lastIndexOf('/');
        return slash < 0 ? "" : name.substring(0, slash);
    }
}
