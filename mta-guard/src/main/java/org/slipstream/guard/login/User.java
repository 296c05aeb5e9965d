package org.slipstream.guard.login;

import org.slipstream.core.Address;
import org.slipstream.core.sasl.OpaqueString;
import org.slipstream.core.sasl.ScramKeys;

import java.util.List;
import java.util.Optional;

/// A user who may log in, as the file has it.
///
/// @param name prepared, compared exactly
/// @param scram empty when the line has none; then SCRAM is not announced to any client
/// @param addresses in whose name mail may be sent: full addresses, `@domain` for a whole domain,
///     or `*`; in lower case
record User(String name, PasswordHash hash, Optional<ScramKeys> scram, List<String> addresses) {
    static final String EVERY_ADDRESS = "*";

    User {
        addresses = List.copyOf(addresses);
    }

    /// @throws UserFileException when the password is empty or has a character that no password may
    ///     have
    static User of(String name, String password, List<String> addresses) throws UserFileException {
        String prepared = OpaqueString.enforce(password).orElseThrow(() -> new UserFileException("the password "
                + (password.isEmpty()
                        ? "is empty"
                        : "has a character that is not allowed in passwords (RFC 8265): a control, invisible or unknown character")));
        return new User(name, PasswordHash.of(prepared), Optional.of(ScramText.derive(prepared)), addresses);
    }

    /// True when the user may send as this address. Local parts are compared without case.
    boolean owns(Address address) {
        return addresses.contains(EVERY_ADDRESS) || addresses.contains("@" + address.domainKey())
                || addresses.contains(address.folded().key());
    }
}
