package org.slipstream.config;

import org.slipstream.core.Route;

import java.util.Optional;

/// The target of a route.
public sealed interface RouteTarget {
    /// The name of the transport.
    String transport();

    /// Ask DNS for the domain's mail exchangers.
    record Mx(String transport) implements RouteTarget {
        public Mx() {
            this("smtp");
        }
    }

    /// @param tls empty for the default
    /// @param implicitTls TLS from the first byte; then `tls` is given and mandatory
    record Fixed(String transport, Route.Host host, Optional<TlsUse> tls, boolean implicitTls)
            implements
                RouteTarget {
        public Fixed(Route.Host host) {
            this("smtp", host, Optional.empty(), false);
        }
    }

    /// @param endpoint `host:port` or `unix:/path`
    record Lmtp(String transport, String endpoint) implements RouteTarget {
        public Lmtp(String endpoint) {
            this("lmtp", endpoint);
        }
    }

    /// A program of this machine.
    ///
    /// @param nextHop empty: the domain of the recipients
    record Pipe(String transport, String nextHop) implements RouteTarget {}

    /// A mailbox of this server.
    record Local(String transport) implements RouteTarget {}

    record Discard(String transport) implements RouteTarget {
        public Discard() {
            this("discard");
        }
    }
}
