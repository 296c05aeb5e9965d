package org.slipstream.config;

import org.slipstream.core.Route;

import java.util.Optional;

/// The target of a route.
public sealed interface RouteTarget {
    /// Ask DNS for the domain's mail exchangers.
    record Mx() implements RouteTarget {}

    /// @param tls empty for the default
    /// @param implicitTls TLS from the first byte; then `tls` is given and mandatory
    record Fixed(Route.Host host, Optional<TlsUse> tls, boolean implicitTls) implements RouteTarget {
        public Fixed(Route.Host host) {
            this(host, Optional.empty(), false);
        }
    }

    /// @param endpoint `host:port` or `unix:/path`
    record Lmtp(String endpoint) implements RouteTarget {}

    record Discard() implements RouteTarget {}
}
