package org.slipstream.settings;

import org.slipstream.core.FailureWords;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Finds the command of root that gives the server's user access to a file or a folder.
///
/// The server's user is the owner of the home folder. Other users get no command, because it would
/// give the server's keys to them. The system itself is asked about access, so groups and access
/// control lists count. The first obstacle on the way gets a command: things below a folder that
/// this user may not pass are invisible, and the next check names them.
///
/// A command takes nothing away from others. Owner and mode change only in the home folder, or where
/// the server alone uses the thing. Elsewhere the user gets a group, or a group that is root's gets
/// read permission.
public final class AccessRemedy {
    /// As many as Linux follows.
    private static final int MOST_LINKS = 40;
    private static final String ROOT = "root";
    /// Members of these groups can become root.
    private static final Set<String> POWERFUL = Set.of(ROOT, "docker", "sudo", "wheel", "disk", "shadow", "lxd");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9/._@%+=:,-]+");
    private static final Path PROCESS = Path.of("/proc/self");

    private final Path home;

    public AccessRemedy(Path home) {
        this.home = home.toAbsolutePath().normalize();
    }

    /// The letter is that of `chmod`.
    private enum Need {
        READ('r', PosixFilePermission.OWNER_READ, PosixFilePermission.GROUP_READ), PASS('x',
                PosixFilePermission.OWNER_EXECUTE, PosixFilePermission.GROUP_EXECUTE), SPEAK('w',
                        PosixFilePermission.OWNER_WRITE, PosixFilePermission.GROUP_WRITE);

        private final char letter;
        private final PosixFilePermission ofOwner;
        private final PosixFilePermission ofGroup;

        Need(char letter, PosixFilePermission ofOwner, PosixFilePermission ofGroup) {
            this.letter = letter;
            this.ofOwner = ofOwner;
            this.ofGroup = ofGroup;
        }

        private boolean isMet(Path path) {
            return switch (this) {
                case READ -> Files.isReadable(path);
                case PASS -> Files.isExecutable(path);
                case SPEAK -> Files.isWritable(path);
            };
        }
    }

    /// The text of this failure, and the command where permission is the cause.
    public String words(IOException failure) {
        String words = FailureWords.of(failure);
        return failure instanceof AccessDeniedException denied && denied.getFile() != null
                ? words + toRead(Path.of(denied.getFile()))
                : words;
    }

    /// Behind a sentence about a file that has to be read; empty when this user may read it.
    public String toRead(Path file) {
        return sentence(obstacle(file, Need.READ, MOST_LINKS));
    }

    /// Behind a sentence about a socket of another program; empty when this user may use it.
    public String toSpeak(Path socket) {
        return sentence(obstacle(socket, Need.SPEAK, MOST_LINKS));
    }

    /// Behind a sentence about a folder for the server alone, which is there or can be made.
    public String toOwnFolder(Path folder) {
        return sentence(pathTo(folder).or(() -> owner().flatMap(user -> Files.exists(folder)
                ? toOwnAll(folder, user)
                : Optional.of("install -d -m 0700 -o " + user + " -g " + group() + " " + quoted(folder)))));
    }

    /// Behind a sentence about a file that the server alone writes.
    public String toOwnFile(Path file) {
        return sentence(pathTo(file).or(() -> owner().flatMap(user -> Files.exists(file)
                ? Optional.of("chown " + user + ":" + group() + " " + quoted(file)).filter(_ -> isInHome(file))
                : Optional.of("install -m 0640 -o " + user + " -g " + group() + " /dev/null " + quoted(file)))));
    }

    /// A folder elsewhere may have files of other programs.
    private Optional<String> toOwnAll(Path folder, String user) {
        String chown = "chown " + (isInHome(folder) ? "-R " : "") + user + ":" + group() + " " + quoted(folder);
        try (Stream<Path> files = Files.list(folder)) {
            return isInHome(folder) || Files.getOwner(folder).getName().equals(ROOT) && files.findAny().isEmpty()
                    ? Optional.of(chown)
                    : Optional.empty();
        } catch (IOException | UnsupportedOperationException notReadable) {
            return isInHome(folder) ? Optional.of(chown) : Optional.empty();
        }
    }

    private boolean isInHome(Path path) {
        return path.toAbsolutePath().normalize().startsWith(home);
    }

    private static String sentence(Optional<String> command) {
        return command.map(text -> "; as root: " + text).orElse("");
    }

    /// The obstacle above a path.
    private Optional<String> pathTo(Path path) {
        return Optional.ofNullable(path.toAbsolutePath().getParent())
                .flatMap(folder -> obstacle(folder, Need.PASS, MOST_LINKS));
    }

    private Optional<String> obstacle(Path path, Need need, int links) {
        Path whole = path.toAbsolutePath();
        for (Path part : partsOf(whole)) {
            if (Files.isSymbolicLink(part)) {
                return links == 0 ? Optional.empty() : behindLink(part, whole, need, links - 1);
            }
            Need here = part.equals(whole) ? need : Need.PASS;
            if (Files.notExists(part) || !here.isMet(part)) {
                return Files.notExists(part) ? Optional.empty() : owner().flatMap(user -> command(part, here, user));
            }
        }
        return Optional.empty();
    }

    private Optional<String> behindLink(Path link, Path whole, Need need, int links) {
        try {
            return obstacle(link.resolveSibling(Files.readSymbolicLink(link)).resolve(link.relativize(whole)), need,
                    links);
        } catch (IOException vanished) {
            return Optional.empty();
        }
    }

    /// Each folder above a path, from the root, and the path itself.
    private static List<Path> partsOf(Path whole) {
        List<Path> parts = new ArrayList<>();
        for (Path part = whole; part != null; part = part.getParent()) {
            parts.addFirst(part);
        }
        return parts;
    }

    private Optional<String> command(Path part, Need need, String user) {
        try {
            PosixFileAttributes facts = Files.readAttributes(part, PosixFileAttributes.class);
            String group = facts.group().getName();
            String where = quoted(part);
            if (facts.owner().getName().equals(user)) {
                return Optional.of("chmod u+" + need.letter + " " + where);
            }
            if (isInHome(part)) {
                return Optional.of("chown " + user + ":" + group() + " " + where
                        + (facts.permissions().contains(need.ofOwner)
                                ? ""
                                : " && chmod u+" + need.letter + " " + where));
            }
            if (facts.permissions().contains(need.ofGroup) && !POWERFUL.contains(group)) {
                return Optional.of("usermod -aG " + quoted(Path.of(group)) + " " + user + "; then restart the server");
            }
            // The program that made it makes it again, with the permissions of its own settings.
            if (facts.isOther()) {
                return Optional.empty();
            }
            String ofGroup = "chmod g+" + need.letter + " " + where;
            return Optional.of(group.equals(group())
                    ? ofGroup
                    : group.equals(ROOT)
                            ? "chgrp " + group() + " " + where + " && " + ofGroup
                            : "setfacl -m u:" + user + ":" + need.letter + " " + where);
        } catch (IOException | UnsupportedOperationException unknown) {
            return Optional.empty();
        }
    }

    /// The name of the server's user, when this process has it and is not root.
    private Optional<String> owner() {
        try {
            String user = Files.getOwner(PROCESS).getName();
            return Files.getOwner(home).getName().equals(user) && !user.equals(ROOT)
                    ? Optional.of(user)
                    : Optional.empty();
        } catch (IOException | UnsupportedOperationException unknown) {
            return Optional.empty();
        }
    }

    private static String group() {
        try {
            return Files.readAttributes(PROCESS, PosixFileAttributes.class).group().getName();
        } catch (IOException unknown) {
            return ROOT;
        }
    }

    private static String quoted(Path path) {
        String text = path.toString();
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
