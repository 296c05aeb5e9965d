package org.slipstream.cli.log;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// The file of the log, to which lines are appended.
///
/// A file that was renamed or removed is created again within a second, so logrotate needs no signal.
/// A file that was truncated (`copytruncate`) goes on from its beginning. New files have the mode 640.
///
/// Used by one thread at a time.
public final class LogFile extends OutputStream {
    private static final long LOOK_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Path file;
    private FileChannel channel;
    private @Nullable Object key;
    private long lookedNanos;

    public LogFile(Path file) throws IOException {
        this.file = file;
        this.channel = open();
    }

    private FileChannel open() throws IOException {
        FileChannel opened = FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        key = key();
        lookedNanos = System.nanoTime();
        return opened;
    }

    private @Nullable Object key() throws IOException {
        return Files.exists(file) ? Files.readAttributes(file, BasicFileAttributes.class).fileKey() : null;
    }

    @Override
    public void write(int octet) throws IOException {
        write(new byte[]{(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        follow();
        ByteBuffer left = ByteBuffer.wrap(bytes, offset, length);
        while (left.hasRemaining()) {
            channel.write(left);
        }
    }

    // A file that cannot be opened again keeps the old one: better in a renamed file than nowhere.
    private void follow() throws IOException {
        if (System.nanoTime() - lookedNanos < LOOK_EVERY_NANOS) {
            return;
        }
        lookedNanos = System.nanoTime();
        Object now = key();
        if (now == null || !now.equals(key)) {
            FileChannel before = channel;
            channel = open();
            before.close();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
