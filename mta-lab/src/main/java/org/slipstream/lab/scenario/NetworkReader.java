package org.slipstream.lab.scenario;

import org.slipstream.core.Route;
import org.slipstream.core.text.Nearest;
import org.slipstream.lab.Latency;
import org.slipstream.lab.Scenario.Fault;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.ServerProfile;
import org.slipstream.settings.TomlSection;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads `[servers.NAME]` and `[[routes]]`: the servers and the mail that each of them gets.
///
/// Without `[[routes]]`, every domain is its own next hop by `smtp` to the server `default`.
/// Otherwise each domain needs a route; `domain = "*"` is the route of all other domains. A route
/// has one server, or `hosts` with a preference and a server each. A host name stands for the same
/// server in all routes.
final class NetworkReader {
    /// The transport of reports to domains that the file does not name.
    static final String HOME = "local";

    private static final String USUAL_TRANSPORT = "smtp";
    private static final String USUAL_SERVER = "default";
    private static final String ANY = "*";
    private static final Latency NONE = Latency.of(0);
    private static final Map<String, Fault> FAULTS = Map.of("refuses", Fault.REFUSES, "gap", Fault.SILENT,
            "no-greeting", Fault.NO_GREETING, "turns-away", Fault.TURNS_AWAY);

    private static final int USUAL_PREFERENCE = 10;
    private static final int LAST_PREFERENCE = 65_535;

    /// @param server of the next hop; not used if there are hosts
    /// @param hosts with their servers, best first; may be empty
    record NextHopServers(String transport, String nextHop, ServerProfile server,
            SequencedMap<Route.Host, ServerProfile> hosts) {}

    private record Rule(String transport, Optional<String> nextHop, String server, List<Host> hosts) {}

    private record Host(Route.Host host, String server) {}

    private final SequencedMap<String, ServerProfile> servers = new TreeMap<>();
    private final Map<String, String> serverByHost = new TreeMap<>();
    private final SequencedMap<String, Rule> rules = new TreeMap<>();
    private final Set<String> transports;

    private NetworkReader(Set<String> transports) {
        this.transports = new TreeSet<>(transports);
    }

    static NetworkReader read(TomlSection root, Set<String> transports, Function<String, Optional<String>> scripts) {
        NetworkReader network = new NetworkReader(transports);
        network.servers.put(USUAL_SERVER, server(TomlSection.empty(""), scripts));
        root.section("servers").ifPresent(section -> Stream
                .concat(section.all().stream().map(TomlSection.NamedValue::name), section.tables().stream()).distinct()
                .forEach(name -> network.servers.put(name, server(section.section(name).orElseThrow(), scripts))));
        List<TomlSection> routes = root.sections("routes");
        Map<String, String> serverByHop = new TreeMap<>();
        routes.forEach(route -> network.route(route, serverByHop));
        if (routes.isEmpty()) {
            network.rules.put(ANY, new Rule(USUAL_TRANSPORT, Optional.empty(), USUAL_SERVER, List.of()));
            network.transports.add(USUAL_TRANSPORT);
        }
        return network;
    }

    /// Names of all transports.
    Set<String> transports() {
        return transports;
    }

    /// Whether the file has a route for this domain itself.
    boolean names(String domain) {
        return rules.containsKey(domain);
    }

    /// Names of all hosts.
    Set<String> hosts() {
        return serverByHost.keySet();
    }

