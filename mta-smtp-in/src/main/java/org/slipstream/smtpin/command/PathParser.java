package org.slipstream.smtpin.command;

import org.slipstream.core.Address;
import org.slipstream.core.text.Ascii;

import java.net.Inet6Address;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Parses the common part of MAIL and RCPT, `FROM:<path> [parameters]`, by the grammar of RFC 5321
/// section 4.1.2.
///
/// ```
/// Path         = "<" [ A-d-l ":" ] Mailbox ">"
/// A-d-l        = At-domain *( "," At-domain )          a source route: accepted and ignored
/// Mailbox      = Local-part "@" ( Domain / address-literal )
/// Local-part   = Dot-string / Quoted-string
/// ```
///
/// A server must accept source routes and should ignore them (RFC 5321 section 3.6.1, RFC 5321
/// appendix C, RFC 5321 appendix F.2).
///
/// Besides a path there are `<>`, the null reverse-path, and `<Postmaster>`, the only recipient
/// without a domain. A path has at most 256 octets (RFC 5321 section 4.5.3.1.3), a local part 64
/// before its tag (RFC 5321 section 4.5.3.1.1; ADR 30 gives the reason for longer tags). Octets are those of UTF-8. The
/// protocol decides whether a path beyond ASCII is permitted.
final class PathParser {
    /// The result: a path with its parameters, or the first error.
    sealed interface PathResult permits Parsed, Failed {}

    /// @param routed there was a source route, which is ignored
    record Parsed(Path path, boolean routed, List<Parameter> parameters) implements PathResult {}

    enum Failed implements PathResult {
        KEYWORD, PATH, LONG_LOCAL_PART, LONG_PATH, PARAMETERS, NOT_UTF8
    }

    sealed interface Path {
        record NullPath() implements Path {}

        record Postmaster() implements Path {}

        record Mailbox(Address address) implements Path {}
    }

    /// Including the angle brackets.
    static final int PATH_OCTETS = 256;
    static final int LOCAL_PART_OCTETS = 64;
    /// A local part may continue with a tag of its owner after one of these: `user+list`,
    /// `owner-list=reader=far.example`.
    private static final String TAG_BEGINS = "+-=";
    // RFC 5321 section 4.1.3: Snum = 1*3DIGIT, with leading zeros.
    private static final Pattern IPV4 = Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("(?i)IPv6:([0-9a-f:.]{2,45})");
    private static final Pattern PARAMETER = Pattern.compile(
            "([A-Za-z0-9][A-Za-z0-9-]*)(?:=([\\x21-\\x3c\\x3e-\\x7e\\x{a0}-\\x{10ffff}]+))?");
    private static final String ATOM_SPECIALS = "!#$%&'*+-/=?^_`{|}~";

    private final String text;
    private int at;
    private boolean routed;

    private PathParser(String text, int at) {
        this.text = text;
        this.at = at;
    }

    /// @param keyword `FROM:` or `TO:`
    /// @param text after the verb
    static PathResult parse(String keyword, String text) {
        if (!Ascii.same(text.substring(0, Math.min(text.length(), keyword.length())), keyword)) {
            return Failed.KEYWORD;
        }
        Optional<String> decoded = decoded(text);
        if (decoded.isEmpty()) {
            return Failed.NOT_UTF8;
        }
        PathParser parser = new PathParser(decoded.get(), keyword.length());
        parser.skipBlanks();
        Optional<Path> path = parser.path();
        if (path.isEmpty()) {
            return Failed.PATH;
        }
        Optional<Failed> tooLong = tooLong(path.get());
        if (tooLong.isPresent()) {
            return tooLong.get();
        }
        return parser.parameters().<PathResult>map(found -> new Parsed(path.get(), parser.routed, found))
                .orElse(Failed.PARAMETERS);
    }

    private static Optional<Failed> tooLong(Path path) {
        if (!(path instanceof Path.Mailbox(Address address))) {
            return Optional.empty();
        }
        String local = address.localPart();
        int tag = 0;
        while (tag < local.length() && TAG_BEGINS.indexOf(local.charAt(tag)) < 0) {
            tag++;
        }
        if (octets(local.substring(0, tag)) > LOCAL_PART_OCTETS) {
            return Optional.of(Failed.LONG_LOCAL_PART);
        }
        return octets(address.toString()) + 2 > PATH_OCTETS ? Optional.of(Failed.LONG_PATH) : Optional.empty();
    }

