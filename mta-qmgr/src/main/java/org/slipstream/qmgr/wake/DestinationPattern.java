package org.slipstream.qmgr.wake;

import org.slipstream.core.Address;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.Route;

import java.util.Locale;
import java.util.Optional;

/// The pattern of a clause `[destination."…"]`. It matches a domain and its route.
///
/// The forms are those of `[routes]`: a domain, `.suffix` or `*` on its left side, and the target
/// on its right side. A pattern of a target concerns all mail that goes there.
public sealed interface DestinationPattern {
    /// @param domain of the recipients, lower case
    boolean matches(Route route, String domain, ProviderRules providers);

    /// All destinations.
    record All() implements DestinationPattern {
        @Override
        public boolean matches(Route route, String domain, ProviderRules providers) {
            return true;
        }
    }

    /// `example.org`.
    record Domain(String name) implements DestinationPattern {
        @Override
        public boolean matches(Route route, String domain, ProviderRules providers) {
            return domain.equals(name);
        }
    }

    /// `.example.org`: the subdomains, not the domain itself.
    record Suffix(String suffix) implements DestinationPattern {
        @Override
        public boolean matches(Route route, String domain, ProviderRules providers) {
            return domain.endsWith(suffix) && domain.length() > suffix.length();
        }
    }

    /// `mx:mx.example.org`, or `mx:.example.org` (`mx:*.example.org`) for all hosts below: a host of the route.
    record MxHost(String host) implements DestinationPattern {
        @Override
        public boolean matches(Route route, String domain, ProviderRules providers) {
            return route instanceof Route.Smtp smtp && smtp.hosts().stream().map(each -> bare(each.name()))
                    .anyMatch(name -> host.startsWith(".") ? name.endsWith(host) : name.equals(host));
        }

        private static String bare(String name) {
            String lower = name.toLowerCase(Locale.ROOT);
            return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
        }
    }

    /// `provider:google`: the provider of the route.
    record OfProvider(String name) implements DestinationPattern {
        @Override
        public boolean matches(Route route, String domain, ProviderRules providers) {
            return providers.table().of(route).filter(name::equals).isPresent();
        }
    }

    /// `smtp:relay.example:587` or `lmtp:127.0.0.1:24`: a route as `[routes]` names it.
    ///
    /// @param nextHop see [Route#nextHop]
    record Target(String transport, String nextHop) implements DestinationPattern {
        @Override
        public boolean matches(Route route, String domain, ProviderRules providers) {
            return route.transport().equals(transport) && Route.shared(route.nextHop()).equals(nextHop);
        }
    }

    /// True when the pattern names domains, which may share a next hop with others.
    default boolean isOfDomain() {
        return this instanceof Domain || this instanceof Suffix;
    }

    /// True when this pattern matches whatever the other one matches. Hosts of MX records are not
    /// known here.
    default boolean covers(DestinationPattern other) {
        return equals(other) || switch (this) {
            case All _ -> true;
            case Suffix(String suffix) -> switch (other) {
                case Domain(String name) -> name.endsWith(suffix) && name.length() > suffix.length();
                case Suffix(String longer) -> longer.endsWith(suffix);
                default -> false;
            };
            default -> false;
        };
    }

    /// The only transport whose mail the pattern matches. Mail with MX hosts may go by several.
    default Optional<String> onlyTransport() {
        return switch (this) {
            case Target target -> Optional.of(target.transport);
            default -> Optional.empty();
        };
    }

    /// The pattern as a clause names it.
    default String text() {
        return switch (this) {
            case All() -> "*";
            case Domain(String name) -> name;
            case Suffix(String suffix) -> suffix;
            case MxHost(String host) -> "mx:" + host;
            case OfProvider(String name) -> "provider:" + name;
            case Target(String transport, String nextHop) -> transport + ":" + nextHop;
        };
    }

    /// Empty when the text is no pattern.
    static Optional<DestinationPattern> parse(String text) {
        String word = text.strip().toLowerCase(Locale.ROOT);
        if (word.equals("*")) {
            return Optional.of(new All());
        }
        if (word.startsWith("mx:")) {
            String host = word.startsWith("mx:*.") ? word.substring(4) : word.substring(3);
            return isName(host) ? Optional.of(new MxHost(host)) : Optional.empty();
        }
        if (word.startsWith("provider:")) {
            return Optional.of(word.substring(9)).filter(ProviderTable::isName).map(OfProvider::new);
        }
        if (word.startsWith("smtp:")) {
            return smtp(word.substring(5));
        }
        if (word.startsWith("lmtp:unix:/")) {
            return Optional.of(new Target("lmtp", text.strip().substring(5)));
        }
        if (word.startsWith("lmtp:")) {
            return word.substring(5).matches(".+:[0-9]{1,5}")
                    ? Optional.of(new Target("lmtp", word.substring(5)))
                    : Optional.empty();
        }
        if (!isName(word)) {
            return Optional.empty();
        }
        return Optional.of(word.startsWith(".") ? new Suffix(word) : new Domain(word));
    }

    private static boolean isName(String word) {
        return Address.isDomain(word.startsWith(".") ? word.substring(1) : word);
    }

    /// `host`, `host:port`, `[address]` or `[address]:port`.
    private static Optional<DestinationPattern> smtp(String target) {
        int colon = target.indexOf(':', Math.max(0, target.indexOf(']')));
        String host = colon < 0 ? target : target.substring(0, colon);
        String port = colon < 0 ? "25" : target.substring(colon + 1);
        boolean literal = host.matches("\\[[0-9a-f:.]+]") || host.matches("[0-9.]+");
        if (!literal && !Address.isDomain(host) || !port.matches("[1-9][0-9]{0,4}")) {
            return Optional.empty();
        }
        String name = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return Optional.of(new Target("smtp", "[" + name + "]:" + port));
    }
}
