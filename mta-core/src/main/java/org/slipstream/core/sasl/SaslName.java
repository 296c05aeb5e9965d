package org.slipstream.core.sasl;

import java.util.Optional;

/// The form of a name inside of a SCRAM message (RFC 5802 section 5.1): `=2C` for a comma, `=3D`
/// for an equals sign.
public final class SaslName {
    private SaslName() {}

    /// The form of a name that is prepared.
    public static String encode(String name) {
        return name.replace("=", "=3D").replace(",", "=2C");
    }

    /// The name; empty when an equals sign stands for anything else.
    public static Optional<String> decode(String encoded) {
        String rest = encoded.replace("=2C", "").replace("=3D", "");
        return rest.indexOf('=') >= 0
                ? Optional.empty()
                : Optional.of(encoded.replace("=2C", ",").replace("=3D", "="));
    }
}
