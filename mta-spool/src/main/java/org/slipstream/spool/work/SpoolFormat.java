package org.slipstream.spool.work;

import org.slipstream.spool.SpoolException;
import org.slipstream.spool.log.Directories;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The file `version`, one line: the format of this spool. The number grows whenever the log's
/// format does. A program reads it before it touches anything else.
public final class SpoolFormat {
    static final int VERSION = 1;

    private static final String FILE = "version";
    private static final Pattern LINE = Pattern.compile("slipstream-spool ([0-9]{1,9})\\s*");

    private SpoolFormat() {}

    /// Checks the version and changes nothing.
    public static void check(Path directory) throws SpoolException {
        String text;
        try {
            text = Files.readString(directory.resolve(FILE));
        } catch (NoSuchFileException e) {
            return;
        } catch (IOException e) {
            throw new SpoolException(SpoolException.Reason.NOT_WRITABLE,
                    "The spool " + directory + " cannot be read (" + e + "): give this user the right to.", e);
        }
        Matcher line = LINE.matcher(text);
        if (!line.matches()) {
            throw new SpoolException(SpoolException.Reason.DAMAGED, "The file " + directory.resolve(FILE)
                    + " must contain \"slipstream-spool " + VERSION + "\" and does not: correct it by hand.");
        }
        int version = Integer.parseInt(line.group(1));
        if (version > VERSION) {
            throw newer(directory, version);
        }
    }

    /// True when a spool was opened in this folder before.
    public static boolean exists(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    static SpoolException newer(Path directory, int version) {
        return new SpoolException(SpoolException.Reason.NEWER_VERSION,
                "The spool " + directory + " was written by a newer Slipstream (format " + version
                        + ", this one knows " + VERSION + "): start that version; nothing was touched.");
    }

    /// Writes the version, before anything else in this format.
    public static void mark(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        String line = "slipstream-spool " + VERSION + "\n";
        if (Files.exists(file) && Files.readString(file).equals(line)) {
            return;
        }
        Path fresh = directory.resolve(FILE + ".new");
        Files.writeString(fresh, line);
        try (FileChannel channel = FileChannel.open(fresh, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(fresh, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE,
                java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        Directories.sync(directory);
    }
}
