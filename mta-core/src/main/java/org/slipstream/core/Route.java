package org.slipstream.core;

import java.util.List;
import java.util.Objects;

/// Where mail for a domain goes: a transport and a next hop.
///
/// Two recipients with equal [#transport] and [#nextHop] share a destination, its window and its connections. The rest of
/// a route is what the transport needs to get there.
public sealed interface Route {
    /// The transport's name: `smtp`, `lmtp`, `local`, `discard`. Settings and job lists are per transport.
    String transport();

    /// The destination's key within the transport, lower case: the domain for MX routing (or the names of its hosts, where
    /// domains with the same hosts are one destination), `[host]:port` for a fixed host.
    String nextHop();

    /// One place to try.
    ///
    /// @param name a host name or a literal address
    /// @param preference smaller is tried first; equal ones in random order (RFC 5321 section 5.1)
    /// @param addresses literal addresses of the name, without brackets; whoever makes a route from DNS sorts them, so that
    /// the same answer in another order is the same host. Empty when whoever connects is to look them up
    record Host(String name, int port, int preference, List<String> addresses) {
        public Host {
            Objects.requireNonNull(name);
            addresses = List.copyOf(addresses);
            if (port < 1 || port > 65535) {
                throw new IllegalArgumentException("no port: " + port);
            }
        }

        /// A host of which the name is known.
        public Host(String name, int port, int preference) {
            this(name, port, preference, List.of());
        }

        @Override
        public String toString() {
            return name + ":" + port;
        }
    }

    /// By SMTP to the first host that takes it.
    ///
    /// @param hosts in ascending preference, at least one
    record Smtp(String nextHop, List<Host> hosts) implements Route {
        public Smtp {
            Objects.requireNonNull(nextHop);
            hosts = List.copyOf(hosts);
            if (hosts.isEmpty()) {
                throw new IllegalArgumentException("an SMTP route has a host");
            }
        }

        @Override
        public String transport() {
            return "smtp";
        }
    }

    /// By LMTP (RFC 2033) to `host:port` or to the socket file of a `unix:/path`.
    record Lmtp(String nextHop) implements Route {
        @Override
        public String transport() {
            return "lmtp";
        }
    }

    /// Into a mailbox of this server.
    ///
    /// @param nextHop the domain; mailboxes of one domain share lanes
    record Local(String nextHop) implements Route {
        @Override
        public String transport() {
            return "local";
        }
    }

    /// Accepted and thrown away, on purpose.
    record Discard(String nextHop) implements Route {
        @Override
        public String transport() {
            return "discard";
        }
    }
}
