package org.slipstream.settings;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Reads files that a setting names, or that lie in the home folder. It guarantees an end: a file is
/// a regular one, has at most a number of octets, and is read within [#LIMIT].
///
/// A file of a list belongs to one of its members, who may put a device, a FIFO or an endless file in
/// its place. The type is asked before opening. Another file can come in between, and opening a FIFO
/// waits for a writer, which Java cannot prevent. So a thread of its own opens and reads; a thread
/// that hangs stays, and at most [#MOST_AT_ONCE] can.
public final class BoundedFiles {
    /// Of tables, aliases and users: some 200,000 lines. Old and new lines are in memory during a reload.
    public static final int MOST_TABLE_OCTETS = 16 << 20;
    /// Of files that a person writes: settings, templates, tokens, logins, keys and certificates.
    public static final int MOST_TEXT_OCTETS = 4 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final int MOST_AT_ONCE = 16;

    private static final Semaphore THREADS = new Semaphore(MOST_AT_ONCE);

    private BoundedFiles() {}

    /// @throws java.nio.file.NoSuchFileException when there is no file
    /// @throws FileSystemException when it is not a regular file, too large, or hangs
    public static byte[] bytes(Path file, int mostOctets) throws IOException {
        BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
        if (!facts.isRegularFile()) {
            throw new FileSystemException(file.toString(), null,
                    facts.isDirectory() ? "Is a directory" : "not a regular file");
        }
        return inTime(file, mostOctets, LIMIT);
    }

    /// The lines of a file in UTF-8.
    ///
    /// @throws CharacterCodingException when it is not UTF-8
    public static List<String> lines(Path file, int mostOctets) throws IOException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(file, mostOctets))).toString().lines()
                .toList();
    }

    /// For any file, also one that has come in the place of a regular one.
    static byte[] inTime(Path file, int mostOctets, Duration limit) throws IOException {
        FutureTask<byte[]> reading = new FutureTask<>(() -> {
            try {
                return read(file, mostOctets);
            } finally {
                THREADS.release();
            }
        });
        try {
            if (!THREADS.tryAcquire(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new FileSystemException(file.toString(), null, "other files hang while they are read");
            }
            Thread.ofPlatform().daemon().name("file-read").start(reading);
            return reading.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException hangs) {
            throw new FileSystemException(file.toString(), null, "not read within " + limit.toMillis() + " ms");
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(file + ": interrupted");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof IOException unreadable) {
                throw unreadable;
            }
            throw new IOException(Objects.requireNonNullElse(failed.getCause(), failed));
        }
    }

    private static byte[] read(Path file, int mostOctets) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(mostOctets + 1);
            if (bytes.length > mostOctets) {
                throw new FileSystemException(file.toString(), null, "larger than " + (mostOctets >> 20) + " MiB");
            }
            return bytes;
        }
    }
}
