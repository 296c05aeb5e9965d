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
import java.util.function.Function;

/// The file `api-tokens` in the home folder: a line `name right hash` for each token of the admin
/// API, and `name send hash user` for each that hands in mail by HTTP. A running server reads it at
/// each request with a token, so a removed token is refused at once.
///
/// A token that sends has no right at the admin API, and no other token sends: a program that hands
/// in mail stands on other machines than an operator, and is lost more easily.
///
/// A token has 256 random bits. So its hash needs neither salt nor cost (unlike that of a password),
/// and the file does not betray it.
public final class TokenFile implements Tokens {
    public static final String NAME = "api-tokens";
    private static final String HEADING = "# name right hash; made by \"mta token\". Readable by its owner only.";
    private static final String NAME_FORM = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}";
    private static final int TOKEN_BYTES = 32;
    /// The right of a token that hands in mail.
    public static final String SEND = "send";

    private final PrivateFile file;

    private TokenFile(Path home) {
        this.file = new PrivateFile(home.toAbsolutePath().resolve(NAME));
    }

    public static TokenFile in(Path home) {
        return new TokenFile(home);
    }

    /// A token in a list for operators.
    ///
    /// @param right `send`, or the word of a [Right]
    /// @param user in whose name a token sends
    public record TokenEntry(String name, String right, Optional<String> user) {}

    /// A token that hands in mail.
    public record SendToken(String name, String user) {}

    /// @param right empty: it sends
    private record Line(String name, Optional<Right> right, String hash, Optional<String> user) {
        String word() {
            return right.map(Right::word).orElse(SEND);
        }

        String text() {
            return name + " " + word() + " " + hash + user.map(each -> " " + each).orElse("");
        }
    }

    /// @return the new token, which is shown once
    /// @throws UserFileException when the name exists or is invalid
    public String add(String name, Right right) throws IOException, UserFileException {
        return add(name, hash -> new Line(name, Optional.of(right), hash, Optional.empty()));
    }

    /// A token that sends in the name of a user.
    ///
    /// @return the new token, which is shown once
    public String addSender(String name, String user) throws IOException, UserFileException {
        if (user.isEmpty() || user.chars().anyMatch(c -> Character.isWhitespace(c) || Character.isISOControl(c))) {
            throw new UserFileException("\"" + user + "\" is not the name of a user for a token");
        }
        return add(name, hash -> new Line(name, Optional.empty(), hash, Optional.of(user)));
    }

    private String add(String name, Function<String, Line> line) throws IOException, UserFileException {
        if (!name.matches(NAME_FORM)) {
            throw new UserFileException("\"" + name + "\" is not a name: letters, digits, \".\", \"_\" and \"-\"");
        }
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        file.change(() -> {
            List<Line> lines = new ArrayList<>(lines());
            if (lines.stream().anyMatch(each -> each.name().equals(name))) {
                throw new UserFileException("token " + name + " exists already; \"mta token remove\" removes it");
            }
            lines.add(line.apply(hash(token)));
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
        return lines().stream().map(line -> new TokenEntry(line.name(), line.word(), line.user())).toList();
    }

    @Override
    public Optional<ApiCaller> find(String token) throws IOException {
        return line(token).flatMap(line -> line.right().map(right -> new ApiCaller(line.name(), right, true)));
    }

    /// The token that sends; empty for others.
    public Optional<SendToken> sender(String token) throws IOException {
        return line(token).filter(line -> line.right().isEmpty())
                .flatMap(line -> line.user().map(user -> new SendToken(line.name(), user)));
    }

    private Optional<Line> line(String token) throws IOException {
        try {
            String hash = hash(token);
            return lines().stream().filter(line -> isSame(line.hash(), hash)).findFirst();
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
        boolean sends = words.length == 4 && words[1].equals(SEND);
        Optional<Right> right = words.length == 3 ? Right.of(words[1]) : Optional.empty();
        if (!sends && right.isEmpty()) {
            throw new UserFileException(NAME + ":" + number + ": a line is \"name right hash\" with the rights read,"
                    + " operate, administrate, or \"name send hash user\"");
        }
        return new Line(words[0], right, words[2], sends ? Optional.of(words[3]) : Optional.empty());
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
