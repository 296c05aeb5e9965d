package org.slipstream.local.maildrop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.QueueId;
import org.slipstream.local.maildrop.OwnerTurns.DropFile;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/// The folder `maildrop/` of a home folder.
///
/// | Name | Content | Mode |
/// |---|---|---|
/// | `maildrop/` | every user may add files, and none may list them | 3733 |
/// | `maildrop/tmp.…` | files that are being written | |
/// | `maildrop/new.…` | whole files, which the server has not seen | 0640 |
/// | `maildrop/taken/<queue id>` | files that the server is storing under this id | folder 0700 |
/// | `maildrop/taken/<queue id>.stored` | files that could not be deleted after that | |
/// | `maildrop/corrupt/<queue id>` | files that cannot become messages: 1,000, 1 GiB, 30 days at most | folder 0700 |
///
/// **Modes.** The folder is sticky, so a user cannot remove the file of another. Its group is that
/// of the server, and set-group-ID gives each file that group; mode 0640 then lets the server read a
/// file, and no other user. Postfix needs a program with special rights for that.
///
/// **Taking.** A file is moved into a folder of the server before it is examined. No user can
/// replace it there between the examination and the reading.
///
/// **Foreign things.** Any user can make anything here, such as folders, pipes and names of 255
/// octets. None of it keeps the server from starting, or the mail of others waiting.
public final class MaildropFolder {
    private static final Logger log = LoggerFactory.getLogger(MaildropFolder.class);
    private static final int FOLDER_MODE = 03733;
    private static final int SET_GROUP_ID = 02000;
    private static final Set<PosixFilePermission> FOR_GROUP = PosixFilePermissions.fromString("rw-r-----");
    /// On a folder without set-group-ID. The name is secret then: 128 random bits that no user can list.
    private static final Set<PosixFilePermission> FOR_ALL = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rwx------");
    private static final String NEW = "new.";
    private static final String UNFINISHED = "tmp.";
    private static final String STORED = ".stored";
    /// A program has not written to the file for so long.
    private static final Duration AT_REST = Duration.ofMinutes(1);
    private static final Duration ABANDONED = Duration.ofHours(36);
    private static final int MOST_ASIDE = 1_000;
    private static final long MOST_ASIDE_BYTES = 1L << 30;
    private static final Duration KEPT_ASIDE = Duration.ofDays(30);

