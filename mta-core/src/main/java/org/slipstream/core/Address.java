package org.slipstream.core;

import org.slipstream.core.text.Ascii;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/// A mailbox address, `local-part@domain` (RFC 5321 section 4.1.2). It holds a valid local part and
/// a domain, both non-empty.
///
/// The local part is stored without quotes and backslashes: `"john doe"@example.org` has the local
/// part `john doe`, and [#toString] adds quotes where the grammar requires them. Two addresses with
/// equal [#key] are the same mailbox: domains compare without case, and only the receiving host
/// interprets the local part (RFC 5321 section 2.4).
///
/// The SMTP parser applies the full grammar with its length limits; this record holds the result.
///
/// @param localPart the unquoted local part, never empty, without control characters
/// @param domain a domain name or an address literal in brackets, in the case it was given, never
/// empty
public record Address(String localPart, String domain) {
    /// Local parts that [#withoutExtension] leaves whole, although some contain a delimiter
    /// (Postfix `split_addr`).
    private static final List<String> WITHOUT_EXTENSION = List.of("postmaster", "mailer-daemon", "double-bounce");

    public Address {
        Objects.requireNonNull(localPart);
        Objects.requireNonNull(domain);
        if (localPart.isEmpty() || domain.isEmpty()) {
            throw new IllegalArgumentException("an address has a local part and a domain: " + localPart + "@" + domain);
        }
        for (int i = 0; i < localPart.length(); i++) {
            if (Character.isISOControl(localPart.charAt(i))) {
                throw new IllegalArgumentException("control character in the local part of an address");
            }
        }
    }

    /// Parses `local@domain` as configuration files and operators write it; the last `@` separates.
    /// Quotes around the local part are removed. Empty when the text is no address.
    public static Optional<Address> parse(String text) {
        int at = text.lastIndexOf('@');
        if (at <= 0 || at == text.length() - 1) {
            return Optional.empty();
        }
        String local = text.substring(0, at);
        String domain = text.substring(at + 1);
        Optional<String> meaning = local.startsWith("\"") ? unquote(local) : plain(local);
        if (meaning.isEmpty() || meaning.get().isEmpty() || !isDomain(domain)) {
            return Optional.empty();
        }
        return Optional.of(new Address(meaning.get(), domain));
    }

    /// [#parse] for text that is known to be an address.
    public static Address of(String text) {
        return parse(text).orElseThrow(() -> new IllegalArgumentException("not an address: " + text));
    }

    /// The domain without case, the form in which domains are looked up and compared.
    public String domainKey() {
        return domain.toLowerCase(Locale.ROOT);
    }

    /// The key that all spellings of one mailbox share.
    public String key() {
        return localPart + "@" + domainKey();
    }

    /// The address in lower case, the form in which addresses of local mailboxes and users compare:
    /// there, two local parts that differ only in case are one.
    public Address folded() {
        return new Address(localPart.toLowerCase(Locale.ROOT), domainKey());
    }

    /// The address without its extension: `user+lists@example.org` becomes `user@example.org`.
    /// Postmaster, mailer-daemon and double-bounce keep their names, and so does a local part that
    /// begins with the delimiter.
    ///
    /// @param delimiter between user and extension, such as `+`; empty when addresses have no
    /// extensions
    public Address withoutExtension(Optional<String> delimiter) {
        int cut = delimiter.map(localPart::indexOf).orElse(-1);
        return cut > 0 && !WITHOUT_EXTENSION.contains(localPart.toLowerCase(Locale.ROOT))
                ? new Address(localPart.substring(0, cut), domain)
                : this;
    }

    /// The key of a mailbox behind a next hop, as in the queue manager of Postfix: without case,
    /// without extension, and with the next hop in place of the domain (PF-12).
    public String mailboxKey(Optional<String> delimiter, String nextHop) {
        return (withoutExtension(delimiter).localPart + "@" + nextHop).toLowerCase(Locale.ROOT);
    }

    /// The address as SMTP commands carry it, without angle brackets.
    @Override
    public String toString() {
        return (isDotString(localPart) ? localPart : quote(localPart)) + "@" + domain;
    }

    /// True when the local part or the domain needs SMTPUTF8 (RFC 6531) on the wire.
    public boolean isInternational() {
        return !Ascii.is(localPart) || !Ascii.is(domain);
    }

    /// True for a domain name (letters, digits, hyphens, underscores and non-ASCII letters between
    /// dots) and for a literal in brackets.
    public static boolean isDomain(String domain) {
        if (domain.isEmpty() || domain.length() > 255) { // RFC 5321 section 4.5.3.1.2
            return false;
        }
        if (domain.charAt(0) == '[') {
            return domain.length() > 2 && domain.indexOf(']') == domain.length() - 1 && noBlanks(domain);
        }
        int start = 0;
        for (int dot = domain.indexOf('.'); dot >= 0; dot = domain.indexOf('.', start)) {
            if (!isLabel(domain, start, dot)) {
                return false;
            }
            start = dot + 1;
        }
        return isLabel(domain, start, domain.length());
    }

    private static boolean isLabel(String domain, int from, int to) {
        if (from == to || to - from > 63 || domain.charAt(from) == '-' || domain.charAt(to - 1) == '-') {
            return false;
        }
        for (int i = from; i < to; i += Character.charCount(domain.codePointAt(i))) {
            int c = domain.codePointAt(i);
            boolean fits = Character.isLetterOrDigit(c) || (c > 127 ? isMark(c) : c == '-' || c == '_');
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    private static boolean isMark(int c) {
        int type = Character.getType(c);
        return type == Character.NON_SPACING_MARK || type == Character.COMBINING_SPACING_MARK;
    }

    private static boolean noBlanks(String text) {
        return text.chars().noneMatch(c -> c <= ' ' || c == 127);
    }

    private static Optional<String> plain(String local) {
        return isDotString(local) ? Optional.of(local) : Optional.empty();
    }

    private static Optional<String> unquote(String quoted) {
        if (quoted.length() < 3 || !quoted.endsWith("\"")) {
            return Optional.empty();
        }
        StringBuilder meaning = new StringBuilder();
        for (int i = 1; i < quoted.length() - 1; i++) {
            char c = quoted.charAt(i);
            if (c == '\\') {
                i++;
                if (i == quoted.length() - 1) {
                    return Optional.empty();
                }
                c = quoted.charAt(i);
            } else if (c == '"') {
                return Optional.empty();
            }
            if (Character.isISOControl(c)) {
                return Optional.empty();
            }
            meaning.append(c);
        }
        return Optional.of(meaning.toString());
    }

    private static String quote(String meaning) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < meaning.length(); i++) {
            char c = meaning.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\');
            }
            quoted.append(c);
        }
        return quoted.append('"').toString();
    }

    // Dot-string of RFC 5321 section 4.1.2, extended to UTF-8 by RFC 6531 section 3.3.
    private static boolean isDotString(String local) {
        if (local.isEmpty() || local.startsWith(".") || local.endsWith(".") || local.contains("..")) {
            return false;
        }
        for (int i = 0; i < local.length(); i++) {
            if (!isDotStringCharacter(local.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isDotStringCharacter(char c) {
        return c > 127 && !Character.isISOControl(c) || Character.isLetterOrDigit(c)
                || "!#$%&'*+-/=?^_`{|}~.".indexOf(c) >= 0;
    }
}
