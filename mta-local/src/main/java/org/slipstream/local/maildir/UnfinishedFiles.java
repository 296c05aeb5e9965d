package org.slipstream.local.maildir;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// Deletes files in `tmp/` of all mailboxes that are older than 36 hours: a crash left them (the
/// figure is from the Maildir page). Other files stay, and a failure in one mailbox does not stop
/// the sweep of the others.
public final class UnfinishedFiles {
    private static final Logger log = LoggerFactory.getLogger(UnfinishedFiles.class);
    private static final Duration OLD = Duration.ofHours(36);

    private UnfinishedFiles() {}

    /// Blocking; runs at the start, on a thread that is never interrupted.
    ///
    /// @return number of deleted files
    public static int sweep(Path root, Instant now) {
        Instant horizon = now.minus(OLD);
        int swept = 0;
        for (Path domain : list(root)) {
            for (Path mailbox : list(domain)) {
                swept += swept(mailbox, horizon) + swept(mailbox.resolve(MaildirDelivery.JUNK), horizon);
            }
        }
        if (swept > 0) {
            log.info("event=unfinished-files-deleted count={}", swept);
        }
        return swept;
    }

    private static int swept(Path folder, Instant horizon) {
        int swept = 0;
        for (Path file : list(folder.resolve("tmp"))) {
            swept += deleteWhenOld(file, horizon) ? 1 : 0;
        }
        return swept;
    }

    private static boolean deleteWhenOld(Path file, Instant horizon) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class,
                    LinkOption.NOFOLLOW_LINKS);
            boolean old = attributes.isRegularFile() && attributes.lastModifiedTime().toInstant().isBefore(horizon);
            return old && Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("event=file-not-deleted file={} error=\"{}\"", file, FailureWords.of(e));
            return false;
        }
    }

    private static List<Path> list(Path folder) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            entries.forEach(found::add);
        } catch (NoSuchFileException | NotDirectoryException nothingThere) {
            // No mail yet, or a file among the mailboxes.
        } catch (IOException | DirectoryIteratorException e) {
            log.warn("event=folder-not-read file={} error=\"{}\"", folder, FailureWords.of(e));
        }
        return found;
    }
}
