package org.slipstream.qmgr.journal.file;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.qmgr.journal.JournalRecord;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/// Writes the decision journal on its thread, `journal-0`.
///
/// [#add] never waits: the queue between the two threads is bounded, and a record that finds it full
/// is not written. The next record that finds room is preceded by the number of the missing ones.
/// A disk that fails ends the journal and not the server.
///
/// The size is bounded: the first file is kept, because a replay needs the beginning of the run, and
/// two files alternate for what comes after it ([JournalParts]).
public final class JournalWriter {
    private static final Logger log = LoggerFactory.getLogger(JournalWriter.class);
    private static final int WAITING = 65_536;
    private static final int BATCH = 1_024;

    private final JournalParts parts;
    private final long size;
    private final BlockingQueue<JournalRecord> waiting;
    private final Thread thread = Thread.ofPlatform().daemon().name("journal-0").unstarted(this::run);
    private volatile boolean failed;

    /// Only on the thread that adds.
    private long missing;

    // ---- only on the thread that writes
    private int part;
    private long beganMillis;
    private long left;
    private OutputStream out = OutputStream.nullOutputStream();

    private JournalWriter(JournalParts parts, long size, int mostWaiting) {
        this.parts = parts;
        this.size = size;
        this.waiting = new ArrayBlockingQueue<>(mostWaiting);
    }

    /// Opens the file; that of the run before is kept under another name.
    ///
    /// @throws IOException the file cannot be written
    public static JournalWriter open(Path file, long size, JournalRecord.Beginning beginning) throws IOException {
        JournalWriter writer = prepared(file, size, beginning, WAITING);
        log.info("event=journal-opened file=\"{}\" size={}", LogText.text(file.toString()), size);
        writer.thread.start();
        return writer;
    }

    /// A writer whose thread is not running.
    public static JournalWriter prepared(Path file, long size, JournalRecord.Beginning beginning, int mostWaiting)
            throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        JournalParts parts = new JournalParts(file);
        parts.setAside();
        JournalWriter writer = new JournalWriter(parts, size, mostWaiting);
        writer.beganMillis = beginning.at();
        writer.beginPart();
        writer.write(beginning);
        writer.out.flush();
        return writer;
    }

    /// Adds a record, or counts it as missing. Called on one thread; never waits.
    public void add(JournalRecord record) {
        if (missing > 0) {
            // With room for many records, so that a slow disk makes few gaps.
            if (waiting.remainingCapacity() <= waiting.size()
                    || !waiting.offer(new JournalRecord.Missing(missing))) {
                missing++;
                return;
            }
            log.warn("event=journal-records-missing records={} next=\"a replay ends there\"", missing);
            missing = 0;
        }
        if (!waiting.offer(record)) {
            missing++;
        }
    }

    /// Writes what waits and closes the file, once nothing is added any more.
    ///
    /// @param limit the longest wait
    public void close(long nowMillis, Duration limit) throws InterruptedException {
        if (missing > 0) {
            waiting.offer(new JournalRecord.Missing(missing), limit.toMillis(), TimeUnit.MILLISECONDS);
        }
        waiting.offer(new JournalRecord.Closing(nowMillis), limit.toMillis(), TimeUnit.MILLISECONDS);
        thread.join(limit);
    }

    /// Starts the thread of a [#prepared] writer.
    public void start() {
        thread.start();
    }

    private void run() {
        List<JournalRecord> batch = new ArrayList<>(BATCH);
        try {
            do {
                batch.clear();
                batch.add(waiting.take());
                waiting.drainTo(batch, BATCH - 1);
                writeAll(batch);
            } while (!(batch.getLast() instanceof JournalRecord.Closing));
        } catch (InterruptedException stop) {
            log.debug("event=journal-interrupted");
        } finally {
            closeFile();
        }
    }

    private void writeAll(List<JournalRecord> batch) {
        if (failed) {
            return;
        }
        try {
            for (JournalRecord record : batch) {
                write(record);
            }
            out.flush();
        } catch (IOException | RuntimeException trouble) {
            failed = true;
            log.error("event=journal-failed file=\"{}\" error=\"{}\" next=\"no further record is written\"",
                    LogText.text(parts.file(part).toString()), LogText.text(FailureWords.of(trouble)));
        }
    }

    private void write(JournalRecord record) throws IOException {
        byte[] line = (JournalText.write(record) + "\n").getBytes(StandardCharsets.UTF_8);
        if (line.length > left && !(record instanceof JournalRecord.Beginning)) {
            out.close();
            part++;
            beginPart();
            write(new JournalRecord.Continuation(beganMillis, part));
        }
        out.write(line);
        left -= line.length;
    }

    private void beginPart() throws IOException {
        left = JournalParts.bytes(part, size);
        Set<OpenOption> fresh = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING);
        Path file = parts.file(part);
        out = new BufferedOutputStream(Channels.newOutputStream(Files.newByteChannel(file, fresh,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))));
    }

    private void closeFile() {
        try {
            out.close();
        } catch (IOException trouble) {
            log.warn("event=journal-failed file=\"{}\" error=\"{}\"", LogText.text(parts.file(part).toString()),
                    LogText.text(FailureWords.of(trouble)));
        }
    }
}