    /// Transports of routes with hosts.
    Set<String> transportsWithHosts() {
        return rules.values().stream().filter(rule -> !rule.hosts().isEmpty()).map(Rule::transport)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    Optional<NextHopServers> servers(String domain) {
        return Optional.ofNullable(rules.getOrDefault(domain, rules.get(ANY)))
                .map(rule -> new NextHopServers(rule.transport(),
                        rule.nextHop().orElse(domain), servers.get(rule.server()), hosts(rule)));
    }

    private SequencedMap<Route.Host, ServerProfile> hosts(Rule rule) {
        SequencedMap<Route.Host, ServerProfile> hosts = new LinkedHashMap<>();
        rule.hosts().stream().sorted(Comparator.comparingInt(each -> each.host().preference()))
                .forEach(each -> hosts.put(each.host(), servers.get(each.server())));
        return hosts;
    }

    private void route(TomlSection section, Map<String, String> serverByHop) {
        String transport = section.text("transport").orElse(USUAL_TRANSPORT);
        if (!transport.equals(USUAL_TRANSPORT) && !transports.contains(transport)) {
            throw section.wrong("transport", "= \"" + transport + "\" is unknown; add [transport." + transport
                    + "]" + (transports.isEmpty() ? "" : Nearest.hint(transport, transports).replace("; ", ", or ")));
        }
        transports.add(transport);
        String server = server(section, servers.keySet());
        List<Host> hosts = hosts(section);
        Optional<String> nextHop = section.text("next-hop").map(hop -> hop.toLowerCase(Locale.ROOT));
        String domain = section.need("domain").toLowerCase(Locale.ROOT);
        if (rules.put(domain, new Rule(transport, nextHop, server, hosts)) != null) {
            throw section.wrong("domain", "= \"" + domain + "\" has a route already; remove one of them");
        }
        String here = hosts.isEmpty() ? server : hosts.toString();
        String other = serverByHop.putIfAbsent(transport + "/" + nextHop.orElse(domain), here);
        if (other != null && !other.equals(here) && (!hosts.isEmpty() || other.startsWith("["))) {
            throw section.wrong("hosts",
                    "differ from those of another route to the same next hop; write the same hosts in both");
        }
        if (other != null && !other.equals(here)) {
            throw section.wrong("next-hop", "uses server \"" + server + "\" here and \"" + other
                    + "\" in another route; a next hop of a transport has one server");
        }
        section.end();
    }

    private static String server(TomlSection section, Set<String> known) {
        String server = section.text("server").orElse(USUAL_SERVER);
        if (!known.contains(server)) {
            throw section.wrong("server", "= \"" + server + "\" is unknown" + Nearest.hint(server, known));
        }
        return server;
    }

    private List<Host> hosts(TomlSection route) {
        List<TomlSection> sections = route.sections("hosts");
        if (route.has("hosts") && sections.isEmpty()) {
            throw route.wrong("hosts", "is empty; write hosts = [{ name = \"mx1.a.example\" }], or remove it");
        }
        if (!sections.isEmpty() && route.has("server")) {
            throw route.wrong("server", "cannot be combined with hosts; write the server into each host");
        }
        return sections.stream().map(this::host).toList();
    }

    private Host host(TomlSection section) {
        String name = section.need("name").toLowerCase(Locale.ROOT);
        String server = server(section, servers.keySet());
        String other = serverByHost.putIfAbsent(name, server);
        if (other != null && !other.equals(server)) {
            throw section.wrong("server", "of " + name + " is \"" + server + "\" here and \"" + other
                    + "\" in another route; a host has one server");
        }
        int preference = (int) section.count("preference", 0, LAST_PREFERENCE, USUAL_PREFERENCE);
        section.end();
        return new Host(new Route.Host(name, 25, preference), server);
    }

    private static ServerProfile server(TomlSection section, Function<String, Optional<String>> scripts) {
        ServerProfile server = new ServerProfile(latency(section, "connect", NONE), latency(section, "greeting", NONE),
                latency(section, "delivery", Latency.of(1_000)), latency(section, "per-recipient", NONE),
                section.has("sessions") ? section.count("sessions", 1, 1) : Integer.MAX_VALUE,
                section.count("queue", 0, 0),
                section.has("connections-per-minute")
                        ? section.count("connections-per-minute", 1, 1)
                        : Integer.MAX_VALUE,
                section.share("drop", 0), section.share("defer", 0), section.share("refuse", 0),
                section.millis("idle-timeout", Long.MAX_VALUE), outages(section),
                new ServerProfile.PathProfile(section.millis("round-trip", 0), section.count("depth", 1, 0), true),
                Optional.empty(), Optional.empty(),
                section.oneOf("too-many", Map.of("421", false, "reset", true)).orElse(false));
        if (server.queue() > 0 && server.sessions() == Integer.MAX_VALUE) {
            throw section.wrong("queue", "has no effect without a limit of sessions; add sessions = 5");
        }
        Optional<String> script = section.text("script");
        section.end();
        return script.map(name -> ServerScripts.follow(server, section, name, scripts)).orElse(server);
    }

    private static List<Outage> outages(TomlSection section) {
        List<Outage> outages = new ArrayList<>();
        for (TomlSection each : section.sections("out")) {
            long from = each.millis("from", 0);
            long to = each.millis("to", Long.MAX_VALUE);
            if (to <= from) {
                throw each.wrong("to", "is not after from; make to later than from");
            }
            outages.add(new Outage(from, to, each.oneOf("how", FAULTS).orElse(Fault.REFUSES)));
            each.end();
        }
        return outages;
    }

    private static Latency latency(TomlSection section, String key, Latency otherwise) {
        return section.parsed(key, Times::latency,
                "is not a time; write \"2s\", \"1s .. 3s\" (uniform) or \"exp 2s\" (exponential with mean 2 s)")
                .orElse(otherwise);
    }
}
