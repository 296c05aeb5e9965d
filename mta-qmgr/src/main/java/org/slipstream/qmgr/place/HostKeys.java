package org.slipstream.qmgr.place;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;

import java.util.List;

/// Under which key a host of a route is known: what its connections may be shared by.
@FunctionalInterface
public interface HostKeys {
    /// By name and port, with opportunistic TLS and without a login.
    HostKeys BY_NAME = (_, host) -> HostKey.of(host.name(), List.of(), host.port(), HostKey.Terms.USUAL);

    HostKey of(Route.Smtp route, Route.Host host);

    /// The key of a route that has one place to go to.
    default HostKey of(Route route) {
        return HostKey.of(route.transport() + ":" + route.nextHop(), 0);
    }
}
