package org.slipstream.server.shard;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.config.StoredShard;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.qmgr.shard.ShardLoad;
import org.slipstream.qmgr.shard.ShardRules.CountChange;
import org.slipstream.qmgr.shard.ShardRules.Growth;
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
final class ShardSupervisor implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ShardSupervisor.class);
    private static final int EXIT_INTERNAL = 70;
    private static final Duration FINISH = Duration.ofSeconds(9);
    private static final long FIRST_PAUSE_MILLIS = 1_000;
    private static final int MOST_DOUBLINGS = 6;
    /// An attempt may make the index of a long queue again before it finds no space.
    private static final long SPACE_PAUSE_MILLIS = 60_000;

    private final ShardSet shards;
    private final ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
            task -> Thread.ofPlatform().daemon().name("shards-0").unstarted(task));

    ShardSupervisor(ShardSet shards) {
        this.shards = shards;
    }

    /// @param interval between two looks at the loads
    void start(Duration interval) {
        thread.scheduleWithFixedDelay(told(this::look), interval.toMillis(), interval.toMillis(),
                TimeUnit.MILLISECONDS);
        thread.scheduleWithFixedDelay(told(this::openWaiting), SPACE_PAUSE_MILLIS, SPACE_PAUSE_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    // ---- full disks

    /// Opens the shards that wait for space, as far as their disks have some now.
    void openWaiting() {
        for (StoredShard shard : shards.waiting()) {
            try {
                shards.openWaiting(shard);
            } catch (IOException | SpoolException refused) {
                log.warn("event=shard-waits-for-space shard={} folder={} error=\"{}\" next=\"it is tried again\"",
                        shard.number(), shard.folder(), LogText.text(FailureWords.of(refused)));
            }
        }
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
        if (shards.all().size() == 1) {
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
            if (shards.rules().growth() == Growth.STATIC) {
                return;
            }
            List<ShardLoad> loads = new ArrayList<>();
            for (Shard shard : shards.all()) {
                loads.add(shards.load(shard, shard.isEmpty()));
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
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
        thread.shutdown();
    }
}
