package org.slipstream.config;

import org.slipstream.core.Route;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// Parses the next hop of a reroute: `HOST[:PORT]`, or a transport and a next hop in the form of
/// `[routes]`. The result is one fixed next hop, never a domain whose MX records would be asked.
///
/// TLS and the login of a host are those of the route to the same host in `[routes]`.
public final class NextHopForm {
    private static final Set<String> TRANSPORTS = Set.of("smtp", "lmtp", "discard");
    private static final String FORMS = "use HOST, HOST:PORT, smtp:HOST:PORT, lmtp:HOST:PORT, lmtp:unix:/PATH,"
            + " discard, or default";

    /// The next hop of discarded mail, for logs.
    private static final String REROUTED = "rerouted";

    private NextHopForm() {}

    /// @param ours the addresses of the listeners
    /// @throws IllegalArgumentException with the fault and the valid forms
    public static Route read(String text, Collection<InetSocketAddress> ours) {
        String word = text.strip();
        if (word.isEmpty()) {
            throw new IllegalArgumentException("no next hop is given; " + FORMS);
        }
        Optional<String> transport = transport(word);
        if (transport.filter(each -> !TRANSPORTS.contains(each)).isPresent()) {
            throw new IllegalArgumentException(
                    "\"" + transport.get() + "\" is not a transport for a reroute; " + FORMS);
        }
        boolean named = transport.isPresent() || word.equalsIgnoreCase("discard");
        Optional<RouteTarget> target = word.indexOf(' ') >= 0
                ? Optional.empty()
                : RouteBook.target(named ? word : "smtp:" + word);
        Optional<Route.Host> own = target.flatMap(RouteBook::host).filter(host -> RouteBook.leadsTo(host, ours));
        if (own.isPresent()) {
            throw new IllegalArgumentException(own.get() + " is this server itself; the mail would loop");
        }
        return switch (target.orElseGet(RouteTarget.Mx::new)) {
            case RouteTarget.Fixed fixed -> RouteTable.fixed(fixed.host());
            case RouteTarget.Lmtp lmtp -> new Route.Lmtp(lmtp.endpoint());
            case RouteTarget.Discard _ -> new Route.Discard(REROUTED);
            case RouteTarget.Mx _,RouteTarget.Local _,RouteTarget.Pipe _ ->
                throw new IllegalArgumentException("\"" + word + "\" is not a next hop; " + FORMS);
        };
    }

    // The part before a colon is a transport unless the part behind it is a port.
    private static Optional<String> transport(String word) {
        int colon = word.indexOf(':');
        return word.startsWith("[") || colon < 0 || word.substring(colon + 1).matches("[0-9]*")
                ? Optional.empty()
                : Optional.of(word.substring(0, colon).toLowerCase(Locale.ROOT));
    }
}
