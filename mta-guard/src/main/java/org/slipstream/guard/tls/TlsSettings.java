package org.slipstream.guard.tls;

import org.slipstream.core.Setting;
import org.slipstream.core.SettingsSection;
import org.slipstream.settings.HomePath;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/// The section `[tls]`.
///
/// @param certificate both empty: a self-signed pair is made at the first handshake
/// @param further for clients that ask for one of their names
/// @param off names of listeners that do not offer TLS
@SettingsSection("tls")
public record TlsSettings(
        @Setting(value = "",
                doc = "The certificate chain in PEM, relative to the home folder. Without it a self-signed pair"
                        + " is made at the first handshake in `tls/self-signed.*`.") Optional<Path> certificate,
        @Setting(value = "",
                doc = "Its private key in PEM (PKCS#8 or PKCS#1). Files that change are used from the next"
                        + " session on.") Optional<Path> key,
        @Setting(value = "",
                doc = "More certificates, for clients that ask for one of their names (SNI): each"
                        + " `certificate-file key-file`, or one file that holds both.") List<Pair> further,
        @Setting(value = "", oneOf = {
                "smtp", "submission", "lmtp", "http"}, expert = true,
                doc = "Listeners that do not offer STARTTLS, or TLS on `listen.http`: for tests, and where something"
                        + " else encrypts. No user can log in by SMTP there.") List<String> off) {
    public TlsSettings {
        further = List.copyOf(further);
        off = List.copyOf(off);
    }

    public TlsSettings(Optional<Path> certificate, Optional<Path> key) {
        this(certificate, key, List.of(), List.of());
    }

    /// Two files, which may be one and the same.
    public record Pair(Path certificate, Path key) implements HomePath {
        @Override
        public Pair in(Path home) {
            return new Pair(home.resolve(certificate), home.resolve(key));
        }
    }
}
