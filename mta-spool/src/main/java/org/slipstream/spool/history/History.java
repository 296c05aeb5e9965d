package org.slipstream.spool.history;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.RecipientOutcome;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// The history of messages: events that `mta trace` reads. Any thread adds an event without waiting;
/// a thread of its own writes the events of a quarter of a second together.
///
/// A message is acknowledged and delivered without regard to the history: no sync, no record in the
/// message log. Events that wait are lost in a crash, and events beyond [#MOST_WAITING] are counted
/// and dropped.
public final class History implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(History.class);
    /// Recipients of the events that wait; some 10 MB.
    static final int MOST_WAITING = 20_000;
    private static final long BATCH_MILLIS = 250;
    private static final int BATCH_CHARS = 1 << 17;
    private static final long CLEAN_NANOS = TimeUnit.HOURS.toNanos(1);

    /// A server without a history.
    public static final History OFF = new History();

    private final Optional<HistoryFiles> files;
    private final LongSupplier clockMillis;
    private final ConcurrentLinkedQueue<HistoryEntry> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();
    private final AtomicBoolean idle = new AtomicBoolean();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Optional<Thread> thread;
    private boolean failing;

    private History() {
        this.files = Optional.empty();
        this.clockMillis = () -> 0;
        this.thread = Optional.empty();
    }

    private History(HistoryFiles files, LongSupplier clockMillis) {
        this.files = Optional.of(files);
        this.clockMillis = clockMillis;
        this.thread = Optional.of(Thread.ofPlatform().daemon().name("history-0").unstarted(this::run));
    }

    /// The folder of the history of a spool.
    public static Path folder(Path spool) {
        return spool.resolve("history");
    }

    /// Without a time to keep, an earlier history is deleted.
    public static History open(Path folder, HistorySettings settings, LongSupplier clockMillis) {
        if (!settings.isOn()) {
            try {
                HistoryFiles.deleteAll(folder);
            } catch (IOException e) {
                log.warn("event=history-not-deleted error=\"{}\"", LogText.text(FailureWords.of(e)));
            }
            return OFF;
        }
        History history = new History(new HistoryFiles(folder, settings), clockMillis);
        history.thread.orElseThrow().start();
        return history;
    }

    public void accepted(MessageSummary message, Envelope envelope) {
        add(new HistoryEntry.Acceptance(message, envelope));
    }

    /// @param recipients of the outcomes, in the same order
    public void decided(QueueId id, List<Recipient> recipients, List<RecipientOutcome> outcomes) {
        add(new HistoryEntry.Decision(id, clockMillis.getAsLong(), recipients, outcomes));
    }

    public void waits(QueueId id, long untilMillis) {
        change(id, EventKind.WAITS, Instant.ofEpochMilli(untilMillis).toString());
    }

    public void held(QueueId id, boolean held) {
        change(id, held ? EventKind.HELD : EventKind.RELEASED, "");
    }

    public void ordered(QueueId id, String order) {
        change(id, EventKind.ORDERED, order);
    }

    public void setAside(QueueId id, String reason) {
        change(id, EventKind.SET_ASIDE, reason);
    }

    public void removed(QueueId id, String reason) {
        change(id, EventKind.REMOVED, reason);
    }

    private void change(QueueId id, EventKind kind, String text) {
        add(new HistoryEntry.Change(id, clockMillis.getAsLong(), kind, text));
    }

    private void add(HistoryEntry entry) {
        if (files.isEmpty()) {
            return;
        }
        int weight = entry.weight();
        if (count.addAndGet(weight) > MOST_WAITING) {
            count.addAndGet(-weight);
            dropped.incrementAndGet();
            return;
        }
        waiting.add(entry);
        if (idle.get() && idle.compareAndSet(true, false)) {
            LockSupport.unpark(thread.orElseThrow());
        }
    }

    private void run() {
        while (closing.getCount() > 0) {
            idle.set(true);
            if (waiting.isEmpty()) {
                LockSupport.parkNanos(this, CLEAN_NANOS);
            }
            idle.set(false);
            try {
                // A batch costs one write; the wait ends early when the server stops.
                if (!waiting.isEmpty() && closing.await(BATCH_MILLIS, TimeUnit.MILLISECONDS)) {
                    return;
                }
            } catch (InterruptedException stop) {
                return;
            }
            flush();
        }
    }

    /// Writes what waits, so that a search finds it.
    public synchronized void flush() {
        if (files.isEmpty()) {
            return;
        }
        try {
            write(files.get());
            failing = false;
        } catch (IOException e) {
            failed(e, files.get());
        }
        int lost = dropped.getAndSet(0);
        if (lost > 0) {
            log.warn("event=history-events-dropped count={}", lost);
        }
    }

    private void write(HistoryFiles open) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (HistoryEntry entry = waiting.poll(); entry != null; entry = waiting.poll()) {
            count.addAndGet(-entry.weight());
            entry.write(lines);
            if (lines.length() > BATCH_CHARS) {
                open.append(lines.toString(), clockMillis.getAsLong());
                lines.setLength(0);
            }
        }
        if (lines.isEmpty()) {
            open.clean(clockMillis.getAsLong());
        } else {
            open.append(lines.toString(), clockMillis.getAsLong());
        }
    }

    // Mail goes on without its history. One line tells of a failure that lasts.
    private void failed(IOException e, HistoryFiles open) {
        if (!failing) {
            log.warn("event=history-not-written error=\"{}\" next=\"mail goes on; these events are lost\"",
                    LogText.text(FailureWords.of(e)));
        }
        failing = true;
        try {
            open.close();
        } catch (IOException again) {
            log.debug("event=history-not-written error=\"{}\"", LogText.text(FailureWords.of(again)));
        }
    }

    @Override
    public void close() {
        closing.countDown();
        thread.ifPresent(each -> {
            LockSupport.unpark(each);
            try {
                each.join(TimeUnit.SECONDS.toMillis(1));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        flush();
        synchronized (this) {
            files.ifPresent(each -> {
                try {
                    each.close();
                } catch (IOException e) {
                    log.debug("event=history-not-written error=\"{}\"", LogText.text(FailureWords.of(e)));
                }
            });
        }
    }
}
