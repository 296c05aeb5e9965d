package org.slipstream.smtpout;

import org.slipstream.smtpout.dialog.TlsPolicy;
import org.slipstream.smtpout.wire.Sources;

import java.util.Optional;

/// The changes that the settings of a destination make for its hosts. An empty part changes nothing.
///
/// @param sources local addresses by family; an empty one leaves the usual address, except in a source with a
///     name
public record PeerOverride(Optional<TlsPolicy> tls, Sources sources) {
    public static final PeerOverride NONE = new PeerOverride(Optional.empty(), Sources.ANY);

    // Of two demands of TLS the stricter one holds, so a clause cannot loosen the demand of a route.
    PeerPolicy policy(PeerPolicy usual) {
        return tls.filter(wanted -> wanted.compareTo(usual.tls()) > 0 || !usual.tls().isMandatory())
                .map(usual::with)
                .orElse(usual);
    }

    Sources sources(Sources usual) {
        return sources.name().isPresent()
                ? sources
                : new Sources(sources.v4().or(usual::v4), sources.v6().or(usual::v6));
    }
}
