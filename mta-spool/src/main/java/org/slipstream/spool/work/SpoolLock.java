package org.slipstream.spool.work;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.LogText;
import org.slipstream.spool.SpoolException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// The lock that admits one process per spool. The operating system releases it when the process
/// ends, however it ends; the number in the file is for operators only.
public final class SpoolLock implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SpoolLock.class);
    // Closing any channel of a file releases POSIX locks that the same process holds through
    // another channel. So a second opening in this process has to be refused before it touches the
    // file.
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path key;
    private final FileChannel channel;

    private SpoolLock(Path key, FileChannel channel) {
        this.key = key;
        this.channel = channel;
    }

    /// @param directory exists
    public static SpoolLock take(Path directory) throws SpoolException {
        Path key = realPath(directory);
        if (!HELD_HERE.add(key)) {
            throw inUse(directory, "by this process");
        }
        try {
            return new SpoolLock(key, locked(directory));
        } catch (SpoolException e) {
            HELD_HERE.remove(key);
            throw e;
        }
    }

    private static FileChannel locked(Path directory) throws SpoolException {
        Path file = directory.resolve("lock");
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (tryLock(channel)) {
                writeOwner(channel);
                return channel;
            }
            channel.close();
        } catch (IOException e) {
            throw SpaceGuard.notWritable(directory, e);
        }
        throw inUse(directory, "by process " + owner(file));
    }

    /// A full disk has no space for the number. It is no reason to refuse the spool, or to leave the channel open: an
    /// open one keeps the lock, and no later attempt of this process would get it.
    private static void writeOwner(FileChannel channel) {
        try {
            channel.truncate(0);
            channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException full) {
            log.debug("event=spool-lock-without-owner error=\"{}\"", LogText.text(full.toString()));
        }
    }

    private static boolean tryLock(FileChannel channel) throws IOException {
        try {
            // A byte far behind the text, so that the text can be read where locks are mandatory.
            FileLock lock = channel.tryLock(Long.MAX_VALUE - 1, 1, false);
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static SpoolException inUse(Path directory, String whom) {
        return new SpoolException(SpoolException.Reason.IN_USE, "The spool " + directory + " is in use " + whom
                + ": stop that one, or give this server a directory of its own.");
    }

    private static String owner(Path file) {
        try {
            String number = Files.readString(file).strip();
            return number.isEmpty() ? "unknown" : number;
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static Path realPath(Path directory) throws SpoolException {
        try {
            return directory.toRealPath();
        } catch (IOException e) {
            throw new SpoolException(SpoolException.Reason.NOT_WRITABLE,
                    "The spool " + directory + " cannot be read (" + e + "): give this user the right to.", e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The lock ends with the process at the latest.
        } finally {
            HELD_HERE.remove(key);
        }
    }
}
