package org.slipstream.server.users;

import org.slipstream.core.Address;
import org.slipstream.smtpin.auth.Prepared;
import org.slipstream.smtpin.auth.ScramKeys;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// One who may log in.
///
/// @param name prepared, compared exactly
/// @param scram empty when the line has none; then SCRAM is not offered to anybody
/// @param addresses in whose name mail may be sent: full addresses, `@domain` for a whole domain, or `*`; in lower case
record User(String name, PasswordHash hash, Optional<ScramKeys> scram, List<String> addresses) {
    static final String EVERY_ADDRESS = "*";

    User {
        addresses = List.copyOf(addresses);
    }

    static User of(String name, String password, List<String> addresses) {
        String prepared = Prepared.text(password);
        return new User(name, PasswordHash.of(prepared), Optional.of(ScramText.derive(prepared)), addresses);
    }

    /// Local parts compare without case: two of a user's addresses that differ in nothing else are one person's.
    boolean owns(Address address) {
        return addresses.contains(EVERY_ADDRESS) || addresses.contains("@" + address.domainKey())
                || addresses.contains(address.localPart().toLowerCase(Locale.ROOT) + "@" + address.domainKey());
    }
}
