package org.slipstream.cli.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Writes log lines to standard error, many with one write.
///
/// A message produces three or four lines. A write for each of them would cost a busy server a
/// considerable part of the time of its real work, and all sessions would contend for the stream's
/// lock. Here a line is appended to those that wait, and a thread writes all waiting lines at once:
/// on an idle server that is one line, at full load some hundred.
///
/// No line is dropped: a logging thread waits when a MiB has gathered. Errors are written when the
/// call returns, because the process may end next. Other lines of the last moment may be lost when
/// the process is killed. From the orderly end of the process on, every line is written by the
/// thread that logs it.
public final class LineAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private static final int MOST_BYTES = 1 << 20;

    private volatile Encoder<ILoggingEvent> encoder;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private OutputStream stream;
    private ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private boolean writing;
    private boolean direct = true;

    LineAppender(Encoder<ILoggingEvent> encoder) {
        this(encoder, new FileOutputStream(FileDescriptor.err));
    }

    public LineAppender(Encoder<ILoggingEvent> encoder, OutputStream stream) {
        this.encoder = encoder;
        this.stream = stream;
    }

    public Encoder<ILoggingEvent> encoder() {
        return encoder;
    }

    /// Another form or place of the lines. Waiting lines are written in the former place.
    void change(Encoder<ILoggingEvent> form, OutputStream place) throws IOException {
        lock.lock();
        try {
            while (!direct && (writing || waiting.size() > 0)) {
                changed.awaitUninterruptibly();
            }
            OutputStream before = stream;
            encoder = form;
            stream = place;
            if (before instanceof LogFile) {
                before.close();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void start() {
        super.start();
        direct = false;
        Thread.ofPlatform().daemon().name("log").start(this::run);
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().name("log-end").unstarted(this::endGathering));
    }

    @Override
    public void stop() {
        endGathering();
        super.stop();
    }

    @Override
    protected void append(ILoggingEvent event) {
        byte[] line = encoder.encode(event);
        lock.lock();
        try {
            while (!direct && waiting.size() > MOST_BYTES) {
                changed.awaitUninterruptibly();
            }
            waiting.writeBytes(line);
            if (direct) {
                write(waiting);
                return;
            }
            changed.signalAll();
            boolean mustBeSeen = event.getLevel().isGreaterOrEqual(Level.ERROR);
            while (mustBeSeen && !direct && (writing || waiting.size() > 0)) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        ByteArrayOutputStream spare = new ByteArrayOutputStream();
        for (ByteArrayOutputStream lines = next(spare); lines.size() > 0; lines = next(spare)) {
            write(lines);
            spare = lines;
        }
    }

    /// The waiting lines, in exchange for an empty buffer; empty when there will be no more.
    private ByteArrayOutputStream next(ByteArrayOutputStream empty) {
        lock.lock();
        try {
            writing = false;
            changed.signalAll();
            while (!direct && waiting.size() == 0) {
                changed.awaitUninterruptibly();
            }
            if (direct) {
                return new ByteArrayOutputStream(0);
            }
            ByteArrayOutputStream lines = waiting;
            waiting = empty;
            writing = true;
            return lines;
        } finally {
            lock.unlock();
        }
    }

    private void endGathering() {
        lock.lock();
        try {
            while (writing) {
                changed.awaitUninterruptibly();
            }
            direct = true;
            write(waiting);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void write(ByteArrayOutputStream lines) {
        try {
            lines.writeTo(stream);
            stream.flush();
        } catch (IOException e) {
            // The reader of the stream has gone; nothing can be reported, and mail continues.
        }
        lines.reset();
    }
}
