package org.slipstream.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.settings.WholeFiles;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Watches files, such as those that settings name, and tells when one has changed and then
/// stayed the same for a period, because an editor may write it in pieces.
final class NamedFileWatch implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(NamedFileWatch.class);
    static final Duration PERIOD = Duration.ofSeconds(1);

    private final Supplier<List<Path>> files;
    private final Runnable changed;
    private Map<Path, String> told;
    private Map<Path, String> seen;
    private volatile boolean closed;

    /// @param files those in force
    /// @param changed may block
    NamedFileWatch(Supplier<List<Path>> files, Runnable changed) {
        this.files = files;
        this.changed = changed;
        this.told = stamps();
        this.seen = told;
    }

    NamedFileWatch start() {
        Thread.ofVirtual().name("file-watch").start(this::run);
        return this;
    }

    private void run() {
        try {
            while (!closed) {
                Thread.sleep(PERIOD);
                lookOrTell();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    // A file may cause any error, and later changes of other files must still be noticed.
    void lookOrTell() {
        try {
            look();
        } catch (RuntimeException | StackOverflowError failed) {
            log.error("event=file-watch-failed next=\"a later change is noticed\" error=\"{}\"",
                    LogText.text(FailureWords.of(failed)), failed);
        }
    }

    /// One period has passed.
    void look() {
        Map<Path, String> now = stamps();
        if (now.equals(seen) && !now.equals(told)) {
            // A change that cannot be read is not read again each second.
            told = now;
            changed.run();
            // Other files may be in force now.
            now = stamps();
            told = now;
        }
        seen = now;
    }

    private Map<Path, String> stamps() {
        Map<Path, String> stamps = new TreeMap<>();
        files.get().forEach(file -> stamps.put(file, stamp(file)));
        return stamps;
    }

    private static String stamp(Path file) {
        try {
            BasicFileAttributes facts = Files.readAttributes(file, BasicFileAttributes.class);
            // A key that others may read is refused until its permissions change.
            String access = WholeFiles.hasPermissions(file) ? Files.getPosixFilePermissions(file).toString() : "";
            return facts.lastModifiedTime() + " " + facts.size() + " " + facts.fileKey() + " " + access;
        } catch (IOException gone) {
            return "";
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
