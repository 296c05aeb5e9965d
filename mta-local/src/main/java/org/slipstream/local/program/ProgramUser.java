package org.slipstream.local.program;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The user of a program. Another user than that of the server is taken on by `setpriv` of Debian's `util-linux`, for
/// which the server needs the rights to change users: root has them, and a unit of systemd with
/// `CAP_SETUID` and `CAP_SETGID`. No right of the server passes to the program.
public final class ProgramUser {
    private static final Path SETPRIV = Path.of("/usr/bin/setpriv");
    private static final String ROOT = "root";
    /// The beginning of what `setpriv` says when it could not become the user, or could not start the program.
    private static final String FAULT = "setpriv:";

    private ProgramUser() {}

    /// The words in front of a command that runs as this user.
    ///
    /// @param user `name`, `name:group`, or empty
    static List<String> prefix(String user) {
        if (user.isEmpty() || user.equals(own())) {
            return List.of();
        }
        return new ArrayList<>(List.of(SETPRIV.toString(), "--reuid=" + name(user), "--regid=" + group(user),
                "--init-groups", "--inh-caps=-all", "--ambient-caps=-all", "--"));
    }

    /// The reason why no program can run as this user; empty when there is none.
    public static Optional<String> trouble(String user) {
        if (name(user).equals(ROOT) || user.isEmpty() && own().equals(ROOT)) {
            return Optional.of("a program never runs as root; name a user of its own");
        }
        if (prefix(user).isEmpty()) {
            return Optional.empty();
        }
        if (!Files.isExecutable(SETPRIV)) {
            return Optional.of("there is no " + SETPRIV + ", which takes on the user");
        }
        UserPrincipalLookupService users = FileSystems.getDefault().getUserPrincipalLookupService();
        try {
            users.lookupPrincipalByName(name(user));
        } catch (IOException unknown) {
            return Optional.of("there is no user " + name(user));
        }
        try {
            users.lookupPrincipalByGroupName(group(user));
        } catch (IOException unknown) {
            return Optional.of("there is no group " + group(user)
                    + "; write the group behind the user: user = \"" + name(user) + ":GROUP\"");
        }
        return Optional.empty();
    }

    /// True when a program of this user was not started. Its own output cannot do harm here: mail that it refuses so
    /// waits.
    static boolean isNotStarted(String user, int exit, String output) {
        return exit != 0 && output.startsWith(FAULT) && !prefix(user).isEmpty();
    }

    private static String own() {
        return System.getProperty("user.name");
    }

    private static String name(String user) {
        int colon = user.indexOf(':');
        return colon < 0 ? user : user.substring(0, colon);
    }

    private static String group(String user) {
        return user.substring(user.indexOf(':') + 1);
    }
}
