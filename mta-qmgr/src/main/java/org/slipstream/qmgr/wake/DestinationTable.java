package org.slipstream.qmgr.wake;

import org.slipstream.core.Route;
import org.slipstream.core.TransportKind;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The clauses `[destination."…"]` in their order, and the rings that they name.
///
/// **First match, adding up** (ZM-04). The clauses are read from the first to the last. Each clause
/// whose pattern matches adds its settings and replaces those of earlier ones. The first matching
/// clause that names a `transport` decides: later clauses are not read. A clause that names another
/// transport than that of the route does not match.
///
/// Source: ZMailer's `scheduler.conf`, where the first clause with a `command` decides and earlier
/// ones only add parameters.
///
/// @param rings by name; a ring without an entry has no limit
/// @param providers the sections `[provider.NAME]`
/// @param ordered what operators set at run time, by next hop or domain; it replaces the settings of all clauses
public record DestinationTable(List<Clause> clauses, Map<String, RingSettings> rings, ProviderRules providers,
        Map<String, DestinationSettings> ordered) {
    public static final DestinationTable EMPTY = new DestinationTable(List.of(), Collections.emptySortedMap());

    public DestinationTable(List<Clause> clauses, Map<String, RingSettings> rings) {
        this(clauses, rings, ProviderRules.SHIPPED, Collections.emptySortedMap());
    }

    public DestinationTable {
        ordered = Collections.unmodifiableMap(new TreeMap<>(ordered));
        clauses = List.copyOf(clauses);
        rings = Collections.unmodifiableMap(new TreeMap<>(rings));
    }

    public record Clause(DestinationPattern pattern, DestinationSettings settings) {
        boolean matches(Route route, String domain, ProviderRules rules) {
            return pattern.matches(route, domain, rules)
                    && settings.transport().map(route.transport()::equals).orElse(true);
        }

        /// True when pattern and transport contradict each other, so that no mail can match.
        public boolean isImpossible() {
            return settings.transport().isPresent()
                    && (pattern.onlyTransport().filter(only -> !settings.transport().equals(Optional.of(only)))
                            .isPresent()
                            || (pattern instanceof DestinationPattern.MxHost
                                    || pattern instanceof DestinationPattern.OfProvider)
                                    && settings.transport().flatMap(TransportKind::of)
                                            .filter(kind -> kind != TransportKind.SMTP).isPresent());
        }

        /// True when the search ends here for all mail of a later clause.
        boolean hides(Clause later) {
            return settings.transport().isPresent() && pattern.covers(later.pattern)
                    && settings.transport().equals(later.settings.transport().or(later.pattern::onlyTransport));
        }
    }

    /// The settings of a destination.
    ///
    /// @param domain of the recipients, lower case
    public DestinationSettings settings(Route route, String domain) {
        DestinationSettings sum = DestinationSettings.NONE;
        for (Clause clause : clauses) {
            if (clause.matches(route, domain, providers)) {
                sum = clause.settings().over(sum);
                if (clause.settings().transport().isPresent()) {
                    break;
                }
            }
        }
        return ordered.isEmpty() ? sum : ordered(route.nextHop(), ordered(domain, sum));
    }

    private DestinationSettings ordered(String name, DestinationSettings settings) {
        return Optional.ofNullable(ordered.get(name.toLowerCase(Locale.ROOT))).map(each -> each.over(settings))
                .orElse(settings);
    }

    /// With an operator's order for a next hop or a domain.
    public DestinationTable with(String name, DestinationSettings settings) {
        Map<String, DestinationSettings> more = new TreeMap<>(ordered);
        more.merge(name, settings, (earlier, later) -> later.over(earlier));
        return new DestinationTable(clauses, rings, providers, more);
    }

    public DestinationTable withRings(Map<String, RingSettings> others) {
        return new DestinationTable(clauses, others, providers, ordered);
    }

    public DestinationTable withProviders(ProviderRules others) {
        return new DestinationTable(clauses, rings, others, ordered);
    }

    /// The clause from which the TLS of a destination comes.
    public Optional<Clause> tlsClause(Route route, String domain) {
        Optional<Clause> last = Optional.empty();
        for (Clause clause : clauses) {
            if (clause.matches(route, domain, providers)) {
                last = clause.settings().tls().isPresent() ? Optional.of(clause) : last;
                if (clause.settings().transport().isPresent()) {
                    break;
                }
            }
        }
        return last;
    }

    /// The settings that hold for all domains of a next hop. Connections are shared by these
    /// domains, so TLS and source address follow from the next hop alone.
    public DestinationSettings settings(Route route) {
        return settings(route, Route.shared(route.nextHop()));
    }

    /// True when a clause names this domain, so that it is a destination of its own even if it
    /// shares its next hop with other domains.
    public boolean isOwnDestination(Route route, String domain) {
        for (Clause clause : clauses) {
            if (clause.matches(route, domain, providers)) {
                if (clause.pattern().isOfDomain()) {
                    return true;
                }
                if (clause.settings().transport().isPresent()) {
                    return false;
                }
            }
        }
        return false;
    }

    /// The earlier clause that ends the search for all mail of this one, which has no effect then.
    public Optional<Clause> clauseHiding(Clause clause) {
        return clauses.subList(0, clauses.indexOf(clause)).stream().filter(earlier -> earlier.hides(clause))
                .findFirst();
    }

    /// The domains that a clause names as queue-only: ETRN may ask for them.
    public List<String> queueOnlyDomains() {
        return clauses.stream().filter(clause -> clause.settings().isQueueOnly()).map(Clause::pattern)
                .filter(DestinationPattern.Domain.class::isInstance).map(DestinationPattern.Domain.class::cast)
                .map(DestinationPattern.Domain::name).toList();
    }

    /// The retry policies that clauses name.
    public List<String> retries() {
        return clauses.stream().flatMap(clause -> clause.settings().retry().stream()).toList();
    }

    /// The limit of a group; empty when it has none.
    public Optional<Integer> lanes(LimitKey.OfGroup key) {
        return key.kind() == LimitKey.GroupKind.RING
                ? Optional.ofNullable(rings.get(key.name())).map(RingSettings::lanes)
                : providers.lanes(key);
    }

    /// The rate of a group; empty when it has none.
    public Optional<Rate> rate(LimitKey.OfGroupRate key) {
        return key.kind() == LimitKey.GroupKind.RING
                ? Optional.ofNullable(rings.get(key.name())).flatMap(RingSettings::rate)
                : providers.rate(key);
    }
}
