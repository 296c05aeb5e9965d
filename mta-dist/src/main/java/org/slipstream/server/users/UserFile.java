package org.slipstream.server.users;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/// The file `users` in the home folder. It is read as a whole and changed as a whole, by one
/// process at a time.
///
/// A change writes a new file and renames it over the old one, so a server that reads at the same
/// moment sees either the old or the new file. Other lines stay unchanged, comments included. A
/// change holds the lock of `users.lock`; otherwise the later of two changes would undo the earlier
/// one.
public final class UserFile {
    public static final String NAME = "users";
    private static final String HEADING = "# name hash scram addresses; made by \"./mta user\". Readable by its owner only.";
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE, PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);
    private static final FileAttribute<?> OWNER_ALONE = PosixFilePermissions
            .asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path folder;
    private final Path file;

    private UserFile(Path folder) {
        this.folder = folder.toAbsolutePath();
        this.file = folder.resolve(NAME);
    }

    public static UserFile in(Path home) {
        return new UserFile(home);
    }

    Path path() {
        return file;
    }

    /// The content: users by name in the order of the file, and all mistakes, a sentence each.
    record FileContent(Map<String, User> users, List<String> mistakes, List<String> lines) {}

    /// A user in a list for operators.
    ///
    /// @param line of the file
    public record UserEntry(String name, List<String> addresses, boolean scram, int line) {}

    /// All mistakes, `users:3: …`; empty also when there is no file.
    public List<String> mistakes() {
        try {
            return read().mistakes();
        } catch (IOException unreadable) {
            return List.of(NAME + ": cannot be read: " + unreadable);
        }
    }

    /// @throws UserFileException when the file has mistakes
    public List<UserEntry> list() throws IOException, UserFileException {
        FileContent content = sound();
        return content.users().values().stream().map(user -> new UserEntry(user.name(), user.addresses(),
                user.scram().isPresent(), line(user.name(), content.lines()))).toList();
    }

    private static int line(String name, List<String> lines) {
        return 1 + IntStream.range(0, lines.size()).filter(i -> isAbout(name, lines.get(i))).findFirst().orElseThrow();
    }

    /// @throws UserFileException when the name exists or is invalid, an address is invalid, or the
    ///     file has mistakes
    public void add(String name, String password, List<String> addresses) throws IOException, UserFileException {
        refuse(UserLine.unfitName(name));
        List<String> written = new ArrayList<>();
        for (String address : addresses) {
            written.add(UserLine.address(address).orElseThrow(
                    () -> new UserFileException("\"" + address + "\" is not an address, \"@domain\" or \"*\"")));
        }
        change(content -> {
            refuse(content.users().containsKey(name)
                    ? Optional.of("user " + name + " exists already; \"./mta user passwd\" changes the password")
                    : Optional.empty());
            List<String> lines = new ArrayList<>(content.lines().isEmpty() ? List.of(HEADING) : content.lines());
            lines.add(UserLine.of(User.of(name, password, written)));
            return lines;
        });
    }

    public void changePassword(String name, String password) throws IOException, UserFileException {
        change(content -> {
            User user = User.of(name, password, known(content, name).addresses());
            return content.lines().stream().map(line -> isAbout(name, line) ? UserLine.of(user) : line).toList();
        });
    }

    public void remove(String name) throws IOException, UserFileException {
        change(content -> {
            known(content, name);
            return content.lines().stream().filter(line -> !isAbout(name, line)).toList();
        });
    }

    public boolean knows(String name) throws IOException, UserFileException {
        return sound().users().containsKey(name);
    }

    FileContent read() throws IOException {
        List<String> lines;
        try {
            if (othersMayLookAt(file)) {
                return new FileContent(Map.of(), List.of(NAME + ": others may read or write " + file
                        + " with its password hashes; run \"chmod 600 " + file + "\""), List.of());
            }
            lines = Files.readAllLines(file);
        } catch (NoSuchFileException none) {
            lines = List.of();
        } catch (CharacterCodingException notUtf8) {
            return new FileContent(Map.of(), List.of(NAME + ": the file is not valid UTF-8"), List.of());
        }
        return parse(lines);
    }

    private static FileContent parse(List<String> lines) {
        Map<String, User> users = new LinkedHashMap<>();
        Map<String, Integer> seen = new HashMap<>();
        List<String> mistakes = new ArrayList<>();
        for (int number = 1; number <= lines.size(); number++) {
            String line = lines.get(number - 1);
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            switch (UserLine.read(line)) {
                case UserLine.ParsedUser.Wrong(String what) -> mistakes.add(NAME + ":" + number + ": " + what);
                case UserLine.ParsedUser.Good(User user) -> {
                    Integer earlier = seen.putIfAbsent(user.name(), number);
                    if (earlier == null) {
                        users.put(user.name(), user);
                    } else {
                        mistakes.add(NAME + ":" + number + ": " + user.name() + " is already in line " + earlier);
                    }
                }
            }
        }
        return new FileContent(users, List.copyOf(mistakes), List.copyOf(lines));
    }

    private FileContent sound() throws IOException, UserFileException {
        FileContent content = read();
        if (!content.mistakes().isEmpty()) {
            throw new UserFileException(String.join(System.lineSeparator(), content.mistakes()));
        }
        return content;
    }

    private interface Change {
        List<String> lines(FileContent content) throws UserFileException;
    }

    private void change(Change change) throws IOException, UserFileException {
        Files.createDirectories(folder);
        try (FileChannel channel = FileChannel.open(file.resolveSibling(NAME + ".lock"),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), attributes())) {
            // The lock belongs to the process: for a second thread it would fail and not wait.
            synchronized (UserFile.class) {
                FileLock lock = channel.lock();
                try {
                    write(change.lines(sound()));
                } finally {
                    lock.release();
                }
            }
        }
    }

    private void write(List<String> lines) throws IOException {
        Path temporary = file.resolveSibling(NAME + ".tmp");
        Files.deleteIfExists(temporary);
        try (FileChannel channel = FileChannel.open(temporary,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes())) {
            String text = lines.isEmpty() ? "" : String.join("\n", lines) + "\n";
            ByteBuffer buffer = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static User known(FileContent content, String name) throws UserFileException {
        User user = content.users().get(name);
        if (user == null) {
            throw new UserFileException("there is no user " + name);
        }
        return user;
    }

    private static void refuse(Optional<String> why) throws UserFileException {
        if (why.isPresent()) {
            throw new UserFileException(why.get());
        }
    }

    private static boolean isAbout(String name, String line) {
        return !line.startsWith("#") && line.strip().split("\\s+")[0].equals(name);
    }

    private static boolean othersMayLookAt(Path file) throws IOException {
        return hasPermissions(file) && Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains);
    }

    private FileAttribute<?>[] attributes() throws IOException {
        return hasPermissions(folder)
                ? new FileAttribute<?>[]{OWNER_ALONE}
                : new FileAttribute<?>[0];
    }

    private static boolean hasPermissions(Path path) throws IOException {
        return Files.getFileStore(path).supportsFileAttributeView("posix");
    }
}
