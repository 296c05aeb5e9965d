package org.slipstream.core;

import java.util.Locale;
import java.util.Optional;

/// A pattern for mailboxes that an operator types: an address in which `*` matches any text, or
/// `<>` for the null sender. Domains compare without case, local parts with case (RFC 5321 section
/// 2.4).
///
/// @param localPart without quotes; empty for `<>`
/// @param domain in lower case; empty for `<>`
public record AddressPattern(String localPart, String domain) {
    /// The null sender (RFC 5321 section 4.5.5).
    public static final AddressPattern NULL = new AddressPattern("", "");
    private static final String ANY = "*";

    public AddressPattern {
        domain = domain.toLowerCase(Locale.ROOT);
    }

    /// Empty when no address can match this form.
    public static Optional<AddressPattern> parse(String text) {
        if (text.equals("<>")) {
            return Optional.of(NULL);
        }
        int at = text.lastIndexOf('@');
        if (at < 0) {
            return Optional.empty();
        }
        return local(text.substring(0, at)).flatMap(localPart -> ofDomain(text.substring(at + 1))
                .map(anyone -> new AddressPattern(localPart, anyone.domain())));
    }

    /// A star is an ordinary character of a local part, so [Address#parse] checks the characters
    /// beside it.
    private static Optional<String> local(String text) {
        return Address.parse(text + "@x").map(Address::localPart);
    }

    /// Any mailbox of the domains that the text matches. Empty when no domain can match this form.
    public static Optional<AddressPattern> ofDomain(String text) {
        return Address.isDomain(text.replace(ANY, "x"))
                ? Optional.of(new AddressPattern(ANY, text))
                : Optional.empty();
    }

    public boolean isNull() {
        return domain.isEmpty();
    }

    /// True when every address matches.
    public boolean isAnyone() {
        return !isNull() && consistsOfStars(localPart) && consistsOfStars(domain);
    }

    private static boolean consistsOfStars(String pattern) {
        return pattern.chars().allMatch(each -> each == '*');
    }

    public boolean matches(Address address) {
        return matches(localPart, address.localPart()) && matches(domain, address.domainKey());
    }

    /// Backtracks to the latest star only, so the cost is at most the product of the two lengths.
    private static boolean matches(String pattern, String text) {
        int at = 0;
        int p = 0;
        int star = -1;
        int resume = 0;
        while (at < text.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                resume = at;
            } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(at)) {
                p++;
                at++;
            } else if (star >= 0) {
                p = star + 1;
                at = ++resume;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    @Override
    public String toString() {
        return isNull() ? "<>" : localPart + "@" + domain;
    }
}
