package org.slipstream.spool.work;

import org.slipstream.spool.work.DiskLog.Event;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardOpenOption;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/// The log's way to a [DiskLog]: Java's file system with paths of our own, so that every write,
/// creation, renaming, deletion and sync below one folder is recorded. Reading passes through.
///
/// Access without paths is not recorded: a large message's own file is written through
/// `RandomAccessFile` (see [DiskLog#written]).
final class CrashFiles extends FileSystem {
    private final FileSystem real;
    private final DiskLog log;
    private final Provider provider = new Provider();

    private CrashFiles(DiskLog log) {
        real = log.root().getFileSystem();
        this.log = log;
    }

    /// The disk's folder.
    static Path at(DiskLog log) {
        return new CrashFiles(log).wrap(log.root());
    }

    Path wrap(Path path) {
        return path == null ? null : new CrashPath(this, path);
    }

    static Path unwrap(Path path) {
        return path instanceof CrashPath watched ? watched.real() : path;
    }

    private final class Provider extends FileSystemProvider {
        @Override
        public String getScheme() {
            return "crash";
        }

        @Override
        public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileSystem getFileSystem(URI uri) {
            return CrashFiles.this;
        }

        @Override
        public Path getPath(URI uri) {
            return wrap(Path.of(uri));
        }

        @Override
        public SeekableByteChannel newByteChannel(Path path, Set<? extends OpenOption> options,
                FileAttribute<?>... attributes) throws IOException {
            return newFileChannel(path, options, attributes);
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options,
                FileAttribute<?>... attributes) throws IOException {
            Path file = unwrap(path);
            boolean writes = options.contains(StandardOpenOption.WRITE);
            if (file.endsWith("lock") || !writes && !Files.isDirectory(file)) {
                return FileChannel.open(file, options, attributes);
            }
            if (!writes) {
                return new CrashChannel(log, file, FileChannel.open(file, options));
            }
            FileChannel[] opened = new FileChannel[1];
            if (Files.notExists(file)) {
                log.create(file, () -> opened[0] = FileChannel.open(file, options, attributes));
            } else {
                opened[0] = FileChannel.open(file, options, attributes);
                if (options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
                    log.happens(file, new Event.Truncate(log.number(file), 0), () -> file);
                }
            }
            return new CrashChannel(log, file, opened[0]);
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
                throws IOException {
            DirectoryStream<Path> stream = Files.newDirectoryStream(unwrap(directory));
            return new DirectoryStream<>() {
                @Override
                public Iterator<Path> iterator() {
                    Iterator<Path> names = stream.iterator();
                    return new Iterator<>() {
                        @Override
                        public boolean hasNext() {
                            return names.hasNext();
                        }

                        @Override
                        public Path next() {
                            return wrap(names.next());
                        }
                    };
                }

                @Override
                public void close() throws IOException {
                    stream.close();
                }
            };
        }

        @Override
        public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
            Path folder = unwrap(directory);
            if (Files.isDirectory(folder)) {
                throw new java.nio.file.FileAlreadyExistsException(folder.toString());
            }
            log.happens(folder, new Event.Folder(log.name(folder)), () -> Files.createDirectory(folder, attributes));
        }

        @Override
        public void delete(Path path) throws IOException {
            Path file = unwrap(path);
            if (Files.notExists(file)) {
                throw new java.nio.file.NoSuchFileException(file.toString());
            }
            log.happens(file, new Event.Delete(log.name(file)), () -> {
                Files.delete(file);
                return file;
            });
        }

        @Override
        public void copy(Path source, Path target, CopyOption... options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            log.rename(unwrap(source), unwrap(target), () -> Files.move(unwrap(source), unwrap(target), options));
        }

        @Override
        public boolean isSameFile(Path path, Path other) throws IOException {
            return Files.isSameFile(unwrap(path), unwrap(other));
        }

        @Override
        public boolean isHidden(Path path) throws IOException {
            return Files.isHidden(unwrap(path));
        }

        @Override
        public FileStore getFileStore(Path path) throws IOException {
            return Files.getFileStore(unwrap(path));
        }

        @Override
        public void checkAccess(Path path, AccessMode... modes) throws IOException {
            unwrap(path).getFileSystem().provider().checkAccess(unwrap(path), modes);
        }

        @Override
        public <V extends FileAttributeView> V getFileAttributeView(Path path, Class<V> type, LinkOption... options) {
            return Files.getFileAttributeView(unwrap(path), type, options);
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            return Files.readAttributes(unwrap(path), type, options);
        }

        @Override
        public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
                throws IOException {
            return Files.readAttributes(unwrap(path), attributes, options);
        }

        @Override
        public void setAttribute(Path path, String attribute, Object value, LinkOption... options)
                throws IOException {
            Files.setAttribute(unwrap(path), attribute, value, options);
        }
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {
        // No channel is held.
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return real.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return real.getRootDirectories();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return real.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return real.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
        return wrap(real.getPath(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
        return real.getPathMatcher(pattern);
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return real.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException();
    }
}
