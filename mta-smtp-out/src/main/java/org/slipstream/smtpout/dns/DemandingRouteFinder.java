package org.slipstream.smtpout.dns;

import org.slipstream.core.Route;
import org.slipstream.core.text.Ascii;
import org.slipstream.smtpout.RouteFinder;
import org.slipstream.smtpout.demand.TlsDemands;

/// Adds to the hosts of a domain the TLS that its owner demands of them, and leaves out the hosts that its
/// policy does not permit.
///
/// A domain with a demand is a destination of its own, also where domains with the same hosts are one.
public final class DemandingRouteFinder implements RouteFinder {
    private final RouteFinder routes;
    private final TlsDemands demands;

    public DemandingRouteFinder(RouteFinder routes, TlsDemands demands) {
        this.routes = routes;
        this.demands = demands;
    }

    @Override
    public Answer find(String domain) {
        return switch (routes.find(domain)) {
            case Answer.Found(Route.Smtp route) -> demanded(domain, route);
            case Answer.NoRoute none -> none;
        };
    }

    /// This mail has a next hop of its own, because a destination has one set of hosts, and because its
    /// sessions are in no report to the domain.
    @Override
    public Answer findUndemanding(String domain) {
        Answer usual = routes.find(domain);
        return usual instanceof Answer.Found(Route.Smtp route) && !domain.startsWith("[")
                ? new Answer.Found(route.at(Ascii.lower(domain) + Route.UNDEMANDING))
                : usual;
    }

    private Answer demanded(String domain, Route.Smtp route) {
        if (domain.startsWith("[")) {
            return new Answer.Found(route);
        }
        return switch (demands.decide(domain, route.hosts())) {
            case TlsDemands.HostDecision.NoHost none -> new Answer.NoRoute(none.reason());
            case TlsDemands.HostDecision.Permitted permitted -> {
                boolean free = permitted.hosts().stream().allMatch(host -> host.demand().isNone());
                yield new Answer.Found(new Route.Smtp(free ? route.nextHop() : Ascii.lower(domain), permitted.hosts()));
            }
        };
    }
}
