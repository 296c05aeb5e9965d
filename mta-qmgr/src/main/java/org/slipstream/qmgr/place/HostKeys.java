package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;

import java.util.List;

/// Maps the hosts of a route to the keys under which connections are shared.
@FunctionalInterface
public interface HostKeys {
    /// By name and port, with opportunistic TLS and without a login.
    HostKeys BY_NAME = (_, host) -> HostKey.of(host.name(), List.of(), host.port(), HostKey.Terms.USUAL);

    HostKey of(Route.Smtp route, Route.Host host);

    /// The key of a route with a single host.
    default HostKey of(Route route) {
        return HostKey.of(route.transport() + ":" + route.nextHop(), 0);
    }
}
