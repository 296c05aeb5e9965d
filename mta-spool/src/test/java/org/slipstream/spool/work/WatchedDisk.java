package org.slipstream.spool.work;

import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/// A file system for H2 that records each write and each sync of the index, and can be full.
///
/// From the record, [#image] makes the file as a power cut may leave it: everything before the last
/// sync is there; of the later writes each sector of 512 bytes is there or not.
public final class WatchedDisk extends FilePathWrapper {
    static final String SCHEME = "watched";
    private static final int SECTOR = 512;

    private sealed interface Event {
        record Write(long position, byte[] bytes) implements Event {}

        record Truncate(long size) implements Event {}

        record Force() implements Event {}
    }

    private static final List<Event> EVENTS = new ArrayList<>();
    private static boolean full;

    static {
        FilePath.register(new WatchedDisk());
    }

    /// Makes the scheme known, and the memory empty.
    static synchronized void reset() {
        EVENTS.clear();
        full = false;
    }

    static synchronized void full(boolean now) {
        full = now;
    }

    /// The number of events so far.
    static synchronized int now() {
        return EVENTS.size();
    }

    /// The file after a power cut behind the first `cut` events.
    static synchronized void image(Path file, int cut, Random random) throws IOException {
        int safe = cut;
        while (safe > 0 && !(EVENTS.get(safe - 1) instanceof Event.Force)) {
            safe--;
        }
        Files.deleteIfExists(file);
        Files.createFile(file);
        try (FileChannel image = FileChannel.open(file, java.nio.file.StandardOpenOption.WRITE)) {
            for (int i = 0; i < cut; i++) {
                switch (EVENTS.get(i)) {
                    case Event.Write(long position, byte[] bytes) -> {
                        for (int at = 0; at < bytes.length; at += SECTOR) {
                            if (i < safe || random.nextBoolean()) {
                                image.write(ByteBuffer.wrap(bytes, at, Math.min(SECTOR, bytes.length - at)),
                                        position + at);
                            }
                        }
                    }
                    case Event.Truncate(long size) -> image.truncate(size);
                    case Event.Force() -> {
                    }
                }
            }
        }
    }

    private static synchronized void happens(Event event) throws IOException {
        if (full && event instanceof Event.Write) {
            throw new IOException("No space left on device");
        }
        EVENTS.add(event);
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FileChannel open(String mode) throws IOException {
        FileChannel real = super.open(mode);
        return getBase().toString().endsWith(".mv.db") ? new Watched(real) : real;
    }

    private static final class Watched extends FileBaseDefault {
        private final FileChannel real;

        Watched(FileChannel real) {
            this.real = real;
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return real.read(target, position);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            byte[] bytes = new byte[source.remaining()];
            source.get(source.position(), bytes);
            happens(new Event.Write(position, bytes));
            return real.write(source, position);
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        protected void implTruncate(long size) throws IOException {
            if (size < real.size()) {
                happens(new Event.Truncate(size));
                real.truncate(size);
            }
        }

        @Override
        public void force(boolean metadata) throws IOException {
            real.force(metadata);
            happens(new Event.Force());
        }

        @Override
        public FileLock tryLock(long position, long size, boolean shared) throws IOException {
            return real.tryLock(position, size, shared);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            real.close();
        }
    }
}
