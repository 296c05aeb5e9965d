package org.slipstream.spool.history;

import org.slipstream.core.DataSize;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The files of the history: JSON lines, appended to the newest file. They never grow beyond a size,
/// and no event stays much longer than it is kept.
///
/// A file is full at an eighth of the size or of the time. Whole files are deleted, the oldest first,
/// so at least seven eighths of what may be kept are there. Nothing is synced: after a power cut the
/// last events are missing. A start begins a new file, so a line that was cut off stays at the end of
/// a file, where the reader skips it.
///
/// Used by one thread.
final class HistoryFiles implements AutoCloseable {
    private static final int PARTS = 8;
    /// By which a clock goes back that was set, and does not only waver.
    private static final long STEP_MILLIS = 1_000;
    private static final Pattern NAME = Pattern.compile("events-(\\d{1,18})\\.jsonl");

    private final Path folder;
    private final HistorySettings settings;
    private Optional<OutputStream> current = Optional.empty();
    private long begunMillis;
    private long latestMillis;
    private long bytes;

    HistoryFiles(Path folder, HistorySettings settings) {
        this.folder = folder;
        this.settings = settings;
    }

    /// @param begunMillis time of its first batch; the events of earlier files are not later
    record HistoryFile(Path path, long begunMillis) {}

    /// The files, the oldest first; empty without a history.
    static List<HistoryFile> list(Path folder) throws IOException {
        List<HistoryFile> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path path : all) {
                Matcher name = NAME.matcher(path.getFileName().toString());
                if (name.matches()) {
                    files.add(new HistoryFile(path, Long.parseLong(name.group(1))));
                }
            }
        } catch (NoSuchFileException none) {
            return List.of();
        }
        files.sort((a, b) -> Long.compare(a.begunMillis(), b.begunMillis()));
        return files;
    }

    static void deleteAll(Path folder) throws IOException {
        for (HistoryFile file : list(folder)) {
            Files.deleteIfExists(file.path());
        }
        Files.deleteIfExists(folder);
    }

    /// Appends whole lines.
    void append(String lines, long nowMillis) throws IOException {
        byte[] utf8 = lines.getBytes(StandardCharsets.UTF_8);
        // One file for each step of the clock, and not one for each event until it has caught up.
        boolean wentBack = nowMillis < latestMillis - STEP_MILLIS;
        latestMillis = nowMillis;
        if (current.isEmpty() || bytes + utf8.length > part(settings.size())
                || nowMillis - begunMillis > settings.keep().toMillis() / PARTS
                || wentBack && nowMillis < begunMillis) {
            begin(nowMillis);
        }
        current.orElseThrow().write(utf8);
        bytes += utf8.length;
    }

    private static long part(DataSize size) {
        return size.bytes() / PARTS;
    }

    private void begin(long nowMillis) throws IOException {
        close();
        ownersFolder();
        List<HistoryFile> before = list(folder);
        // The order of the files is the order of the events, also after the clock went back.
        begunMillis = before.isEmpty() ? nowMillis : Math.max(nowMillis, before.getLast().begunMillis() + 1);
        current = Optional.of(Files.newOutputStream(folder.resolve("events-" + begunMillis + ".jsonl"),
                StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        bytes = 0;
        clean(nowMillis);
    }

    /// Senders, recipients and replies concern the owner only.
    private void ownersFolder() throws IOException {
        if (Files.notExists(folder)) {
            Files.createDirectories(folder);
            if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            }
        }
    }

    /// Deletes what is too old or too much. A file ends when it was written last, and before the next one
    /// begins.
    void clean(long nowMillis) throws IOException {
        List<HistoryFile> files = list(folder);
        long total = 0;
        for (HistoryFile file : files) {
            total += Files.size(file.path());
        }
        // The newest file grows to its part.
        long room = settings.size().bytes() - (current.isPresent() ? part(settings.size()) - bytes : 0);
        for (int i = 0; i < files.size(); i++) {
            boolean newest = i == files.size() - 1;
            if (newest && current.isPresent()) {
                return;
            }
            long written = Files.getLastModifiedTime(files.get(i).path()).toMillis();
            long endMillis = newest ? written : Math.min(written, files.get(i + 1).begunMillis());
            if (total <= room && nowMillis - endMillis <= settings.keep().toMillis()) {
                return;
            }
            long size = Files.size(files.get(i).path());
            Files.deleteIfExists(files.get(i).path());
            total -= size;
        }
    }

    /// The next event begins a new file.
    @Override
    public void close() throws IOException {
        if (current.isPresent()) {
            OutputStream open = current.get();
            current = Optional.empty();
            open.close();
        }
    }
}
