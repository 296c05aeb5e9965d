package org.slipstream.spool;

import org.slipstream.spool.box.LetterBox;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// The thread `spool-sync-0`: syncs the box while the writer is busy with the register, because a group is safe when both are, and
/// the disk takes two syncs in hardly more time than one.
///
/// The writer begins a sync, leaves the box alone, and waits for its end before it touches the box again. Nobody interrupts this
/// thread: an interrupt would close the file that it syncs.
final class BoxSync implements AutoCloseable {
    private final LetterBox box;
    private final ExecutorService thread = Executors
            .newSingleThreadExecutor(Thread.ofPlatform().daemon().name("spool-sync-0").factory());
    private Optional<CompletableFuture<Void>> running = Optional.empty();

    BoxSync(LetterBox box) {
        this.box = box;
    }

    void begin() {
        running = Optional.of(CompletableFuture.runAsync(() -> {
            try {
                box.barrier();
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        }, thread));
    }

    /// Returns when no sync is running.
    ///
    /// @return true when there was one to wait for
    /// @throws IOException what it ran into
    boolean end() throws IOException {
        Optional<CompletableFuture<Void>> ending = running;
        running = Optional.empty();
        try {
            ending.ifPresent(CompletableFuture::join);
            return ending.isPresent();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case IOException trouble -> throw trouble;
                case RuntimeException trouble -> throw trouble;
                case Error trouble -> throw trouble;
                default -> throw e;
            }
        }
    }

    /// Lets a running sync come to its end.
    @Override
    public void close() {
        thread.shutdown();
    }
}
