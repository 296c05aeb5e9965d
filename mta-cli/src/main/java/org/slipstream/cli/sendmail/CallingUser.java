package org.slipstream.cli.sendmail;

import org.slipstream.core.text.Controls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/// The user who calls `sendmail`.
///
/// @param login of the user id of the process, whatever the environment says
/// @param fullName may be empty
public record CallingUser(String login, String fullName) {
    private static final Path USERS = Path.of("/etc/passwd");

    public static CallingUser current() {
        String login = System.getProperty("user.name");
        Optional<String> named = Optional.ofNullable(System.getenv("NAME")).filter(name -> !name.isBlank());
        return new CallingUser(login, Controls.onOneLine(named.or(() -> inFile(USERS, login)).orElse("")).strip());
    }

    /// The part before the first comma of the comment field; `&` stands for the login.
    static Optional<String> inFile(Path users, String login) {
        try (Stream<String> lines = Files.lines(users, StandardCharsets.UTF_8)) {
            return lines.map(line -> line.split(":", -1)).filter(line -> line.length > 4 && line[0].equals(login))
                    .map(line -> line[4].split(",", 2)[0])
                    .map(name -> name.replace("&", Character.toUpperCase(login.charAt(0)) + login.substring(1)))
                    .findFirst();
        } catch (IOException | UncheckedIOException unreadable) {
            return Optional.empty();
        }
    }
}
