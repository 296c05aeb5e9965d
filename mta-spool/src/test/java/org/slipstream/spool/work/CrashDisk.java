package org.slipstream.spool.work;

import org.h2.store.fs.FileBaseDefault;
import org.h2.store.fs.FilePath;
import org.h2.store.fs.FilePathWrapper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// H2's way to a [DiskLog]: the index's file on a disk that is recorded, or that only forgets its
/// syncs.
public final class CrashDisk extends FilePathWrapper {
    static final String SCHEME = "crash";
    private static final Map<String, DiskLog> LOGS = new ConcurrentHashMap<>();

    static {
        FilePath.register(new CrashDisk());
    }

    static void plugIn(DiskLog log) {
        LOGS.put(log.root().toString(), log);
    }

    static void unplug(DiskLog log) {
        LOGS.remove(log.root().toString());
    }

    @Override
    public String getScheme() {
        return SCHEME;
    }

    @Override
    public FileChannel open(String mode) throws IOException {
        Path file = Path.of(getBase().toString());
        DiskLog log = LOGS.get(String.valueOf(file.getParent()));
        if (log == null || !file.toString().endsWith(".mv.db")) {
            return super.open(mode);
        }
        if (mode.startsWith("rw") && !getBase().exists()) {
            log.create(file, () -> getBase().createFile());
        }
        return new Watched(log, file, super.open(mode));
    }

    private static final class Watched extends FileBaseDefault {
        private final DiskLog log;
        private final Path file;
        private final int number;
        private final FileChannel real;

        Watched(DiskLog log, Path file, FileChannel real) {
            this.log = log;
            this.file = file;
            this.real = real;
            number = log.number(file);
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return real.read(target, position);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            byte[] bytes = new byte[source.remaining()];
            source.get(source.position(), bytes);
            return log.happens(file, new DiskLog.Event.Write(number, position, bytes),
                    () -> real.write(source, position));
        }

        @Override
        public long size() throws IOException {
            return real.size();
        }

        @Override
        protected void implTruncate(long size) throws IOException {
            if (size < real.size()) {
                log.happens(file, new DiskLog.Event.Truncate(number, size), () -> real.truncate(size));
            }
        }

        @Override
        public void force(boolean metadata) throws IOException {
            log.happens(file, new DiskLog.Event.Force(number), () -> real);
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
