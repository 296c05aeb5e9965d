package org.slipstream.server.local;

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

/// Sweeps `tmp/` of all mailboxes: what lies there for more than 36 hours was left by a crash (the figure is the Maildir
/// page's). Everything else is left alone, and trouble with one mailbox does not keep the others from being swept.
public final class Leftovers {
    private static final Logger log = LoggerFactory.getLogger(Leftovers.class);
    private static final Duration OLD = Duration.ofHours(36);

    private Leftovers() {}

    /// Blocking; meant for the start, on a thread that nobody interrupts.
    ///
    /// @return how many files were deleted
    public static int sweep(Path root, Instant now) {
        Instant horizon = now.minus(OLD);
        int swept = 0;
        for (Path domain : list(root)) {
            for (Path mailbox : list(domain)) {
                for (Path file : list(mailbox.resolve("tmp"))) {
                    swept += deleteWhenOld(file, horizon) ? 1 : 0;
                }
            }
        }
        if (swept > 0) {
            log.info("msg=\"swept unfinished deliveries\" files={}", swept);
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
            log.warn("msg=\"unfinished delivery not swept\" file={} reason=\"{}\"", file, FailureWords.of(e));
            return false;
        }
    }

    private static List<Path> list(Path folder) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            entries.forEach(found::add);
        } catch (NoSuchFileException | NotDirectoryException nothingThere) {
            // No mail yet, or a file that somebody put between the mailboxes.
        } catch (IOException | DirectoryIteratorException e) {
            log.warn("msg=\"folder not swept\" folder={} reason=\"{}\"", folder, FailureWords.of(e));
        }
        return found;
    }
}
