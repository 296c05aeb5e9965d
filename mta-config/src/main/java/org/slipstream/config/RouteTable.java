package org.slipstream.config;

import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.TransportKind;
import org.slipstream.qmgr.wake.DestinationTable;
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
/// | the line of the sender | mail of that sender |
/// | `*` | everything else |
/// | nothing | as if `*` were `mx` |
///
/// Domains without a fixed route are looked up in DNS, which blocks; everything else is quick. May
/// be called by any thread.
public final class RouteTable {
    private static final int SMTP_PORT = 25;

    private final Map<String, RouteTarget> table;
    private final Set<String> localDomains;
    private final Map<String, RouteTarget> senders;
    private final RouteFinder mx;
    private final DestinationTable destinations;

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
        Map<String, RouteTarget> senders = config.senderRoutes();
        if (store.isEmpty()) {
            return new RouteTable(table, config.local().domains(), senders, mx, config.destinations());
        }
        Map<String, RouteTarget> all = new HashMap<>(table);
        config.local().domains().forEach(domain -> all.put(domain, new RouteTarget.Lmtp(store.get())));
        return new RouteTable(all, List.of(), senders, mx, config.destinations());
    }

    /// @param table by domain, `.suffix` or `*`, in lower case
    /// @param localDomains lower case
    public RouteTable(Map<String, RouteTarget> table, List<String> localDomains, RouteFinder mx) {
        this(table, localDomains, Map.of(), mx, DestinationTable.EMPTY);
    }

    /// @param senders the routes of senders, instead of `*`
    /// @param destinations their demands of TLS
    private RouteTable(Map<String, RouteTarget> table, List<String> localDomains, Map<String, RouteTarget> senders,
            RouteFinder mx, DestinationTable destinations) {
        this.destinations = destinations;
        this.senders = Map.copyOf(senders);
        this.table = Map.copyOf(table);
        this.localDomains = Set.copyOf(new HashSet<>(localDomains));
        this.mx = mx;
    }

    /// True when [#find] answers at once, without DNS.
    public boolean isQuick(String question) {
        RouteQuestion asked = RouteQuestion.of(question);
        return localDomains.contains(asked.domain()) || !(target(asked) instanceof RouteTarget.Mx);
    }

    /// @param question a domain or an address literal, in any case. [Route#UNDEMANDING] follows when the
    ///     demands of its owner do not count; for a sender with a route of its own, `|` and the sender's
    ///     line; where messages are routed one by one, `|` and the message
    public RouteAnswer find(String question) {
        RouteQuestion asked = RouteQuestion.of(question);
        if (localDomains.contains(asked.domain())) {
            return new RouteAnswer.Found(table.get(asked.domain()) instanceof RouteTarget.Local(String transport)
                    ? new Route.Local(transport, asked.domain())
                    : new Route.Local(asked.domain()));
        }
        return switch (target(asked)) {
            case RouteTarget.Mx(String transport) -> ask(asked, transport);
            case RouteTarget.Fixed target -> new RouteAnswer.Found(fixed(target, asked.domain()));
            case RouteTarget.Lmtp(String transport, String endpoint) ->
                new RouteAnswer.Found(new Route.Lmtp(transport, endpoint));
            case RouteTarget.Local(String transport) ->
                new RouteAnswer.Found(new Route.Local(transport, asked.domain()));
            case RouteTarget.Discard(String transport) ->
                new RouteAnswer.Found(new Route.Discard(transport, asked.domain()));
            case RouteTarget.Pipe(String transport, String nextHop) ->
                new RouteAnswer.Found(new Route.Pipe(transport, nextHop.isEmpty() ? asked.domain() : nextHop));
        };
    }

    /// The message whose route is asked for, where messages are routed one by one.
    public static Optional<QueueId> message(String question) {
        int bar = question.lastIndexOf('|');
        return bar < 0 ? Optional.empty() : QueueId.parse(question.substring(bar + 1));
    }

    /// The transport of the answer, without DNS.
    ///
    /// @param question see [#find]
    public String transport(String question) {
        RouteQuestion asked = RouteQuestion.of(question);
        return localDomains.contains(asked.domain())
                ? table.get(asked.domain()) instanceof RouteTarget.Local(String transport)
                        ? transport
                        : TransportKind.LOCAL.word()
                : target(asked).transport();
    }

    private record RouteQuestion(String domain, boolean undemanding, String sender) {
        static RouteQuestion of(String question) {
            Optional<QueueId> message = message(question);
            String rest = message.isPresent() ? question.substring(0, question.lastIndexOf('|')) : question;
            int bar = rest.indexOf('|');
            String domain = bar < 0 ? rest : rest.substring(0, bar);
            boolean undemanding = domain.endsWith(Route.UNDEMANDING);
            String name = undemanding ? domain.substring(0, domain.length() - Route.UNDEMANDING.length()) : domain;
            return new RouteQuestion(name.toLowerCase(Locale.ROOT), undemanding, rest.substring(bar + 1));
        }
    }

    private RouteTarget target(RouteQuestion asked) {
        RouteTarget exact = table.get(asked.domain());
        return exact != null
                ? exact
                : bySuffix(asked.domain()).or(() -> Optional.ofNullable(senders.get(asked.sender())))
                        .orElseGet(() -> table.getOrDefault("*", new RouteTarget.Mx()));
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

    private RouteAnswer ask(RouteQuestion asked, String transport) {
        String domain = asked.domain();
        return switch (asked.undemanding() ? mx.findUndemanding(domain) : mx.find(domain)) {
            case RouteFinder.Answer.Found(Route.Smtp found) -> {
                Route.Smtp route = found.by(transport);
                // Domains with the same hosts may share a next hop; one with a demand of its own does not.
                yield new RouteAnswer.Found(tls(route, domain).equals(destinations.settings(route).tls())
                        ? route
                        : route.at(domain));
            }
            case RouteFinder.Answer.NoRoute(Reply reason) -> new RouteAnswer.NoRoute(reason);
        };
    }

    /// The demand of a domain may be stricter than that of its smart host. Connections have one kind of
    /// TLS, so this mail has a next hop of its own there: `[relay.example]:25/verify`.
    private Route.Smtp fixed(RouteTarget.Fixed target, String domain) {
        Route.Smtp usual = fixed(target.host()).by(target.transport());
        return tls(usual, domain).map(TlsUse::of).filter(wanted -> wanted.isStricter(target.tls()))
                .map(wanted -> usual.at(usual.nextHop() + "/" + wanted.word())).orElse(usual);
    }

    /// The line of the settings that demands TLS for mail to a domain; empty when there is none, or only
    /// the hosts of the domain tell. No DNS is asked.
    public Optional<String> tlsLine(String domain) {
        String name = domain.toLowerCase(Locale.ROOT);
        RouteTarget target = target(RouteQuestion.of(name));
        Optional<RouteTarget.Fixed> host = target instanceof RouteTarget.Fixed fixed
                ? Optional.of(fixed)
                : Optional.empty();
        Optional<TlsUse> ofRoute = host.flatMap(RouteTarget.Fixed::tls);
        Route.Smtp route = host.map(each -> fixed(each.host()))
                .orElseGet(() -> new Route.Smtp(name, List.of(new Route.Host(name, SMTP_PORT, 0))))
                .by(target.transport());
        Optional<String> ofClause = destinations.tlsClause(route, name)
                .filter(clause -> clause.settings().tls().map(TlsUse::of).orElseThrow().isStricter(ofRoute))
                .map(clause -> "[destination.\"" + clause.pattern().text() + "\"] tls = \""
                        + clause.settings().tls().orElseThrow() + "\"");
        return ofClause.or(() -> ofRoute.filter(TlsUse.STRICT::contains).flatMap(tls -> host.map(
                each -> "tls=" + tls.word() + " behind the route smtp:" + each.host() + " in [routes]")));
    }

    private Optional<String> tls(Route.Smtp route, String domain) {
        return destinations.settings(route, domain).tls();
    }

    // All domains with the same smart host share its window and connections, so its name is the
    // next hop.
    public static Route.Smtp fixed(Route.Host host) {
        String written = host.name().toLowerCase(Locale.ROOT);
        String name = written.startsWith("[") ? written.substring(1, written.length() - 1) : written;
        return new Route.Smtp("[" + name + "]:" + host.port(), List.of(new Route.Host(name, host.port(), 0)));
    }
}
