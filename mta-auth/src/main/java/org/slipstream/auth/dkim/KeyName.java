package org.slipstream.auth.dkim;

import org.slipstream.core.dns.DomainName;

import java.util.Optional;

/// The name of a key: the domain that signs and one of its selectors (RFC 6376 section 3.1), in
/// lower case and ASCII.
///
/// Both have letters, digits, `-`, `_` and dots only, so they are safe in a report, in a question to
/// DNS and in the name of a file.
public record KeyName(String domain, String selector) {
    /// Empty when one of the two, or both together, cannot be a name of DNS.
    public static Optional<KeyName> of(String domain, String selector) {
        return plain(domain).flatMap(d -> plain(selector).map(s -> new KeyName(d, s)))
                .filter(name -> name.dns().length() <= DomainName.LONGEST);
    }

    /// The domain as it is in names of keys; empty when it cannot be one.
    public static Optional<String> plain(String name) {
        return DomainName.ascii(name).filter(KeyName::isPlain);
    }

    /// The name of the record that has the public key.
    public String dns() {
        return selector + "._domainkey." + domain;
    }

    private static boolean isPlain(String name) {
        return name.chars()
                .allMatch(c -> c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.');
    }
}
