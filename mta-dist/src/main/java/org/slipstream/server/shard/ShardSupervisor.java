package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardRules.CountChange;
import org.slipstream.qmgr.shard.ShardRules.Growth;
import org.slipstream.server.operate.WaitingShard.WaitReason;
import org.slipstream.server.shard.Shard.ShardState;
import org.slipstream.spool.SpoolException;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/// Restarts shards that failed, and follows the load with their number. All of it happens on one
/// thread, so that no two changes of the set cross.
///
/// **A failed shard.** Its brain threw, so its state is unknown and its spool is sound. Deliveries
/// under way finish or are cut, their outcomes are recorded, and a new run begins on the same spool.
/// The pause before it doubles with each failure, because a message that breaks the brain is leased
/// by the first scan, and a later run starts without it. The other shards go on. With one shard the
/// process ends instead, and whatever supervises it starts it again.
///
/// **A disk that hangs.** A write that does not return cannot be interrupted. The server goes on with
/// the other shards, and this one keeps its lock and its threads. Its queue manager begins no more
/// deliveries; the outcomes of those under way wait in memory. When the write returns, the log gets
/// them, the spool is closed in order and opened again. So the new run repeats no delivery of which
/// the outcome is known.
final class ShardSupervisor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ShardSupervisor.class);
    private static final int EXIT_INTERNAL = 70;
    private static final Duration FINISH = Duration.ofSeconds(9);
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final int MOST_DOUBLINGS = 6;
    /// An attempt may make the index of a long queue again before it finds no space.
    private static final long SPACE_PAUSE_MILLIS = 60_000;
    private static final long WATCH_MILLIS = 5_000;

    private final ShardSet shards;
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
            task -> Thread.ofPlatform().daemon().name("shards-0").unstarted(task));
    /// It waits for no disk, while a change of the set may.
    private final ScheduledThreadPoolExecutor watch = new ScheduledThreadPoolExecutor(1,
            task -> Thread.ofPlatform().daemon().name("shards-1").unstarted(task));

    ShardSupervisor(ShardSet shards) {
        this.shards = shards;
    }

    /// @param interval between two looks at the loads
    void start(Duration interval) {
        thread.scheduleWithFixedDelay(told(this::look), interval.toMillis(), interval.toMillis(),
                TimeUnit.MILLISECONDS);
        thread.scheduleWithFixedDelay(told(this::openWaiting), SPACE_PAUSE_MILLIS, SPACE_PAUSE_MILLIS,
                TimeUnit.MILLISECONDS);
        watch.scheduleWithFixedDelay(told(this::giveUpHungShards), WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    }

    // ---- full disks, and those that hang

    /// Opens the shards that wait for space, as far as their disks have some now.
    void openWaiting() {
        shards.waiting().stream().filter(WaitingSpool::mayOpen).forEach(this::open);
    }

    private void open(WaitingSpool shard) {
        try {
            shards.openWaiting(shard.stored());
        } catch (IOException | SpoolException refused) {
            String error = LogText.text(FailureWords.of(refused));
            if (shard.why() == WaitReason.NO_SPACE) {
                log.warn("event=shard-waits-for-space shard={} folder={} error=\"{}\" next=\"it is tried again\"",
                        shard.number(), shard.stored().folder(), error);
            } else {
                log.warn("event=shard-not-opened shard={} folder={} error=\"{}\" next=\"it is tried again\"",
                        shard.number(), shard.stored().folder(), error);
            }
        }
    }

    /// Goes on without the shards whose disks hang.
    void giveUpHungShards() {
        for (Shard shard : shards.all()) {
            if (shard.spool().hangs() && shards.giveUp(shard)) {
                log.error("event=shard-hangs shard={} folder={} reason=\"a write to its disk does not return\""
                        + " next=\"the other shards go on, and it is opened again when its disk answers\"",
                        shard.number(), shard.where().directory());
                Thread.ofPlatform().daemon().name("shard-hung-" + shard.number()).start(told(() -> openAgain(shard)));
            }
        }
    }

    private void openAgain(Shard shard) {
        try {
            shard.closeWhenDiskAnswers(FINISH, () -> shards.gone(shard));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return;
        }
        log.info("event=shard-disk-answers shard={}", shard.number());
        open(shards.closed(shard));
    }

    // ---- failures

    // The executor keeps an error in a future that no thread reads, and schedules the task never again.
    static Runnable told(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error broken) {
                log.error("event=task-failed", broken);
            }
        };
    }

    /// The queue manager of a shard has ended with an exception. Called on its thread.
    void failed(Shard shard, Throwable trouble) {
        if (shard.state() == ShardState.LOST) {
            log.warn("event=shard-failed shard={} error=\"{}\" next=\"another node delivers its mail\"", shard.number(),
                    LogText.text(FailureWords.of(trouble)));
            return;
        }
        if (shards.isAlone()) {
            // Nothing is lost: the log has every message.
            log.error("event=queue-manager-failed next=\"the process ends\"", trouble);
            Runtime.getRuntime().halt(EXIT_INTERNAL);
        }
        int failures = shard.failed();
        long pause = FIRST_PAUSE_MILLIS << Math.min(failures - 1, MOST_DOUBLINGS);
        log.error("event=shard-failed shard={} failures={} error=\"{}\" next=\"it starts again in {} ms\"",
                shard.number(), failures, LogText.text(FailureWords.of(trouble)), pause);
        try {
            thread.schedule(told(() -> restart(shard, pause)), 0, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            log.debug("event=shard-not-restarted shard={} reason=\"stopping\"", shard.number());
        }
    }

    private void restart(Shard shard, long pauseMillis) {
        if (!shard.mayRestart()) {
            return;
        }
        try {
            shard.salvage(FINISH);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return;
        } catch (RuntimeException | Error broken) {
            // Its mail would stay until the next start otherwise.
            log.error("event=shard-failed shard={} next=\"it starts again all the same\"", shard.number(), broken);
        }
        shards.gone(shard);
        thread.schedule(() -> startAgain(shard, pauseMillis), pauseMillis, TimeUnit.MILLISECONDS);
    }

    private void startAgain(Shard shard, long pauseMillis) {
        if (!shard.mayRestart()) {
            return;
        }
        try {
            shards.start(shard);
            log.info("event=shard-restarted shard={}", shard.number());
        } catch (IOException | RuntimeException | Error trouble) {
            log.error("event=shard-not-restarted shard={} error=\"{}\"", shard.number(),
                    LogText.text(FailureWords.of(trouble)));
            thread.schedule(() -> startAgain(shard, pauseMillis), pauseMillis, TimeUnit.MILLISECONDS);
        }
    }

    // ---- growth

    private void look() {
        try {
            closeThoseThatLeave();
            shards.all().forEach(shards::drain);
            if (shards.isClustered() || shards.rules().growth() == Growth.STATIC) {
                return;
            }
            List<ShardLoad> loads = new ArrayList<>();
            for (Shard shard : shards.all().stream().filter(each -> !shards.isLocal(each)).toList()) {
                loads.add(shards.load(shard, shards.mayClose(shard)));
            }
            follow(shards.rules().change(loads));
        } catch (IOException | SpoolException | RuntimeException trouble) {
            log.warn("event=shard-count-unchanged error=\"{}\"", LogText.text(FailureWords.of(trouble)));
        }
    }

    private void follow(CountChange change) throws IOException, SpoolException {
        switch (change) {
            case CountChange.None _ -> {
                // The number fits the load.
            }
            case CountChange.Kept(CountChange due) -> log.info("event=shard-count-kept change=\"{}\"", due);
            case CountChange.Add _ -> shards.add();
            case CountChange.Remove(List<Integer> numbers) ->
                numbers.forEach(number -> shards.shard(number).ifPresent(shard -> shard.leave(true)));
        }
    }

    // One look later: sessions that began a message before have finished it, or the shard stays.
    private void closeThoseThatLeave() throws IOException {
        for (Shard shard : shards.all()) {
            if (shard.isLeaving() && !shards.close(shard)) {
                shard.leave(false);
            }
        }
    }

    /// Begins nothing new. Work under way touches files, so it is not interrupted.
    @Override
    public void close() {
        watch.shutdownNow();
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
        thread.shutdown();
    }
}
