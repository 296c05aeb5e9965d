package org.slipstream.core;

import java.util.List;
import java.util.Optional;

/// The text of a route to one fixed next hop, as transport and next hop: `smtp:[host]:port`,
/// `lmtp:host:port`, `lmtp:unix:/path`, `discard:name`. The text of a route gives an equal route.
public final class RouteText {
    private static final int HIGHEST_PORT = 65_535;

    private RouteText() {}

    public static String of(Route route) {
        return route.transport() + ":" + route.nextHop();
    }

    /// Empty when the text is not that of a fixed route.
    public static Optional<Route> parse(String text) {
        int colon = text.indexOf(':');
        String nextHop = text.substring(colon + 1);
        if (colon < 0 || nextHop.isEmpty()) {
            return Optional.empty();
        }
        return switch (text.substring(0, colon)) {
            case "smtp" -> smtp(nextHop);
            case "lmtp" -> Optional.of(new Route.Lmtp(nextHop));
            case "discard" -> Optional.of(new Route.Discard(nextHop));
            default -> Optional.empty();
        };
    }

    private static Optional<Route> smtp(String nextHop) {
        int end = nextHop.lastIndexOf("]:");
        if (!nextHop.startsWith("[") || end < 2 || !nextHop.substring(end + 2).matches("[0-9]{1,5}")) {
            return Optional.empty();
        }
        int port = Integer.parseInt(nextHop.substring(end + 2));
        return port < 1 || port > HIGHEST_PORT
                ? Optional.empty()
                : Optional.of(new Route.Smtp(nextHop,
                        List.of(new Route.Host(nextHop.substring(1, end), port, 0))));
    }
}
