package org.slipstream.server.maildrop;

import org.slipstream.core.QueueId;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The folder `maildrop/` of a home folder.
///
/// | Name | Content | Mode |
/// |---|---|---|
/// | `maildrop/` | every user may add files, and none may list them | 3733 |
/// | `maildrop/tmp.…` | files that are being written | |
/// | `maildrop/new.…` | whole files, which the server has not seen | 0640 |
/// | `maildrop/taken/<queue id>.new.…` | files that the server is storing under this id | folder 0700 |
/// | `maildrop/corrupt/` | files that cannot become messages | folder 0700 |
///
/// **Modes.** The folder is sticky, so a user cannot remove the file of another. Its group is that
/// of the server, and set-group-ID gives each file that group; mode 0640 then lets the server read a
/// file, and no other user. Postfix needs a program with special rights for that.
///
/// **Taking.** A file is moved into a folder of the server before it is examined. No user can
/// replace it there between the examination and the reading.
public final class MaildropFolder {
    private static final int FOLDER_MODE = 03733;
    private static final int SET_GROUP_ID = 02000;
    private static final Set<PosixFilePermission> FOR_GROUP = PosixFilePermissions.fromString("rw-r-----");
    /// On a folder without set-group-ID. The name is secret then: 128 random bits that no user can list.
    private static final Set<PosixFilePermission> FOR_ALL = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    private static final Pattern TAKEN = Pattern.compile("([0-9a-z]+)\\.(new\\..*)");
    private static final String NEW = "new.";
    private static final String UNFINISHED = "tmp.";
    private static final Duration ABANDONED = Duration.ofHours(36);

    private final Path folder;
    private final Path taken;
    private final Path corrupt;

    private MaildropFolder(Path folder) {
        this.folder = folder;
        this.taken = folder.resolve("taken");
        this.corrupt = folder.resolve("corrupt");
    }

    /// @param home of the server
    public static MaildropFolder in(Path home) {
        return new MaildropFolder(home.resolve("maildrop"));
    }

    /// The place of the folder.
    public Path path() {
        return folder;
    }

    // ---- programs

    /// Begins a file.
    ///
    /// @throws java.nio.file.NoSuchFileException when no server was ever started for the home folder
    public DropFileWriter write(DropEnvelope envelope) throws IOException {
        byte[] secret = new byte[16];
        new SecureRandom().nextBytes(secret);
        String name = "%013d.".formatted(System.currentTimeMillis()) + HexFormat.of().formatHex(secret);
        Path unfinished = folder.resolve(UNFINISHED + name);
        boolean inheritsGroup = (mode(folder) & SET_GROUP_ID) != 0;
        DropFileWriter writer = new DropFileWriter(unfinished, folder.resolve(NEW + name), envelope);
        try {
            Files.setPosixFilePermissions(unfinished, inheritsGroup ? FOR_GROUP : FOR_ALL);
            return writer;
        } catch (IOException | RuntimeException refused) {
            writer.close();
            throw refused;
        }
    }

    /// The number of files that the server has not stored; empty for a user who may not list them.
    public Optional<Long> waiting() {
        try {
            return Optional.of((long) names(Integer.MAX_VALUE).size());
        } catch (IOException denied) {
            return Optional.empty();
        }
    }

    // ---- the server

    /// Makes the folders with their modes, and deletes files that programs never finished.
    public void prepare(Instant now) throws IOException {
        Files.createDirectories(folder);
        Files.setAttribute(folder, "unix:mode", FOLDER_MODE);
        for (Path each : List.of(taken, corrupt)) {
            Files.createDirectories(each);
            Files.setPosixFilePermissions(each, PRIVATE);
        }
        for (Path file : list(folder, UNFINISHED, Integer.MAX_VALUE)) {
            if (Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant()
                    .isBefore(now.minus(ABANDONED))) {
                Files.deleteIfExists(file);
            }
        }
    }

    /// New files, the oldest first, at most `limit` of them.
    List<String> names(int limit) throws IOException {
        return list(folder, NEW, limit).stream().map(file -> file.getFileName().toString()).sorted().toList();
    }

    /// Moves a file out of the reach of its user.
    ///
    /// @return its place
    Path take(String name, QueueId id) throws IOException {
        return Files.move(folder.resolve(name), taken.resolve(id + "." + name), StandardCopyOption.ATOMIC_MOVE);
    }

    /// Undoes [#take].
    void putBack(Path file) throws IOException {
        Matcher name = TAKEN.matcher(file.getFileName().toString());
        if (name.matches()) {
            Files.move(file, folder.resolve(name.group(2)), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /// @return the new place
    Path setAside(Path file) throws IOException {
        return Files.move(file, corrupt.resolve(file.getFileName().toString()), StandardCopyOption.ATOMIC_MOVE);
    }

    Path find(String name) {
        return folder.resolve(name);
    }

    /// Files that the last server was storing when it was killed, with the ids of their messages.
    Map<Path, Optional<QueueId>> leftOver() throws IOException {
        Map<Path, Optional<QueueId>> found = new LinkedHashMap<>();
        for (Path file : list(taken, "", Integer.MAX_VALUE)) {
            Matcher name = TAKEN.matcher(file.getFileName().toString());
            found.put(file, name.matches() ? QueueId.parse(name.group(1)) : Optional.empty());
        }
        return found;
    }

    private static int mode(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:mode");
    }

    private static List<Path> list(Path folder, String prefix, int limit) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder,
                file -> file.getFileName().toString().startsWith(prefix))) {
            for (Path file : files) {
                if (found.size() == limit) {
                    break;
                }
                found.add(file);
            }
            return found;
        } catch (DirectoryIteratorException trouble) {
            throw trouble.getCause();
        }
    }
}
