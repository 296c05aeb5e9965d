package org.slipstream.core;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// The providers that receive the mail of many domains, known by the names of their MX hosts.
///
/// A provider limits senders across all domains that it serves, so limits, orders and figures of
/// this server may concern a provider too. The longest suffix counts, as in a table of routes;
/// networks count for hosts that no suffix knows. A question costs one look-up per label of the name.
public final class ProviderTable {
    public static final int MOST_PROVIDERS = 256;
    /// Suffixes of one provider, and networks of one provider.
    public static final int MOST_NAMES = 64;
    /// The word for all mail that goes to no known provider. It is no name of a provider.
    public static final String OTHER = "other";
    public static final ProviderTable EMPTY = new ProviderTable(Collections.emptySortedMap());

    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,63}");
    private static final ProviderTable SHIPPED = new ProviderTable(read());

    private final SortedMap<String, Provider> byName;
    private final Map<String, String> byHost = new HashMap<>();

    /// One provider.
    ///
    /// @param hosts names of MX hosts, and suffixes that begin with a dot, lower case
    /// @param networks addresses of its hosts
    public record Provider(String name, List<String> hosts, List<Network> networks) {
        /// @throws IllegalArgumentException with a sentence for the operator
        public Provider {
            hosts = hosts.stream().map(ProviderTable::known).distinct().toList();
            networks = networks.stream().distinct().toList();
            if (!isName(name)) {
                throw new IllegalArgumentException("the name of a provider has 1 to 64 small letters, digits and"
                        + " hyphens, and \"" + OTHER + "\" is none: " + name);
            }
            if (hosts.size() > MOST_NAMES || networks.size() > MOST_NAMES) {
                throw new IllegalArgumentException("the provider " + name + " has more than " + MOST_NAMES
                        + " hosts or networks");
            }
        }

        private Provider and(Provider more) {
            List<String> allHosts = new ArrayList<>(hosts);
            allHosts.addAll(more.hosts);
            List<Network> allNetworks = new ArrayList<>(networks);
            allNetworks.addAll(more.networks);
            return new Provider(name, allHosts, allNetworks);
        }
    }

    private ProviderTable(SortedMap<String, Provider> byName) {
        this.byName = byName;
        if (byName.size() > MOST_PROVIDERS) {
            throw new IllegalArgumentException("there are at most " + MOST_PROVIDERS + " providers, with those that"
                    + " come with the program");
        }
        byName.values().forEach(each -> each.hosts().forEach(host -> byHost.putIfAbsent(host, each.name())));
    }

    /// The providers that come with the program.
    public static ProviderTable shipped() {
        return SHIPPED;
    }

    /// With the providers of an operator. One with a known name adds its hosts to those of the table.
    /// A host of two providers belongs to the one of the operator.
    ///
    /// @throws IllegalArgumentException with a sentence when a table is too large
    public ProviderTable with(Collection<Provider> more) {
        SortedMap<String, Provider> all = new TreeMap<>(byName);
        more.forEach(each -> all.merge(each.name(), each, Provider::and));
        ProviderTable table = new ProviderTable(all);
        more.forEach(each -> each.hosts().forEach(host -> table.byHost.put(host, each.name())));
        return table;
    }

    /// Without these providers: the mail to their hosts is like any other.
    public ProviderTable without(Collection<String> names) {
        SortedMap<String, Provider> rest = new TreeMap<>(byName);
        rest.keySet().removeAll(names);
        return new ProviderTable(rest);
    }

    /// In the order of their names.
    public List<Provider> providers() {
        return List.copyOf(byName.values());
    }

    public boolean isKnown(String name) {
        return byName.containsKey(name);
    }

    /// The provider of a route: that of the hosts with the best preference. Empty for other
    /// transports than SMTP, and for hosts of no known provider.
    public Optional<String> of(Route route) {
        return route instanceof Route.Smtp(String _, String _, List<Route.Host> hosts)
                ? ofBest(hosts)
                : Optional.empty();
    }

    private Optional<String> ofBest(List<Route.Host> hosts) {
        int best = hosts.getFirst().preference();
        for (Route.Host host : hosts) {
            if (host.preference() > best) {
                break;
            }
            Optional<String> provider = ofHost(host.name(), host.addresses().stream().findFirst());
            if (provider.isPresent()) {
                return provider;
            }
        }
        return Optional.empty();
    }

    /// The provider of a host.
    ///
    /// @param hostName a name, with or without a dot at its end, or a literal address
    /// @param address the literal address of the host, without brackets; empty when it is not known
    public Optional<String> ofHost(String hostName, Optional<String> address) {
        String name = hostName.toLowerCase(Locale.ROOT);
        name = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        @Nullable
        String provider = name.startsWith(".") ? null : byHost.get(name);
        for (int dot = name.indexOf('.', 1); provider == null && dot >= 0; dot = name.indexOf('.', dot + 1)) {
            provider = byHost.get(name.substring(dot));
        }
        return provider == null ? ofAddress(address.orElse(name)) : Optional.of(provider);
    }

    private Optional<String> ofAddress(String literal) {
        return byName.values().stream().anyMatch(each -> !each.networks().isEmpty())
                ? Network.parse(literal).map(Network::base).flatMap(this::ofAddress)
                : Optional.empty();
    }

    private Optional<String> ofAddress(InetAddress address) {
        return byName.values().stream().filter(each -> each.networks().stream().anyMatch(net -> net.contains(address)))
                .map(Provider::name).findFirst();
    }

    public static boolean isName(String text) {
        return NAME.matcher(text).matches() && !text.equals(OTHER);
    }

    /// `.example.org` for `*.example.org` and `.example.org`, or one host. Empty for other text.
    public static Optional<String> host(String text) {
        String word = text.strip().toLowerCase(Locale.ROOT);
        String host = word.startsWith("*.") ? word.substring(1) : word;
        return host.indexOf('.', 1) > 0 && Address.isDomain(host.startsWith(".") ? host.substring(1) : host)
                ? Optional.of(host)
                : Optional.empty();
    }

    private static String known(String text) {
        return host(text).orElseThrow(() -> new IllegalArgumentException("not a host or a suffix of hosts: \"" + text
                + "\". Write mx.example.org, or .example.org for all hosts below"));
    }

    private static SortedMap<String, Provider> read() {
        SortedMap<String, Provider> read = new TreeMap<>();
        try (BufferedReader in = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(ProviderTable.class.getResourceAsStream("providers.txt"))))) {
            in.lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#")).map(line -> line.split(" \\| "))
                    .map(cell -> new Provider(cell[0], List.of(cell[1].split(" ")), List.of()))
                    .forEach(each -> read.put(each.name(), each));
        } catch (IOException e) {
            throw new IllegalStateException("a file of the program is missing", e);
        }
        return read;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ProviderTable table && byName.equals(table.byName) && byHost.equals(table.byHost);
    }

    @Override
    public int hashCode() {
        return byName.hashCode();
    }

    @Override
    public String toString() {
        return byName.values().toString();
    }
}