    private static int octets(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    // RFC 6531 section 3.3 extends atoms, quoted strings and domains by UTF-8; other octets have no
    // meaning.
    private static Optional<String> decoded(String octets) {
        if (Ascii.is(octets)) {
            return Optional.of(octets);
        }
        try {
            return Optional.of(StandardCharsets.UTF_8.newDecoder()
                    .decode(ByteBuffer.wrap(octets.getBytes(StandardCharsets.ISO_8859_1))).toString());
        } catch (CharacterCodingException malformed) {
            return Optional.empty();
        }
    }

    private Optional<Path> path() {
        if (!take('<')) {
            return Optional.empty();
        }
        if (take('>')) {
            return Optional.of(new Path.NullPath());
        }
        if (peek() == '@' && !skipSourceRoute()) {
            return Optional.empty();
        }
        Optional<String> local = peek() == '"' ? quotedString() : dotString();
        if (local.isEmpty()) {
            return Optional.empty();
        }
        if (take('>')) {
            return Ascii.same(local.get(), "postmaster") ? Optional.of(new Path.Postmaster()) : Optional.empty();
        }
        if (!take('@')) {
            return Optional.empty();
        }
        Optional<String> domain = peek() == '[' ? addressLiteral() : domain();
        return domain.isPresent() && take('>')
                ? Optional.of(new Path.Mailbox(new Address(local.get(), domain.get())))
                : Optional.empty();
    }

    private boolean skipSourceRoute() {
        do {
            if (!take('@') || domain().isEmpty()) {
                return false;
            }
        } while (take(','));
        routed = true;
        return take(':');
    }

    private Optional<String> dotString() {
        int start = at;
        while (isAtext(peek()) || peek() == '.') {
            at++;
        }
        String found = text.substring(start, at);
        boolean dotsBetween = !found.isEmpty() && !found.startsWith(".") && !found.endsWith(".")
                && !found.contains("..");
        return dotsBetween ? Optional.of(found) : Optional.empty();
    }

    // The value without quotes and backslashes: qtextSMTP is printable ASCII except `"` and `\`,
    // quoted-pairSMTP any printable character. The grammar permits "" too, but no mailbox has an
    // empty name.
    private Optional<String> quotedString() {
        StringBuilder meaning = new StringBuilder();
        at++;
        while (peek() != '"') {
            if (peek() == '\\') {
                at++;
            }
            char c = peek();
            if (c < ' ' || Character.isISOControl(c)) {
                return Optional.empty();
            }
            meaning.append(c);
            at++;
        }
        at++;
        return meaning.isEmpty() ? Optional.empty() : Optional.of(meaning.toString());
    }

    private Optional<String> domain() {
        int start = at;
        while (isLetterOrDigit(peek()) || peek() == '-' || peek() == '_' || peek() == '.') {
            at++;
        }
        return Optional.of(text.substring(start, at)).filter(Address::isDomain);
    }

    // Section 4.1.3. No other kind of literal has been standardized.
    private Optional<String> addressLiteral() {
        int end = text.indexOf(']', at);
        if (end < 0) {
            return Optional.empty();
        }
        String inside = text.substring(at + 1, end);
        at = end + 1;
        return IPV4.matcher(inside).matches()
                ? ipv4(inside).map(address -> "[" + address + "]")
                : Optional.of("[" + inside + "]").filter(_ -> isIpv6(inside));
    }

    // Without leading zeros, because other programs might read `010` as octal.
    private static Optional<String> ipv4(String numbers) {
        List<Integer> octets = Pattern.compile("\\.").splitAsStream(numbers).map(Integer::valueOf).toList();
        return octets.stream().allMatch(octet -> octet < 256)
                ? Optional.of(octets.stream().map(String::valueOf).collect(Collectors.joining(".")))
                : Optional.empty();
    }

    private static boolean isIpv6(String inside) {
        var match = IPV6.matcher(inside);
        if (!match.matches()) {
            return false;
        }
        try {
            Inet6Address.ofLiteral(match.group(1));
            return true;
        } catch (IllegalArgumentException notAnAddress) {
            return false;
        }
    }

    private Optional<List<Parameter>> parameters() {
        List<Parameter> found = new ArrayList<>();
        if (at == text.length()) {
            return Optional.of(found);
        }
        if (peek() != ' ') {
            return Optional.empty();
        }
        skipBlanks();
        for (String word : text.substring(at).split(" +")) {
            var match = PARAMETER.matcher(word);
            if (!match.matches()) {
                return Optional.empty();
            }
            String keyword = Ascii.upper(match.group(1));
            if (found.stream().anyMatch(other -> other.keyword().equals(keyword))) {
                return Optional.empty();
            }
            found.add(new Parameter(keyword, Optional.ofNullable(match.group(2)).orElse("")));
        }
        return Optional.of(found);
    }

    private static boolean isAtext(char c) {
        return isLetterOrDigit(c) || c != 0 && ATOM_SPECIALS.indexOf(c) >= 0;
    }

    // All characters above ASCII except controls; Address decides which form a domain.
    private static boolean isLetterOrDigit(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
                || c > 127 && !Character.isISOControl(c);
    }

    private void skipBlanks() {
        while (peek() == ' ') {
            at++;
        }
    }

    private boolean take(char wanted) {
        if (peek() != wanted) {
            return false;
        }
        at++;
        return true;
    }

    /// The current character; NUL, which no rule accepts, at the end.
    private char peek() {
        return at < text.length() ? text.charAt(at) : 0;
    }
}
