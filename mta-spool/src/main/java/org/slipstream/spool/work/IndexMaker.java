package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.spool.Spool;
import org.slipstream.spool.index.QueueIndex;
import org.slipstream.spool.log.LogRecord;
import org.slipstream.spool.log.MessageLog;
import org.slipstream.spool.log.Position;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// Makes the index from the log beside the service, on a thread of its own, and hands it to the index
/// thread. It works half of the time at most, because mail comes first. When it fails, the queue in
/// memory goes on serving, and it begins again a little later.
final class IndexMaker implements IndexMaking {
    private static final Logger log = LoggerFactory.getLogger(IndexMaker.class);
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(20);
    /// Octets of the index for a message that was deferred once, with some room.
    private static final long ROOM = 4_000;
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /// The index thread applies so many messages in one go.
    private static final long FEW = 1_000;

    private enum Handing {
        NOTHING, OFFERED, TAKEN, REFUSED
    }

    private final int shard;
    private final MessageLog messageLog;
    private final Tail tail;
    private final Indexer indexer;
    private final Indexer.Opening opening;
    private final LeftFiles leftFiles;
    private final long sinceMillis;
    private final Thread thread;
    private boolean closed;
    private Handing handing = Handing.NOTHING;
    private Optional<Throwable> trouble = Optional.empty();
    private long stepNanos;
    private volatile long entered;

    IndexMaker(int shard, MessageLog messageLog, Tail tail, Indexer indexer, Indexer.Opening opening,
            LeftFiles leftFiles, long sinceMillis) {
        this.shard = shard;
        this.messageLog = messageLog;
        this.tail = tail;
        this.indexer = indexer;
        this.opening = opening;
        this.sinceMillis = sinceMillis;
        this.leftFiles = leftFiles;
        thread = Thread.ofPlatform().daemon().name("spool-making-" + shard).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /// How far the work is, and why the latest try failed.
    ///
    /// @param messages of the queue
    synchronized Spool.Trouble trouble(OptionalLong messages) {
        String of = String.format(Locale.ROOT, "%,d of %,d messages", entered, messages.orElse(entered));
        return new Spool.Trouble(Spool.What.MAKING, sinceMillis,
                trouble.map(why -> of + ": " + HealthReport.innermost(why)).orElse(of),
                trouble.filter(SpaceGuard::isNoSpace).isPresent());
    }

    private void run() {
        boolean done = false;
        while (!done && !isClosed()) {
            try {
                done = make();
            } catch (IOException | RuntimeException | Error e) {
                failed(e);
            }
            if (!done) {
                pause(AGAIN_NANOS);
            }
        }
    }

    private boolean make() throws IOException {
        stepNanos = System.nanoTime();
        indexer.requireRoom(ROOM);
        QueueIndex made = opening.make(this);
        boolean taken = false;
        try {
            while (Recovery.run(messageLog, made, this).entered() > FEW) {
                log.debug("event=index-follows count={}", entered);
            }
            taken = hand(made);
            return taken;
        } finally {
            if (!taken) {
                opening.failed(made, isClosed());
            }
        }
    }

    private synchronized void failed(Throwable e) {
        if (!closed) {
            trouble = Optional.of(e);
            log.warn(
                    "event=index-not-made error=\"{}\" next=\"the queue is served from the log, and it is tried again\"",
                    LogText.text(e.toString()));
        }
    }

    /// @return true when the index thread uses it
    private boolean hand(QueueIndex made) {
        synchronized (this) {
            handing = Handing.OFFERED;
        }
        indexer.made(made);
        synchronized (this) {
            while (handing == Handing.OFFERED && !closed) {
                await(0);
            }
            return handing == Handing.TAKEN;
        }
    }

    /// Index thread: begins to use what was handed over. @return false when it is too late
    synchronized boolean take() {
        boolean offered = handing == Handing.OFFERED && !closed;
        handing = offered ? Handing.TAKEN : handing;
        notifyAll();
        return offered;
    }

    /// Index thread: what was handed over cannot be used.
    synchronized void refuse(Throwable why) {
        failed(why);
        handing = Handing.REFUSED;
        notifyAll();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        for (long left = nanos; left > 0 && !closed; left = end - System.nanoTime()) {
            await(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
        }
    }

    private void await(long millis) {
        try {
            wait(millis);
        } catch (InterruptedException e) {
            log.warn("event=index-maker-interrupted");
        }
    }

    /// Ends the work. An index that is not complete is discarded.
    void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        Threads.join(thread);
    }

    @Override
    public Position end() {
        return tail.position();
    }

    @Override
    public void reached(Position position) {
        messageLog.reached(position);
    }

    @Override
    public void write(List<LogRecord> records) throws IOException {
        boolean[] written = {false};
        boolean accepted = indexer.write(new Task.Changes(List.copyOf(records), () -> {
            synchronized (this) {
                written[0] = true;
                notifyAll();
            }
        }));
        synchronized (this) {
            while (accepted && !written[0] && !closed) {
                await(0);
            }
            if (!written[0]) {
                throw new IOException("the spool is closed");
            }
        }
    }

    @Override
    public boolean isQueued(QueueId id) {
        return indexer.isQueued(id);
    }

    @Override
    public LeftFiles leftFiles() {
        return leftFiles;
    }

    @Override
    public void step(long count) throws IOException {
        entered = count;
        pause(Math.min(System.nanoTime() - stepNanos, LONGEST_PAUSE_NANOS));
        stepNanos = System.nanoTime();
        if (isClosed()) {
            throw new IOException("the spool is closed");
        }
    }
}
