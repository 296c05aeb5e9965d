package org.slipstream.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A situation between a client and an SMTP server, from a file.
///
/// [Transcript] is its counterpart for clients under test: a dialogue is played by a client, a
/// transcript by a server. Blank lines and lines that begin with `#` are left out. `settings` come
/// first.
///
/// | Line | Meaning |
/// |---|---|
/// | `set: recipients=2` | a setting of the server; its names are those of the test that plays the file |
/// | `c: text` | the client sends a line |
/// | `p: text` | the same, but held back until the next `c`, `b` or `r` (pipelining) |
/// | `r: text\r\n` | the client sends exactly this |
/// | `b: text` | the client sends this line in base64, where `\|` is NUL; text before `:` goes before it as it is |
/// | `ehlo: name` | the client sends EHLO and is welcome, whatever the extensions |
/// | `t:` | the client performs the TLS handshake |
/// | `s: text` | the server sends this line; `…` stands for any text |
/// | `x:` | the server closes |
/// | `mail: from to,to text` | the next accepted message; `-` is the null sender, `ID` an id of the server |
/// | `mail: none` | no further message was accepted |
/// | `env: text` | further properties of the envelope of that message |
///
/// In `c`, `p`, `r` and `mail` the escapes are `\r \n \t \0 \xNN \\`, and `(text)*1000` repeats.
public record Dialogue(String name, List<Line> lines) {
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:([rnt0\\\\])|x([0-9a-f]{2}))");
    private static final Pattern REPEAT = Pattern.compile("\\(([^()]*)\\)\\*([0-9]+)");

    public Dialogue {
        lines = List.copyOf(lines);
    }

    /// The dialogues in a folder of the class path, by name.
    public static List<Dialogue> all(String folder) {
        try (Stream<Path> files = Files.list(Path.of(Objects
                .requireNonNull(Dialogue.class.getResource("/" + folder), () -> "no resource /" + folder).toURI()))) {
            return files.sorted().map(Dialogue::read).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (URISyntaxException e) {
            throw new LinkageError("a resource has a place", e);
        }
    }

    private static Dialogue read(Path file) {
        try {
            return new Dialogue(file.getFileName().toString(), Files.readAllLines(file).stream()
                    .filter(line -> !line.isBlank() && !line.startsWith("#")).map(Line::parse).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// A line of the file.
    ///
    /// @param kind the text before the first colon
    public record Line(String kind, String text) {
        private static Line parse(String line) {
            int colon = line.indexOf(':');
            return new Line(line.substring(0, colon), line.substring(Math.min(colon + 2, line.length())));
        }

        /// The octets that the client sends, one per character; empty text for lines of the server.
        public String octets() {
            return switch (kind) {
                case "c", "p" -> unescaped() + "\r\n";
                case "r" -> unescaped();
                case "b" -> base64(text) + "\r\n";
                case "ehlo" -> "EHLO " + text + "\r\n";
                default -> "";
            };
        }

        /// The text without escapes, one character per octet of UTF-8.
        public String unescaped() {
            return unescape(text);
        }

        @Override
        public String toString() {
            return kind + ": " + text;
        }
    }

    /// The settings: `recipients=2`.
    public List<String> settings() {
        return lines.stream().filter(line -> line.kind.equals("set")).map(Line::text).toList();
    }

    /// All octets of the client, as if it did not wait for replies.
    public byte[] octets() {
        return lines.stream().map(Line::octets).collect(Collectors.joining()).getBytes(StandardCharsets.ISO_8859_1);
    }

    /// A regular expression for a line of the server, in which `…` stands for any text.
    public static String pattern(String expected) {
        return Stream.of(expected.split("…", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
    }

    @Override
    public String toString() {
        return name;
    }

    private static String base64(String text) {
        int colon = text.indexOf(':');
        String plain = text.substring(colon + 1).replace('|', '\0');
        return text.substring(0, Math.max(0, colon))
                + Base64.getEncoder().encodeToString(plain.getBytes(StandardCharsets.UTF_8));
    }

    private static String unescape(String text) {
        String repeated = REPEAT.matcher(text)
                .replaceAll(m -> Matcher.quoteReplacement(m.group(1).repeat(Integer.parseInt(m.group(2)))));
        String utf8 = new String(repeated.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        return ESCAPE.matcher(utf8).replaceAll(m -> Matcher.quoteReplacement(m.group(2) != null
                ? String.valueOf((char) Integer.parseInt(m.group(2), 16))
                : switch (m.group(1)) {
                    case "r" -> "\r";
                    case "n" -> "\n";
                    case "t" -> "\t";
                    case "0" -> "\0";
                    default -> "\\";
                }));
    }
}
