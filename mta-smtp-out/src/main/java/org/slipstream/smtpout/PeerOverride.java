package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.Sources;

import java.util.Optional;

/// What the settings of a destination change for its hosts. An empty part changes nothing.
///
/// @param sources local addresses by family; an empty one leaves the usual address
public record PeerOverride(Optional<TlsPolicy> tls, Sources sources) {
    public static final PeerOverride NONE = new PeerOverride(Optional.empty(), Sources.ANY);

    // TLS from the first byte cannot become optional: the host speaks nothing else.
    PeerPolicy policy(PeerPolicy usual) {
        return tls.filter(wanted -> wanted.isMandatory() || !usual.implicitTls())
                .map(wanted -> new PeerPolicy(wanted, usual.implicitTls(), usual.login(), usual.loginInTheClear()))
                .orElse(usual);
    }

    Sources sources(Sources usual) {
        return new Sources(sources.v4().or(usual::v4), sources.v6().or(usual::v6));
    }
}
