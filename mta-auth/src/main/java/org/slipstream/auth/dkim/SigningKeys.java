package org.slipstream.auth.dkim;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The keys that sign, by domain, as they were at one moment.
///
/// @param byDomain in lower case
public record SigningKeys(Map<String, List<SigningKey>> byDomain) {
    public SigningKeys {
        Map<String, List<SigningKey>> copy = new HashMap<>();
        byDomain.forEach((domain, keys) -> copy.put(domain, List.copyOf(keys)));
        byDomain = Map.copyOf(copy);
    }

    /// The keys that sign for a domain in From, its own or those of the nearest domain above; empty when
    /// mail of this domain is not signed.
    ///
    /// Rspamd signs with the registered domain, too. Alignment is kept with a parent, unless its DMARC
    /// record says `adkim=s`, and then mail without a signature would fail as well.
    public List<SigningKey> of(String domain) {
        String next = KeyName.plain(domain).orElse("");
        while (!next.isEmpty()) {
            List<SigningKey> keys = byDomain.getOrDefault(next, List.of());
            int dot = next.indexOf('.');
            if (!keys.isEmpty() || dot < 0) {
                return keys;
            }
            next = next.substring(dot + 1);
        }
        return List.of();
    }

    public boolean isEmpty() {
        return byDomain.isEmpty();
    }
}
