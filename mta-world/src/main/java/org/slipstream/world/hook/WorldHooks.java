package org.slipstream.world.hook;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/// The static methods that rewritten classes call, of the JDK too. The boot class loader has this
/// package. Without a machine, and for threads outside of the world, everything is as usual.
public final class WorldHooks {
    private static volatile WorldMachine machine;
    private static final Map<FileDescriptor, String> DESCRIPTORS = new WeakHashMap<>();

    private WorldHooks() {}

    public static void use(WorldMachine next) {
        machine = next;
    }

    private static WorldMachine here() {
        WorldMachine present = machine;
        return present != null && present.has(Thread.currentThread()) ? present : null;
    }

    public static boolean inside() {
        return here() != null;
    }

    // ---- clock

    public static long nanoTime() {
        WorldMachine world = here();
        return world == null ? System.nanoTime() : world.nanoTime();
    }

    public static long currentTimeMillis() {
        WorldMachine world = here();
        return world == null ? System.currentTimeMillis() : Math.floorDiv(world.epochNanos(), 1_000_000);
    }

    /// Null outside of the world.
    public static Instant instant() {
        WorldMachine world = here();
        if (world == null) {
            return null;
        }
        long nanos = world.epochNanos();
        return Instant.ofEpochSecond(Math.floorDiv(nanos, 1_000_000_000L), Math.floorMod(nanos, 1_000_000_000L));
    }

    // ---- threads

    /// Null outside of the world.
    public static Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
        WorldMachine present = machine;
        return present == null ? null : present.schedule(task, delay, unit);
    }

    public static void begins(Thread thread) {
        WorldMachine present = machine;
        if (present != null) {
            present.begins(thread);
        }
    }

    public static void yielded(Thread thread) {
        WorldMachine present = machine;
        if (present != null) {
            present.yielded(thread);
        }
    }

    public static Thread newThread(String name, Runnable task, Thread.UncaughtExceptionHandler handler) {
        return machine.newThread(name, task, handler);
    }

    /// Whether the world has started the thread in its own way.
    public static boolean start(Thread thread) {
        WorldMachine world = here();
        if (world == null || thread.isVirtual() || thread.getClass().getName().endsWith("InnocuousThread")) {
            return false;
        }
        world.start(thread);
        return true;
    }

    /// The thread that runs what was made as this thread.
    public static Thread runs(Thread thread) {
        WorldMachine present = machine;
        return present == null || thread.isVirtual() ? thread : present.runs(thread);
    }

    public static boolean execute(Runnable task) {
        WorldMachine world = here();
        if (world == null) {
            return false;
        }
        world.newThread("", task, null).start();
        return true;
    }

    public static boolean timeout(long nanos, Runnable task) {
        WorldMachine world = here();
        if (world == null) {
            return false;
        }
        // Made now: when the time comes, no process has the turn.
        Thread later = world.newThread("", task, null);
        world.schedule(later::start, nanos, TimeUnit.NANOSECONDS);
        return true;
    }

    /// Null outside of the world.
    public static Executor delayed(long delay, TimeUnit unit, Executor then) {
        WorldMachine world = here();
        return world == null
                ? null
                : task -> {
                    Thread later = world.newThread("", () -> then.execute(task), null);
                    world.schedule(later::start, delay, unit);
                };
    }

    // ---- disk

    public static void write(FileChannel channel, String path, ByteBuffer source) throws IOException {
        WorldMachine world = here();
        if (world != null) {
            world.aboutToWrite(path, source, channel.position());
        }
    }

    public static void write(FileChannel channel, String path, ByteBuffer[] sources, int offset, int length)
            throws IOException {
        WorldMachine world = here();
        if (world != null) {
            int bytes = 0;
            for (int i = offset; i < offset + length; i++) {
                bytes += sources[i].remaining();
            }
            ByteBuffer all = ByteBuffer.allocate(bytes);
            for (int i = offset; i < offset + length; i++) {
                all.put(sources[i].duplicate());
            }
            world.aboutToWrite(path, all.flip(), channel.position());
        }
    }

    public static void write(FileChannel channel, String path, ByteBuffer source, long position) throws IOException {
        WorldMachine world = here();
        if (world != null) {
            world.aboutToWrite(path, source, position);
        }
    }

    public static void truncate(FileChannel channel, String path, long size) throws IOException {
        WorldMachine world = here();
        if (world != null && size < channel.size()) {
            world.aboutToTruncate(path, size);
        }
    }

    public static boolean sync(FileChannel channel, String path) throws IOException {
        WorldMachine world = here();
        if (world == null || path == null) {
            return false;
        }
        world.aboutToSync(path);
        return true;
    }

    public static void write(RandomAccessFile file, String path, byte[] bytes, int offset, int length)
            throws IOException {
        WorldMachine world = here();
        if (world != null) {
            synchronized (DESCRIPTORS) {
                DESCRIPTORS.put(file.getFD(), path);
            }
            world.aboutToWrite(path, ByteBuffer.wrap(bytes, offset, length), file.getFilePointer());
        }
    }

    public static void setLength(RandomAccessFile file, String path, long size) throws IOException {
        WorldMachine world = here();
        if (world != null && size < file.length()) {
            world.aboutToTruncate(path, size);
        }
    }

    public static void sync(FileDescriptor descriptor) throws java.io.SyncFailedException {
        WorldMachine world = here();
        if (world != null) {
            String path;
            synchronized (DESCRIPTORS) {
                path = DESCRIPTORS.get(descriptor);
            }
            try {
                if (path != null) {
                    world.aboutToSync(path);
                }
            } catch (IOException failed) {
                throw new java.io.SyncFailedException(failed.getMessage());
            }
        }
    }

    public static void open(Path path, Set<? extends OpenOption> options) throws IOException {
        WorldMachine world = here();
        if (world != null && options.contains(StandardOpenOption.WRITE) || world != null
                && options.contains(StandardOpenOption.APPEND)) {
            boolean there = Files.exists(path, LinkOption.NOFOLLOW_LINKS);
            boolean makes = options.contains(StandardOpenOption.CREATE)
                    || options.contains(StandardOpenOption.CREATE_NEW);
            world.aboutToOpen(text(path), makes && !there,
                    there && options.contains(StandardOpenOption.TRUNCATE_EXISTING));
        }
    }

    public static void delete(Path path) throws IOException {
        WorldMachine world = here();
        if (world != null && Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            world.aboutToDelete(text(path));
        }
    }

    public static void move(Path from, Path to) throws IOException {
        WorldMachine world = here();
        if (world != null) {
            world.aboutToMove(text(from), text(to));
        }
    }

    public static void makeFolder(Path path) throws IOException {
        WorldMachine world = here();
        if (world != null && !Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            world.aboutToMakeFolder(text(path));
        }
    }

    /// Negative outside of the world.
    public static long usableSpace() {
        WorldMachine world = here();
        return world == null ? -1 : world.usableSpace();
    }

    /// Negative outside of the world.
    public static long totalSpace() {
        WorldMachine world = here();
        return world == null ? -1 : world.totalSpace();
    }

    private static String text(Path path) {
        return path.toAbsolutePath().normalize().toString();
    }

    // ---- the rest

    /// Null outside of the world.
    public static Object dnsClient() {
        WorldMachine world = here();
        return world == null ? null : world.dnsClient();
    }

    public static void halt(int status) {
        WorldMachine world = here();
        if (world != null) {
            world.halt(status);
        }
    }

    public static boolean watches() {
        return here() != null;
    }
}
