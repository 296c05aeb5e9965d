package org.slipstream.guard.login;

import org.slipstream.admin.ApiCaller;
import org.slipstream.admin.Tokens;
import org.slipstream.core.order.Right;
import org.slipstream.settings.BoundedFiles;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/// The file `api-tokens` in the home folder: a line `name right hash` for each token of the admin
/// API. A running server reads it at each request with a token, so a removed token is refused at
/// once.
///
/// A token has 256 random bits. So its hash needs neither salt nor cost (unlike that of a password),
/// and the file does not betray it.
public final class TokenFile implements Tokens {
    public static final String NAME = "api-tokens";
    private static final String HEADING = "# name right hash; made by \"mta token\". Readable by its owner only.";
    private static final String NAME_FORM = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final int TOKEN_BYTES = 32;

    private final PrivateFile file;

    private TokenFile(Path home) {
        this.file = new PrivateFile(home.toAbsolutePath().resolve(NAME));
    }

    public static TokenFile in(Path home) {
        return new TokenFile(home);
    }

    /// A token in a list for operators.
    public record TokenEntry(String name, Right right) {}

    private record Line(String name, Right right, String hash) {
        String text() {
            return name + " " + right.word() + " " + hash;
        }
    }

    /// @return the new token, which is shown once
    /// @throws UserFileException when the name exists or is invalid
    public String add(String name, Right right) throws IOException, UserFileException {
        if (!name.matches(NAME_FORM)) {
            throw new UserFileException("\"" + name + "\" is not a name: letters, digits, \".\", \"_\" and \"-\"");
        }
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        file.change(() -> {
            List<Line> lines = new ArrayList<>(lines());
            if (lines.stream().anyMatch(line -> line.name().equals(name))) {
                throw new UserFileException("token " + name + " exists already; \"mta token remove\" removes it");
            }
            lines.add(new Line(name, right, hash(token)));
            return written(lines);
        });
        return token;
    }

    /// @throws UserFileException when there is no such token
    public void remove(String name) throws IOException, UserFileException {
        file.change(() -> {
            List<Line> rest = lines().stream().filter(line -> !line.name().equals(name)).toList();
            if (rest.size() == lines().size()) {
                throw new UserFileException("there is no token " + name);
            }
            return written(rest);
        });
    }

    public List<TokenEntry> list() throws IOException, UserFileException {
        return lines().stream().map(line -> new TokenEntry(line.name(), line.right())).toList();
    }

    @Override
    public Optional<ApiCaller> find(String token) throws IOException {
        try {
            String hash = hash(token);
            return lines().stream().filter(line -> isSame(line.hash(), hash)).findFirst()
                    .map(line -> new ApiCaller(line.name(), line.right(), true));
        } catch (UserFileException mistakes) {
            throw new IOException(mistakes.getMessage(), mistakes);
        }
    }

    private static List<String> written(List<Line> lines) {
        List<String> text = new ArrayList<>(List.of(HEADING));
        lines.forEach(line -> text.add(line.text()));
        return text;
    }

    private List<Line> lines() throws IOException, UserFileException {
        List<String> text;
        try {
            if (file.isOpenToOthers()) {
                throw new UserFileException(NAME + ": others may read or write " + file.path() + "; run \"chmod 600 "
                        + file.path() + "\"");
            }
            text = BoundedFiles.lines(file.path(), BoundedFiles.MOST_TEXT_OCTETS);
        } catch (NoSuchFileException none) {
            return List.of();
        }
        List<Line> lines = new ArrayList<>();
        for (int number = 1; number <= text.size(); number++) {
            String line = text.get(number - 1);
            if (!line.isBlank() && !line.startsWith("#")) {
                lines.add(line(line, number));
            }
        }
        return lines;
    }

    private static Line line(String line, int number) throws UserFileException {
        String[] words = line.strip().split("\\s+");
        Optional<Right> right = words.length == 3 ? Right.of(words[1]) : Optional.empty();
        return new Line(words[0], right.orElseThrow(() -> new UserFileException(NAME + ":" + number
                + ": a line is \"name right hash\", and the rights are read, operate, administrate")), words[2]);
    }

    private static boolean isSame(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.US_ASCII),
                other.getBytes(StandardCharsets.US_ASCII));
    }

    private static String hash(String token) {
        try {
            return HexFormat.of().formatHex(
                    MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
