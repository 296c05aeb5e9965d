package org.slipstream.server.users;

import org.slipstream.core.Address;
import org.slipstream.smtpin.auth.Prepared;
import org.slipstream.smtpin.auth.ScramKeys;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// A user who may authenticate.
///
/// @param name prepared, compared exactly
/// @param scram empty when the line has none; then SCRAM is not offered at all
/// @param addresses permitted senders: full addresses, `@domain` for a whole domain, or `*`; in lower case
record User(String name, PasswordHash hash, Optional<ScramKeys> scram, List<String> addresses) {
    static final String EVERY_ADDRESS = "*";

    User {
        addresses = List.copyOf(addresses);
    }

    static User of(String name, String password, List<String> addresses) {
        String prepared = Prepared.text(password);
        return new User(name, PasswordHash.of(prepared), Optional.of(ScramText.derive(prepared)), addresses);
    }

    /// Local parts are compared without case: addresses that differ only in case belong to the same user.
    boolean owns(Address address) {
        return addresses.contains(EVERY_ADDRESS) || addresses.contains("@" + address.domainKey())
                || addresses.contains(address.localPart().toLowerCase(Locale.ROOT) + "@" + address.domainKey());
    }
}
