package org.slipstream.core;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// The route of a recipient: a transport and a next hop.
///
/// Recipients with equal [#transport] and [#nextHop] share a destination, its window and its
/// connections. The other components tell the transport how to reach the next hop.
public sealed interface Route {
    /// The transport's name: that of its kind, or one that the operator has given (`[transport.NAME]`).
    /// Settings, job lists and connections are per transport.
    String transport();

    default TransportKind kind() {
        return switch (this) {
            case Smtp _ -> TransportKind.SMTP;
            case Lmtp _ -> TransportKind.LMTP;
            case Local _ -> TransportKind.LOCAL;
            case Discard _ -> TransportKind.DISCARD;
            case Pipe _ -> TransportKind.PIPE;
        };
    }

    /// The key of the destination within the transport, lower case: the domain for MX routing (or
    /// the names of its hosts, when domains with the same hosts are one destination), `[host]:port`
    /// for a fixed host.
    String nextHop();

    /// Marks the next hop of mail for which the demands of the domain's owner do not count
    /// ([SenderTls#OPTIONAL]), in a domain that has some.
    String UNDEMANDING = "/may";

    /// The next hop that routes with different demands of TLS share: `[host]:port` for
    /// `[host]:port/verify`, the next hop of mail with a stricter demand, and `a.example` for
    /// `a.example/may` and `a.example/source-b`.
    static String shared(String nextHop) {
        int mark = nextHop.startsWith("unix:") ? -1 : nextHop.indexOf('/');
        return mark > 0 ? nextHop.substring(0, mark) : nextHop;
    }

    /// Begins the last part of the next hop of mail that leaves by a source (`[source.NAME]`):
    /// `a.example/source-b`. Such mail is a destination of its own, because connections, windows and
    /// failures belong to the address from which the host sees them.
    String SOURCE = "/source-";

    /// The next hop without its source.
    static String anySource(String nextHop) {
        int mark = nextHop.startsWith("unix:") ? -1 : nextHop.lastIndexOf(SOURCE);
        return mark > 0 ? nextHop.substring(0, mark) : nextHop;
    }

    /// The name of the source; empty for the usual addresses of this server.
    default Optional<String> source() {
        String nextHop = nextHop();
        int length = anySource(nextHop).length();
        return length == nextHop.length()
                ? Optional.empty()
                : Optional.of(nextHop.substring(length + SOURCE.length()));
    }

    /// One host of a route.
    ///
    /// @param name a host name or a literal address
    /// @param preference the MX preference: lower values are tried first, equal values in random
    /// order (RFC 5321 section 5.1)
    /// @param addresses literal addresses of the name, without brackets, in sorted order, so that a
    /// DNS answer in another order gives the same host. Empty when the client looks them up
    /// @param demand the TLS that the owner of the recipients' domain demands of this host
    record Host(String name, int port, int preference, List<String> addresses, TlsDemand demand) {
        public Host {
            Objects.requireNonNull(name);
            Objects.requireNonNull(demand);
            addresses = List.copyOf(addresses);
            if (port < 1 || port > 65535) {
                throw new IllegalArgumentException("no port: " + port);
            }
        }

        /// A host of which nothing is demanded.
        public Host(String name, int port, int preference, List<String> addresses) {
            this(name, port, preference, addresses, TlsDemand.NONE);
        }

        /// A host whose addresses are not known yet.
        public Host(String name, int port, int preference) {
            this(name, port, preference, List.of());
        }

        public Host demanding(TlsDemand other) {
            return new Host(name, port, preference, addresses, other);
        }

        @Override
        public String toString() {
            return name + ":" + port;
        }
    }

    /// SMTP to the first host that accepts the message.
    ///
    /// @param hosts in ascending preference, at least one
    record Smtp(String transport, String nextHop, List<Host> hosts) implements Route {
        public Smtp {
            Objects.requireNonNull(transport);
            Objects.requireNonNull(nextHop);
            hosts = List.copyOf(hosts);
            if (hosts.isEmpty()) {
                throw new IllegalArgumentException("an SMTP route has a host");
            }
        }

        /// By the usual transport.
        public Smtp(String nextHop, List<Host> hosts) {
            this("smtp", nextHop, hosts);
        }

        /// To other hosts.
        public Smtp with(List<Host> others) {
            return new Smtp(transport, nextHop, others);
        }

        /// With another key of the destination.
        public Smtp at(String otherNextHop) {
            return new Smtp(transport, otherNextHop, hosts);
        }

        /// By this source.
        public Smtp from(String source) {
            return at(anySource(nextHop) + SOURCE + source);
        }

        /// By another transport.
        public Smtp by(String otherTransport) {
            return new Smtp(otherTransport, nextHop, hosts);
        }
    }

    /// LMTP (RFC 2033) to `host:port` or to the socket `unix:/path`.
    record Lmtp(String transport, String nextHop) implements Route {
        /// By the usual transport.
        public Lmtp(String nextHop) {
            this("lmtp", nextHop);
        }
    }

    /// Delivery to a mailbox of this server.
    ///
    /// @param nextHop the domain; mailboxes of one domain share their connections
    record Local(String transport, String nextHop) implements Route {
        /// By the usual transport.
        public Local(String nextHop) {
            this("local", nextHop);
        }
    }

    /// To a program of this machine.
    ///
    /// @param nextHop the domain, or the text that a route names behind the transport; its mail shares a window
    record Pipe(String transport, String nextHop) implements Route {}

    /// Accepted and discarded.
    record Discard(String transport, String nextHop) implements Route {
        /// By the usual transport.
        public Discard(String nextHop) {
            this("discard", nextHop);
        }
    }
}
