package org.slipstream.server.users;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.core.Address;
import org.slipstream.core.LogText;
import org.slipstream.smtpin.auth.ScramKeys;
import org.slipstream.smtpin.auth.UserSecrets;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// The users as a running server knows them.
///
/// **Fresh.** Each login looks whether the file is another one than the last time (one call of the system) and reads it then. A file
/// with mistakes is reported once and changes nothing: who could log in before still can, because an operator who saves half a
/// line must not lock everybody out.
///
/// **Says nothing about who exists.** A name that is not there is hashed against a hash of nobody, and for SCRAM gets keys
/// that no password fits, of the usual strength and with the same salt each time.
///
/// Called by any thread, the costly [#verify] by those of [org.slipstream.smtpin.auth.PasswordThreads], which bound how many hashes are
/// made at once and how much memory they take.
public final class Users implements UserSecrets {
    private static final Logger log = LoggerFactory.getLogger(Users.class);
    private static final PasswordHash NOBODY = PasswordHash.ofNobody();

    private final UserFile file;
    private final Optional<String> delimiter;
    private final byte[] secret = new byte[32];
    private volatile Known known;

    /// @param stamp of the file that was read last, with or without success
    private record Known(Map<String, User> users, Stamp stamp) {}

    /// Two files with the same stamp are the same one, unchanged.
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

    /// @param delimiter of subaddresses: who owns `alice@…` owns `alice+lists@…`
    /// @throws UserFileException when there are mistakes in the file
    public static Users open(UserFile file, Optional<String> delimiter) throws IOException, UserFileException {
        Stamp stamp = Stamp.of(file);
        UserFile.FileContent content = file.read();
        if (!content.mistakes().isEmpty()) {
            throw new UserFileException(content.mistakes().getFirst());
        }
        return new Users(file, delimiter, new Known(content.users(), stamp));
    }

    @Override
    public boolean verify(String user, String password) throws IOException {
        Optional<User> found = find(user);
        boolean fits = found.map(User::hash).orElse(NOBODY).fits(password);
        return fits && found.isPresent();
    }

    @Override
    public Optional<ScramKeys> scram(String user) throws IOException {
        return Optional.of(find(user).flatMap(User::scram).orElseGet(() -> ofNobody(user)));
    }

    /// Clients take the strongest mechanism that is announced, so it has to work for everybody.
    @Override
    public boolean hasScramKeys() {
        return known.users().values().stream().allMatch(user -> user.scram().isPresent());
    }

    /// True when this user may send in the name of this address.
    public boolean owns(String user, Address sender) {
        Optional<User> found = Optional.ofNullable(known.users().get(user));
        return found.filter(u -> u.owns(sender) || u.owns(sender.withoutExtension(delimiter))).isPresent();
    }

    private Optional<User> find(String name) throws IOException {
        if (!Stamp.of(file).equals(known.stamp())) {
            readAgain();
        }
        return Optional.ofNullable(known.users().get(name));
    }

    private synchronized void readAgain() throws IOException {
        // The stamp is taken first: what changes in between is read once more at the next login.
        Stamp stamp = Stamp.of(file);
        if (stamp.equals(known.stamp())) {
            return;
        }
        UserFile.FileContent content = file.read();
        if (content.mistakes().isEmpty()) {
            known = new Known(content.users(), stamp);
            log.info("msg=\"users read again\" users={}", content.users().size());
        } else {
            known = new Known(known.users(), stamp);
            log.error("msg=\"users not read again, the former ones hold\" mistakes={} first=\"{}\"",
                    content.mistakes().size(), LogText.text(content.mistakes().getFirst()));
        }
    }

    private ScramKeys ofNobody(String name) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            byte[] salt = java.util.Arrays.copyOf(mac.doFinal(name.getBytes(StandardCharsets.UTF_8)), 16);
            // Nobody knows what has this hash.
            byte[] stored = mac.doFinal(salt);
            return new ScramKeys(salt, ScramText.ITERATIONS, stored, mac.doFinal(stored));
        } catch (GeneralSecurityException e) {
            throw new LinkageError("every JDK has HMAC-SHA-256", e);
        }
    }
}
