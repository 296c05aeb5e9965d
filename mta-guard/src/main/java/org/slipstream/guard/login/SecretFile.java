package org.slipstream.guard.login;

import org.slipstream.settings.BoundedFiles;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/// A file of secrets in the home folder, one a line. The first one signs, and all are accepted, so that a secret can
/// be replaced. The file of postsrsd has the same form.
public final class SecretFile {
    /// Signs the senders of forwarded mail.
    public static final String SRS = "srs-secrets";
    /// Signs the traces of messages, and the links that unsubscribe.
    public static final String TRACES = "trace-secrets";
    /// Of lines. A rotation needs two.
    static final int MOST = 16;
    private static final int MOST_OCTETS = 16 * 1024;
    private static final int SECRET_BYTES = 24;

    private final String name;
    private final PrivateFile file;

    private SecretFile(Path home, String name) {
        this.name = name;
        this.file = new PrivateFile(home.toAbsolutePath().resolve(name));
    }

    public static SecretFile in(Path home, String name) {
        return new SecretFile(home, name);
    }

    /// The secrets, the one that signs first; empty when there is no file.
    public List<String> secrets() throws IOException, UserFileException {
        List<String> secrets;
        try {
            if (file.isOpenToOthers()) {
                throw new UserFileException(name + ": others may read or write " + file.path() + "; run \"chmod 600 "
                        + file.path() + "\"");
            }
            secrets = BoundedFiles.lines(file.path(), MOST_OCTETS).stream().filter(line -> !line.isBlank()).toList();
        } catch (NoSuchFileException none) {
            return List.of();
        }
        if (secrets.isEmpty() || secrets.size() > MOST) {
            throw new UserFileException(name + ": a secret stands on each line, and there are 1 to " + MOST
                    + "; remove the file for a new one");
        }
        return secrets;
    }

    /// The same; makes a file with one secret when there is none.
    public List<String> secretsOrNew() throws IOException, UserFileException {
        if (secrets().isEmpty()) {
            file.change(() -> {
                // Another process may have made it.
                List<String> made = new ArrayList<>(secrets());
                if (made.isEmpty()) {
                    byte[] random = new byte[SECRET_BYTES];
                    new SecureRandom().nextBytes(random);
                    made.add(Base64.getEncoder().encodeToString(random));
                }
                return made;
            });
        }
        return secrets();
    }
}
