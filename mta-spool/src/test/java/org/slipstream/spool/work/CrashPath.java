package org.slipstream.spool.work;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;

/// A path below a [CrashFiles]: the real path, with the recorded file system as its own. It does
/// nothing else; `Files.…` finds the provider by it.
final class CrashPath implements Path {
    private final CrashFiles files;
    private final Path real;

    CrashPath(CrashFiles files, Path real) {
        this.files = files;
        this.real = real;
    }

    @Override
    public FileSystem getFileSystem() {
        return files;
    }

    @Override
    public boolean isAbsolute() {
        return real.isAbsolute();
    }

    @Override
    public Path getRoot() {
        return files.wrap(real.getRoot());
    }

    @Override
    public Path getFileName() {
        return files.wrap(real.getFileName());
    }

    @Override
    public Path getParent() {
        return files.wrap(real.getParent());
    }

    @Override
    public int getNameCount() {
        return real.getNameCount();
    }

    @Override
    public Path getName(int index) {
        return files.wrap(real.getName(index));
    }

    @Override
    public Path subpath(int from, int to) {
        return files.wrap(real.subpath(from, to));
    }

    @Override
    public boolean startsWith(Path other) {
        return real.startsWith(CrashFiles.unwrap(other));
    }

    @Override
    public boolean endsWith(Path other) {
        return real.endsWith(CrashFiles.unwrap(other));
    }

    @Override
    public Path normalize() {
        return files.wrap(real.normalize());
    }

    @Override
    public Path resolve(Path other) {
        return files.wrap(real.resolve(CrashFiles.unwrap(other)));
    }

    @Override
    public Path relativize(Path other) {
        return files.wrap(real.relativize(CrashFiles.unwrap(other)));
    }

    @Override
    public URI toUri() {
        return real.toUri();
    }

    @Override
    public Path toAbsolutePath() {
        return files.wrap(real.toAbsolutePath());
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        return files.wrap(real.toRealPath(options));
    }

    @Override
    public File toFile() {
        return real.toFile();
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(Path other) {
        return real.compareTo(CrashFiles.unwrap(other));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CrashPath path && path.real.equals(real);
    }

    @Override
    public int hashCode() {
        return real.hashCode();
    }

    @Override
    public String toString() {
        return real.toString();
    }

    Path real() {
        return real;
    }
}
