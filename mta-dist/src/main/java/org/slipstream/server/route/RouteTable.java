package org.slipstream.server.route;

import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.server.config.Config;
import org.slipstream.server.config.Config.RouteTarget;
import org.slipstream.smtpout.RouteFinder;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The route of a domain: mail for local domains stays; other domains are looked up in the table
/// from the specific to the general.
///
/// | Asked for `a.b.example` | |
/// |---|---|
/// | `a.b.example` | the domain itself |
/// | `.b.example`, then `.example` | the longest suffix; `.b.example` matches subdomains, not `b.example` |
/// | `*` | everything else |
/// | nothing | as if `*` were `mx` |
///
/// Domains without a fixed route are looked up in DNS, which blocks; everything else is quick. May
/// be called by any thread.
public final class RouteTable {
    private final Map<String, RouteTarget> table;
    private final Set<String> localDomains;
    private final RouteFinder mx;

    /// Like [RouteFinder.Answer], for every kind of route.
    public sealed interface RouteAnswer {
        record Found(Route route) implements RouteAnswer {}

        /// 4xx when DNS failed, 5xx when there is no route.
        record NoRoute(Reply reason) implements RouteAnswer {}
    }

    /// The routes of a server. With a mail store behind LMTP, mail for local domains goes there.
    ///
    /// @param table without local domains
    public static RouteTable of(Config config, Map<String, RouteTarget> table, RouteFinder mx) {
        Optional<String> store = config.operation().store().delivery();
        if (store.isEmpty()) {
            return new RouteTable(table, config.local().domains(), mx);
        }
        Map<String, RouteTarget> all = new HashMap<>(table);
        config.local().domains().forEach(domain -> all.put(domain, new RouteTarget.Lmtp(store.get())));
        return new RouteTable(all, List.of(), mx);
    }

    /// @param table by domain, `.suffix` or `*`, in lower case
    /// @param localDomains lower case
    public RouteTable(Map<String, RouteTarget> table, List<String> localDomains, RouteFinder mx) {
        this.table = Map.copyOf(table);
        this.localDomains = Set.copyOf(new HashSet<>(localDomains));
        this.mx = mx;
    }

    /// True when [#find] answers at once, without DNS.
    public boolean isQuick(String domain) {
        String key = domain.toLowerCase(Locale.ROOT);
        return localDomains.contains(key) || !(target(key) instanceof RouteTarget.Mx);
    }

    /// @param domain a domain or an address literal, in any case
    public RouteAnswer find(String domain) {
        String key = domain.toLowerCase(Locale.ROOT);
        if (localDomains.contains(key)) {
            return new RouteAnswer.Found(new Route.Local(key));
        }
        return switch (target(key)) {
            case RouteTarget.Mx _ -> ask(key);
            case RouteTarget.Fixed target -> new RouteAnswer.Found(fixed(target.host()));
            case RouteTarget.Lmtp(String endpoint) -> new RouteAnswer.Found(new Route.Lmtp(endpoint));
            case RouteTarget.Discard _ -> new RouteAnswer.Found(new Route.Discard(key));
        };
    }

    private RouteTarget target(String domain) {
        RouteTarget exact = table.get(domain);
        return exact != null
                ? exact
                : bySuffix(domain).orElseGet(() -> table.getOrDefault("*", new RouteTarget.Mx()));
    }

    private Optional<RouteTarget> bySuffix(String domain) {
        // The dots of an address literal do not separate labels.
        int dot = domain.startsWith("[") ? -1 : domain.indexOf('.', 1);
        while (dot >= 0) {
            RouteTarget target = table.get(domain.substring(dot));
            if (target != null) {
                return Optional.of(target);
            }
            dot = domain.indexOf('.', dot + 1);
        }
        return Optional.empty();
    }

    private RouteAnswer ask(String domain) {
        return switch (mx.find(domain)) {
            case RouteFinder.Answer.Found(Route.Smtp route) -> new RouteAnswer.Found(route);
            case RouteFinder.Answer.NoRoute(Reply reason) -> new RouteAnswer.NoRoute(reason);
        };
    }

    // All domains with the same smart host share its window and connections, so its name is the
    // next hop.
    public static Route.Smtp fixed(Route.Host host) {
        String written = host.name().toLowerCase(Locale.ROOT);
        String name = written.startsWith("[") ? written.substring(1, written.length() - 1) : written;
        return new Route.Smtp("[" + name + "]:" + host.port(), List.of(new Route.Host(name, host.port(), 0)));
    }
}
