package org.slipstream.world;

import org.jspecify.annotations.Nullable;
import org.slipstream.world.hook.WorldMachine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/// The system below the program: threads, clocks, the disk, questions to DNS.
final class WorldSystem implements WorldMachine {
    private static final long EPOCH_NANOS = 1_767_960_000L * 1_000_000_000L;
    private static final long DISK_OCTETS = 100L << 30;
    /// Threads of static executors, which outlive a kill as their executors do.
    private static final Set<String> OF_THE_MACHINE = Set.of("out-watchdog", "out-login", "password");

    /// From this number on, ended threads are forgotten: a library that begins a thread at each attempt would keep all
    /// that they had.
    private static final int MOST_RUNNERS = 50;

    private final WorldScheduler scheduler;
    private final WorldDisk disk;
    private final WorldDns dns;
    private final WorldScheduler.Process machine;
    private final Map<Thread, Thread> runners = new HashMap<>();
    private int most = MOST_RUNNERS;
    private final boolean hasQuota;
    private final IntConsumer end;
    private long clockOffset;

    /// @param hasQuota a write that fails for want of space does so although the disk has some
    /// @param end of the process with a status, asked for by itself
    WorldSystem(WorldScheduler scheduler, WorldDisk disk, WorldDns dns, boolean hasQuota, IntConsumer end) {
        this.scheduler = scheduler;
        this.disk = disk;
        this.dns = dns;
        this.hasQuota = hasQuota;
        this.end = end;
        machine = scheduler.process("machine");
    }

    /// The clock of the day is set.
    void move(long nanos) {
        clockOffset += nanos;
    }

    void forgetEnded() {
        runners.values().removeIf(each -> !each.isAlive());
    }

    @Override
    public boolean has(Thread thread) {
        return scheduler.has(thread);
    }

    @Override
    public long nanoTime() {
        return scheduler.nanoTime();
    }

    @Override
    public long epochNanos() {
        return EPOCH_NANOS + clockOffset + scheduler.nanoTime();
    }

    @Override
    public Future<?> schedule(Runnable task, long delay, TimeUnit unit) {
        return scheduler.schedule(task, unit.toNanos(delay));
    }

    @Override
    public void begins(Thread thread) {
        if (!isOfTheMachine(thread.getName())) {
            JdkThreads.seed(thread);
        }
    }

    @Override
    public void yielded(Thread thread) {
        scheduler.yielded(thread);
    }

    @Override
    public Thread newThread(@Nullable String name, Runnable task, Thread.@Nullable UncaughtExceptionHandler handler) {
        boolean stays = name != null && isOfTheMachine(name);
        Thread thread = JdkThreads.make(stays ? machine : scheduler.current(), name == null ? "" : name, task);
        if (handler != null) {
            thread.setUncaughtExceptionHandler(handler);
        }
        return thread;
    }

    private static boolean isOfTheMachine(String thread) {
        return OF_THE_MACHINE.stream().anyMatch(thread::startsWith);
    }

    @Override
    public void start(Thread platform) {
        Thread runner = JdkThreads.make(scheduler.current(), platform.getName(), platform::run);
        runners.put(platform, runner);
        runner.start();
        if (runners.size() > most) {
            forgetEnded();
            most = Math.max(MOST_RUNNERS, 2 * runners.size());
        }
    }

    @Override
    public Thread runs(Thread platform) {
        return runners.getOrDefault(platform, platform);
    }

    @Override
    public void aboutToWrite(String path, ByteBuffer source, long position) throws IOException {
        disk.write(path, source, position);
    }

    @Override
    public void aboutToTruncate(String path, long size) throws IOException {
        disk.truncate(path, size);
    }

    @Override
    public void aboutToSync(String path) throws IOException {
        disk.sync(path);
    }

    @Override
    public void aboutToOpen(String path, boolean creates, boolean truncates) throws IOException {
        disk.open(path, creates, truncates);
    }

    @Override
    public void aboutToDelete(String path) throws IOException {
        disk.delete(path);
    }

    @Override
    public void aboutToMove(String from, String to) throws IOException {
        disk.move(from, to);
    }

    @Override
    public void aboutToMakeFolder(String path) throws IOException {
        disk.makeFolder(path);
    }

    @Override
    public long usableSpace() {
        return disk.health().full() && !hasQuota ? 0 : DISK_OCTETS / 2;
    }

    @Override
    public long totalSpace() {
        return DISK_OCTETS;
    }

    @Override
    public Object dnsClient() {
        return dns;
    }

    @Override
    public void halt(int status) {
        end.accept(status);
        while (true) {
            LockSupport.park();
            Thread.interrupted();
        }
    }
}
