package org.slipstream.guard.login;

import org.slipstream.settings.AccessRemedy;
import org.slipstream.settings.BoundedFiles;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/// The file `users` in the home folder. It is read as a whole and changed as a whole, by one
/// process at a time.
///
/// Other lines stay unchanged by a change, comments included. See [PrivateFile] for changes by
/// several processes.
public final class UserFile {
    public static final String NAME = "users";
    private static final String HEADING = "# name hash scram addresses; made by \"mta user\". Readable by its owner only.";

    private final PrivateFile file;

    private UserFile(Path folder) {
        this.file = new PrivateFile(folder.toAbsolutePath().resolve(NAME));
    }

    public static UserFile in(Path home) {
        return new UserFile(home);
    }

    Path path() {
        return file.path();
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
            return List.of(unreadable(new AccessRemedy(Objects.requireNonNull(path().getParent())).words(unreadable)));
        }
    }

    static String unreadable(String why) {
        return NAME + ": the file cannot be read: " + why;
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
                    ? Optional.of("user " + name + " exists already; \"mta user passwd\" changes the password")
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
            if (file.isOpenToOthers()) {
                return new FileContent(Map.of(), List.of(NAME + ": others may read or write " + file.path()
                        + " with its password hashes; run \"chmod 600 " + file.path() + "\""), List.of());
            }
            lines = BoundedFiles.lines(file.path(), BoundedFiles.MOST_TABLE_OCTETS);
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
        file.change(() -> change.lines(sound()));
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
}
