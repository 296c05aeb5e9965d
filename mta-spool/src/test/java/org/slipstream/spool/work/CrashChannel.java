package org.slipstream.spool.work;

import org.slipstream.spool.work.DiskLog.Event;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/// One open file or folder of [CrashFiles]: each write, truncation and sync is recorded in the
/// [DiskLog] before it happens. Reading passes through.
final class CrashChannel extends FileChannel {
    private final DiskLog log;
    private final Path file;
    private final FileChannel real;
    private final int number;

    CrashChannel(DiskLog log, Path file, FileChannel real) {
        this.log = log;
        this.file = file;
        this.real = real;
        number = log.number(file);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        int written = write(source, real.position());
        real.position(real.position() + written);
        return written;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
        byte[] bytes = new byte[source.remaining()];
        source.get(source.position(), bytes);
        return log.happens(file, new Event.Write(number, position, bytes), () -> real.write(source, position));
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        log.happens(file, new Event.Truncate(number, size), () -> real.truncate(size));
        return this;
    }

    @Override
    public void force(boolean metadata) throws IOException {
        boolean folder = Files.isDirectory(file);
        log.happens(file, folder ? new Event.SyncFolder(log.name(file)) : new Event.Force(number), () -> real);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return real.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return real.read(targets, offset, length);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        return real.read(target, position);
    }

    @Override
    public long position() throws IOException {
        return real.position();
    }

    @Override
    public FileChannel position(long position) throws IOException {
        real.position(position);
        return this;
    }

    @Override
    public long size() throws IOException {
        return real.size();
    }

    @Override
    protected void implCloseChannel() throws IOException {
        real.close();
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }
}