    private final SeldomLines lines = new SeldomLines(System::nanoTime);
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
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, NEW + "*")) {
            return Optional.of(StreamSupport.stream(files.spliterator(), false).count());
        } catch (IOException | DirectoryIteratorException denied) {
            return Optional.empty();
        }
    }

    // ---- the server

    /// Makes the folders with their modes, and ends what programs did not finish.
    public void prepare(Instant now) throws IOException {
        Files.createDirectories(folder);
        Files.setAttribute(folder, "unix:mode", FOLDER_MODE);
        for (Path each : List.of(taken, corrupt)) {
            Files.createDirectories(each);
            Files.setPosixFilePermissions(each, PRIVATE);
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, UNFINISHED + "*")) {
            for (Path file : files) {
                settle(file, now);
            }
        } catch (DirectoryIteratorException trouble) {
            throw trouble.getCause();
        }
        trim(now);
    }

    /// A file whose last line is there is whole: its program was stopped, or the power failed, just before the file got
    /// its name. Any other one is deleted when it is old. Foreign things stay, whatever they are.
    private void settle(Path file, Instant now) {
        try {
            Instant modified = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toInstant();
            if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || modified.isAfter(now.minus(AT_REST))) {
                return;
            }
            if (!takeIfWhole(file) && modified.isBefore(now.minus(ABANDONED))) {
                Files.deleteIfExists(file);
            }
        } catch (IOException trouble) {
            lines.next("unfinished").ifPresent(more -> log.warn(
                    "event=maildrop-file-ignored file={} error=\"{}\" more={}", LogText.word(file.toString()),
                    LogText.text(FailureWords.of(trouble)), more));
        }
    }

    /// Read out of the reach of its user, who could put a pipe in its place.
    private boolean takeIfWhole(Path file) throws IOException {
        String rest = file.getFileName().toString().substring(UNFINISHED.length());
        Path own = Files.move(file, taken.resolve("unfinished"), StandardCopyOption.ATOMIC_MOVE);
        boolean whole = false;
        try {
            whole = Files.isRegularFile(own, LinkOption.NOFOLLOW_LINKS) && isWhole(own);
        } finally {
            Files.move(own, whole ? folder.resolve(NEW + rest) : file, StandardCopyOption.ATOMIC_MOVE);
        }
        return whole;
    }

    private static boolean isWhole(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, LinkOption.NOFOLLOW_LINKS, StandardOpenOption.READ)) {
            ByteBuffer end = ByteBuffer.allocate(DropFormat.TRAILER_BYTES);
            channel.position(Math.max(0, channel.size() - end.capacity()));
            while (end.hasRemaining() && channel.read(end) >= 0) {
                // Until the buffer is full or the file ends.
            }
            return DropFormat.ends(end.array(), channel.size());
        }
    }

    /// New files, their owners in turn.
    ///
    /// @param failed names of files that come after the others of their owner
    public List<DropFile> inTurns(Set<String> failed) throws IOException {
        OwnerTurns turns = new OwnerTurns();
        long foreign = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, NEW + "*")) {
            for (Path file : files) {
                Map<String, Object> facts = facts(file);
                if (Boolean.FALSE.equals(facts.get("isDirectory"))) {
                    turns.add(new DropFile(file.getFileName().toString(), fact(facts, "uid", Integer.class),
                            fact(facts, "lastModifiedTime", FileTime.class).toMillis()));
                } else if (!facts.isEmpty()) {
                    foreign++;
                }
            }
        } catch (DirectoryIteratorException trouble) {
            throw trouble.getCause();
        }
        tellForeign(foreign);
        return turns.inTurns(failed);
    }

    /// Empty when the file is gone; a file that the system cannot describe counts as foreign.
    private static Map<String, Object> facts(Path file) {
        try {
            return Files.readAttributes(file, "unix:uid,lastModifiedTime,isDirectory", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException gone) {
            return Map.of();
        } catch (IOException unreadable) {
            return Map.of("isDirectory", true);
        }
    }

    /// The server cannot move a folder of another user.
    private void tellForeign(long count) {
        if (count > 0) {
            lines.next("foreign").ifPresent(_ -> log.warn(
                    "event=maildrop-file-ignored file={} error=\"{} folders named {} are no mail\" more=0",
                    LogText.word(folder.toString()), count, NEW + "*"));
        }
    }

    /// Moves a file out of the reach of its user, under a name of the server's own.
    ///
    /// @return its place
    public Path take(String name, QueueId id) throws IOException {
        return Files.move(folder.resolve(name), taken.resolve(id.toString()), StandardCopyOption.ATOMIC_MOVE);
    }

    /// Undoes [#take].
    public void putBack(Path file, String name) throws IOException {
        Files.move(file, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /// Undoes [#take] of a server that was killed.
    public void putBack(Path file, QueueId id) throws IOException {
        putBack(file, NEW + id);
    }

    /// The message of a taken file is durable. A file that cannot be deleted bears a mark, so that no
    /// later start takes it for a message.
    public void deleteStored(Path file) {
        try {
            Files.delete(file);
        } catch (IOException trouble) {
            boolean marked = isStored(file) || mark(file);
            lines.next("not-deleted").ifPresent(more -> log.warn(
                    "event=file-not-deleted file={} error=\"{}\" next=\"{}\" more={}", LogText.word(file.toString()),
                    LogText.text(FailureWords.of(trouble)), marked
                            ? "the next start tries again"
                            : "delete it before the next start, which would send it again",
                    more));
        }
    }

    private static boolean mark(Path file) {
        try {
            Files.move(file, file.resolveSibling(file.getFileName() + STORED), StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException trouble) {
            return false;
        }
    }

    /// Whether the message of a taken file was durable before the server was killed.
    public static boolean isStored(Path file) {
        return file.getFileName().toString().endsWith(STORED);
    }

    /// Moves a file that cannot become a message, and deletes older ones above the bounds.
    ///
    /// @return the new place
    public Path setAside(Path file) throws IOException {
        Path place = Files.move(file, corrupt.resolve(file.getFileName().toString()),
                StandardCopyOption.ATOMIC_MOVE);
        trim(Instant.now());
        return place;
    }

    private record Aside(Path file, int owner, long bytes, Instant since) {}

    /// Any user can leave such files. The oldest file of the owner with the most files goes first.
    private synchronized void trim(Instant now) {
        try {
            List<Aside> files = new ArrayList<>();
            for (Path file : files(corrupt)) {
                Map<String, Object> facts = Files.readAttributes(file, "unix:uid,size,ctime",
                        LinkOption.NOFOLLOW_LINKS);
                files.add(new Aside(file, fact(facts, "uid", Integer.class), fact(facts, "size", Long.class),
                        fact(facts, "ctime", FileTime.class).toInstant()));
            }
            files.sort(Comparator.comparing(Aside::since));
            trim(files, now);
        } catch (IOException trouble) {
            lines.next("not-trimmed").ifPresent(more -> log.warn(
                    "event=maildrop-file-ignored file={} error=\"{}\" more={}", corrupt,
                    LogText.text(FailureWords.of(trouble)), more));
        }
    }

    private void trim(List<Aside> files, Instant now) throws IOException {
        while (!files.isEmpty()) {
            Aside oldest = files.getFirst();
            boolean tooMuch = files.size() > MOST_ASIDE
                    || files.stream().mapToLong(Aside::bytes).sum() > MOST_ASIDE_BYTES;
            if (!tooMuch && oldest.since().isAfter(now.minus(KEPT_ASIDE))) {
                return;
            }
            Aside victim = tooMuch ? oldestOfTheGreatest(files) : oldest;
            files.remove(victim);
            Files.deleteIfExists(victim.file());
            lines.next("aside").ifPresent(more -> log.warn("event=maildrop-file-deleted file={} since={} more={}",
                    LogText.word(victim.file().toString()), victim.since(), more));
        }
    }

    private static Aside oldestOfTheGreatest(List<Aside> files) {
        Map<Integer, Long> bytes = files.stream().collect(Collectors.groupingBy(Aside::owner,
                Collectors.summingLong(each -> each.bytes() + MOST_ASIDE_BYTES / MOST_ASIDE)));
        int greatest = Collections.max(bytes.entrySet(), Map.Entry.comparingByValue()).getKey();
        return files.stream().filter(each -> each.owner() == greatest).findFirst().orElseThrow();
    }

    public Path find(String name) {
        return folder.resolve(name);
    }

    public SeldomLines lines() {
        return lines;
    }

    /// Files that the last server was storing when it was killed, with the ids of their messages.
    public Map<Path, Optional<QueueId>> leftOver() throws IOException {
        Map<Path, Optional<QueueId>> found = new LinkedHashMap<>();
        for (Path file : files(taken)) {
            found.put(file, QueueId.parse(file.getFileName().toString().split("\\.", 2)[0]));
        }
        return found;
    }

    private static <T> T fact(Map<String, Object> facts, String name, Class<T> type) {
        return Objects.requireNonNull(type.cast(facts.get(name)));
    }

    private static int mode(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:mode");
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
