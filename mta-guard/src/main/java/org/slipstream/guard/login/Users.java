package org.slipstream.guard.login;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.sasl.ScramKeys;
import org.slipstream.smtpin.auth.UserSecrets;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// The users as a running server knows them.
///
/// **Fresh.** Each login compares the file's stamp with the last one (one system call), and reads
/// the file when it differs. A file with mistakes is reported once and changes nothing, so a
/// half-saved line does not lock out the other users.
///
/// **No hint which names exist.** For an unknown name a password is compared with a hash that no
/// password fits, and SCRAM gets keys that no password fits, with the usual iterations and the same
/// salt each time.
///
/// Any thread may call it. The costly [#verify] runs on the threads of
/// [org.slipstream.smtpin.auth.PasswordThreads], which bound the number of hashes at once and their
/// memory.
public final class Users implements UserSecrets {
    private static final Logger log = LoggerFactory.getLogger(Users.class);
    private static final PasswordHash NOBODY = PasswordHash.ofNobody();

    private final UserFile file;
    private final Optional<String> delimiter;
    private final byte[] secret = new byte[32];
    private volatile Known known;

    /// @param stamp of the file that was read last, valid or not
    /// @param mistake the first one of that file; the users are then those of the file before
    private record Known(Map<String, User> users, Stamp stamp, Optional<String> mistake) {}

    /// Two files with the same stamp are the same unchanged file.
    private record Stamp(Optional<Object> key, long modifiedNanos, long size) {
        private static final Stamp NO_FILE = new Stamp(Optional.empty(), 0, -1);

        static Stamp of(UserFile file) throws IOException {
            try {
                BasicFileAttributes now = Files.readAttributes(file.path(), BasicFileAttributes.class);
                return new Stamp(Optional.ofNullable(now.fileKey()),
                        now.lastModifiedTime().to(TimeUnit.NANOSECONDS), now.size());
            } catch (NoSuchFileException none) {
                return NO_FILE;
            }
        }
    }

    private Users(UserFile file, Optional<String> delimiter, Known known) {
        this.file = file;
        this.delimiter = delimiter;
        this.known = known;
        new SecureRandom().nextBytes(secret);
    }

    /// @param delimiter of subaddresses: the user of `alice@…` may also send as `alice+lists@…`
    /// @throws UserFileException when the file has mistakes
    public static Users open(UserFile file, Optional<String> delimiter) throws IOException, UserFileException {
        Stamp stamp = Stamp.of(file);
        UserFile.FileContent content = file.read();
        if (!content.mistakes().isEmpty()) {
            throw new UserFileException(content.mistakes().getFirst());
        }
        return new Users(file, delimiter, new Known(content.users(), stamp, Optional.empty()));
    }

    @Override
    public boolean verify(String user, String password) throws IOException {
        Optional<User> found = find(user);
        boolean fits = found.map(User::hash).orElse(NOBODY).fits(password);
        return fits && found.isPresent();
    }

    @Override
    public Optional<ScramKeys> scram(String user) throws IOException {
        return Optional.of(find(user).flatMap(User::scram)
                .orElseGet(() -> ScramKeys.ofNobody(secret, user, ScramText.ITERATIONS)));
    }

    /// Clients choose the strongest announced mechanism, so it has to work for every user.
    @Override
    public boolean hasScramKeys() {
        return known.users().values().stream().allMatch(user -> user.scram().isPresent());
    }

    /// True when there is such a user.
    public boolean knows(String user) throws IOException {
        return find(user).isPresent();
    }

    /// True when this user may send with this sender address.
    public boolean owns(String user, Address sender) {
        Optional<User> found = Optional.ofNullable(known.users().get(user));
        return found.filter(u -> u.owns(sender) || u.owns(sender.withoutExtension(delimiter))).isPresent();
    }

    /// The first mistake of the file as it is now, or the reason for which it cannot be read.
    public Optional<String> trouble() {
        try {
            readIfChanged();
            return Files.notExists(file.path()) || Files.isReadable(file.path())
                    ? known.mistake()
                    : Optional.of(UserFile.unreadable("Permission denied"));
        } catch (IOException unreadable) {
            return Optional.of(UserFile.unreadable(FailureWords.of(unreadable)));
        }
    }

    private Optional<User> find(String name) throws IOException {
        readIfChanged();
        return Optional.ofNullable(known.users().get(name));
    }

    private void readIfChanged() throws IOException {
        if (!Stamp.of(file).equals(known.stamp())) {
            readAgain();
        }
    }

    private synchronized void readAgain() throws IOException {
        // The stamp is taken first: a change during the read causes another read at the next login.
        Stamp stamp = Stamp.of(file);
        if (stamp.equals(known.stamp())) {
            return;
        }
        UserFile.FileContent content = file.read();
        if (content.mistakes().isEmpty()) {
            known = new Known(content.users(), stamp, Optional.empty());
            log.info("event=users-reloaded count={}", content.users().size());
        } else {
            known = new Known(known.users(), stamp, Optional.of(content.mistakes().getFirst()));
            log.error("event=users-not-reloaded next=\"the previous users stay valid\" count={} error=\"{}\"",
                    content.mistakes().size(), LogText.text(content.mistakes().getFirst()));
        }
    }
}
