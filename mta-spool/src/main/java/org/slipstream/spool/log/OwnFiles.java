package org.slipstream.spool.log;

import org.slipstream.core.QueueId;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The folder `large` with a file for each content, and the folder `corrupt` for those that are set aside.
final class OwnFiles implements LargeContents {
    private static final String SUFFIX = ".message";

    private final Path directory;
    private final Path corrupt;

    /// @param spool the spool's directory
    OwnFiles(Path spool) {
        directory = spool.resolve("large");
        corrupt = spool.resolve("corrupt");
    }

    private Path path(QueueId id) {
        return directory.resolve(id + SUFFIX);
    }

    @Override
    public OwnFile create(QueueId id) throws IOException {
        return new OwnFile(path(id));
    }

    @Override
    public void sync(Set<QueueId> named) throws IOException {
        Directories.sync(directory);
    }

    @Override
    public boolean has(QueueId id) {
        return Files.exists(path(id));
    }

    @Override
    public List<QueueId> list() throws IOException {
        List<QueueId> ids = new ArrayList<>();
        if (Files.notExists(directory)) {
            return ids;
        }
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = file.getFileName().toString();
                if (name.endsWith(SUFFIX)) {
                    Optional<QueueId> id = QueueId.parse(name.substring(0, name.length() - SUFFIX.length()));
                    id.ifPresent(ids::add);
                }
            }
        }
        return ids;
    }

    @Override
    public InputStream open(QueueId id) throws IOException {
        return new FileInputStream(present(id).toFile());
    }

    @Override
    public Optional<FileChannel> file(QueueId id) throws IOException {
        return Optional.of(FileChannel.open(present(id)));
    }

    private Path present(QueueId id) throws NoSuchFileException {
        Path file = path(id);
        if (Files.notExists(file) && Files.isDirectory(directory)) {
            throw new NoSuchFileException(file.toString());
        }
        return file;
    }

    @Override
    public void delete(QueueId id) throws IOException {
        Files.deleteIfExists(path(id));
    }

    @Override
    public void setAside(QueueId id) throws IOException {
        Files.move(path(id), inCorrupt(id), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public boolean isAside(QueueId id) {
        return Files.exists(inCorrupt(id));
    }

    @Override
    public void restore(QueueId id) throws IOException {
        Files.move(inCorrupt(id), path(id), StandardCopyOption.ATOMIC_MOVE);
        Directories.sync(directory);
    }

    private Path inCorrupt(QueueId id) {
        return corrupt.resolve(path(id).getFileName().toString());
    }
}
