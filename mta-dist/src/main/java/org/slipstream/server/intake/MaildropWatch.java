package org.slipstream.server.intake;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.local.maildrop.MaildropFolder;
import org.slipstream.local.maildrop.MaildropSettings;
import org.slipstream.local.maildrop.OwnerTurns.DropFile;

import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// The threads of the maildrop: `maildrop-0` waits for files and lists them, the others store them.
/// A new file is stored at once, and one that no event announced by the next scan.
///
/// The threads use files of the spool and are never interrupted.
public final class MaildropWatch {
    private static final Logger log = LoggerFactory.getLogger(MaildropWatch.class);
    private static final int MOST_REMEMBERED = 10_000;

    private final MaildropFolder folder;
    private final Supplier<Pickup> pickup;
    private final MaildropSettings settings;
    private final ExecutorService workers;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Waiting waiting;
    private final Thread thread;
    /// Files that could not be stored, in the thread of the maildrop. They come last, after other files of their owner.
    private final Set<String> failed = new HashSet<>();

    /// Waits for the next file.
    private interface Waiting {
        void await(Duration most) throws InterruptedException;

        void close() throws IOException;
    }

    private MaildropWatch(MaildropFolder folder, Supplier<Pickup> pickup, MaildropSettings settings) {
        this.folder = folder;
        this.pickup = pickup;
        this.settings = settings;
        this.workers = Executors.newFixedThreadPool(settings.atOnce(),
                Thread.ofPlatform().daemon().name("maildrop-", 1).factory());
        this.waiting = waiting();
        this.thread = Thread.ofPlatform().daemon().name("maildrop-0").unstarted(this::run);
    }

    public static MaildropWatch start(MaildropFolder folder, Supplier<Pickup> pickup, MaildropSettings settings) {
        MaildropWatch watch = new MaildropWatch(folder, pickup, settings);
        watch.thread.start();
        return watch;
    }

    /// Ends after the files that are being stored.
    public void close(Duration limit) throws InterruptedException, IOException {
        stop.countDown();
        waiting.close();
        workers.shutdown();
        thread.join(limit);
        workers.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void run() {
        try {
            while (stop.getCount() > 0) {
                storeAll();
                waiting.await(settings.scanInterval());
            }
        } catch (ClosedWatchServiceException | InterruptedException end) {
            // The server stops.
        }
    }

    /// Rounds, as long as a round stores something.
    private void storeAll() {
        try {
            List<DropFile> files = folder.inTurns(failed);
            while (stop.getCount() > 0 && storeInTurns(files)) {
                files = folder.inTurns(failed);
            }
        } catch (IOException unreadable) {
            log.warn("event=maildrop-not-read file={} error=\"{}\" next=\"it is read again in {}\"", folder.path(),
                    FailureWords.of(unreadable), settings.scanInterval());
        } catch (RuntimeException fault) {
            log.error("event=maildrop-failed file={}", folder.path(), fault);
        }
    }

    /// A file that has to wait ends the turns of its owner: on a full disk each owner tries one file.
    ///
    /// @return whether a file was stored
    private boolean storeInTurns(List<DropFile> files) {
        Set<Integer> waiting = ConcurrentHashMap.newKeySet();
        List<CompletableFuture<Result>> results = files.stream()
                .map(file -> CompletableFuture.supplyAsync(() -> storeUnlessOwnerWaits(file, waiting), workers))
                .toList();
        boolean progress = false;
        for (int i = 0; i < results.size(); i++) {
            switch (results.get(i).join()) {
                case STORED -> progress = true;
                case FAILED -> remember(files.get(i).name());
                case NOT_TRIED -> {
                    // Its turn comes in the next round.
                }
            }
        }
        return progress;
    }

    private enum Result {
        STORED, FAILED, NOT_TRIED
    }

    private Result storeUnlessOwnerWaits(DropFile file, Set<Integer> waiting) {
        if (stop.getCount() == 0 || waiting.contains(file.owner())) {
            return Result.NOT_TRIED;
        }
        if (pickup.get().store(file.name())) {
            return Result.STORED;
        }
        waiting.add(file.owner());
        return Result.FAILED;
    }

    private void remember(String name) {
        if (failed.size() == MOST_REMEMBERED) {
            failed.clear();
        }
        failed.add(name);
    }

    private Waiting waiting() {
        try {
            WatchService events = folder.path().getFileSystem().newWatchService();
            folder.path().register(events, StandardWatchEventKinds.ENTRY_CREATE);
            return new Events(events);
        } catch (IOException | UnsupportedOperationException refused) {
            log.warn("event=maildrop-not-watched file={} error=\"{}\" next=\"it is read every {}\"", folder.path(),
                    FailureWords.of(refused), settings.scanInterval());
            return new Ticks(stop);
        }
    }

    private record Events(WatchService events) implements Waiting {
        @Override
        public void await(Duration most) throws InterruptedException {
            WatchKey key = events.poll(most.toMillis(), TimeUnit.MILLISECONDS);
            if (key != null) {
                key.pollEvents();
                key.reset();
            }
        }

        @Override
        public void close() throws IOException {
            events.close();
        }
    }

    /// The system has no events left to give, such as inotify instances.
    private record Ticks(CountDownLatch stop) implements Waiting {
        @Override
        public void await(Duration most) throws InterruptedException {
            stop.await(most.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void close() {
            // The latch ends the wait.
        }
    }
}
