package org.slipstream.lab.scene;

import org.slipstream.lab.Latency;
import org.slipstream.lab.Scenario.Fault;
import org.slipstream.lab.Scenario.Outage;
import org.slipstream.lab.Server;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// `[servers.NAME]` and `[[routes]]`: who takes mail, and which mail goes there.
///
/// Without a `[[routes]]` every domain is its own next hop, by `smtp`, to the server `default`. Once there is one, each
/// domain needs one, or `domain = "*"` for the others.
final class WorldReader {
    /// Where reports go of which the file says nothing.
    static final String HOME = "local";

    private static final String USUAL_TRANSPORT = "smtp";
    private static final String USUAL_SERVER = "default";
    private static final String ANY = "*";
    private static final Latency NONE = Latency.of(0);
    private static final Map<String, Fault> FAULTS = Map.of("refuses", Fault.REFUSES, "silent", Fault.SILENT,
            "no-greeting", Fault.NO_GREETING, "turns-away", Fault.TURNS_AWAY);

    /// @param server that of the next hop
    record Way(String transport, String nextHop, Server server) {}

    private record Rule(String transport, Optional<String> nextHop, String server) {}

    private final SequencedMap<String, Server> servers = new TreeMap<>();
    private final SequencedMap<String, Rule> rules = new TreeMap<>();
    private final Set<String> transports;

    private WorldReader(Set<String> transports) {
        this.transports = new TreeSet<>(transports);
    }

    static WorldReader read(Section root, Set<String> transports) {
        WorldReader world = new WorldReader(transports);
        world.servers.put(USUAL_SERVER, server(new Section("", "", 0, org.tomlj.Toml.parse(""))));
        root.section("servers").ifPresent(section -> section.all()
                .forEach(each -> world.servers.put(each.name(), server(section.section(each.name()).orElseThrow()))));
        List<Section> routes = root.sections("routes");
        Map<String, String> serverByHop = new TreeMap<>();
        routes.forEach(route -> world.route(route, serverByHop));
        if (routes.isEmpty()) {
            world.rules.put(ANY, new Rule(USUAL_TRANSPORT, Optional.empty(), USUAL_SERVER));
            world.transports.add(USUAL_TRANSPORT);
        }
        return world;
    }

    /// Names of all transports.
    Set<String> transports() {
        return transports;
    }

    /// The file has a route for this very domain.
    boolean names(String domain) {
        return rules.containsKey(domain);
    }

    Optional<Way> way(String domain) {
        return Optional.ofNullable(rules.getOrDefault(domain, rules.get(ANY))).map(rule -> new Way(rule.transport(),
                rule.nextHop().orElse(domain), servers.get(rule.server())));
    }

    private void route(Section section, Map<String, String> serverByHop) {
        String transport = section.text("transport").orElse(USUAL_TRANSPORT);
        if (!transport.equals(USUAL_TRANSPORT) && !transports.contains(transport)) {
            throw section.wrong("transport", "= \"" + transport + "\" is unknown; add [transport." + transport
                    + "]" + (transports.isEmpty() ? "" : Nearest.hint(transport, transports).replace("; ", ", or ")));
        }
        transports.add(transport);
        String server = section.text("server").orElse(USUAL_SERVER);
        if (!servers.containsKey(server)) {
            throw section.wrong("server", "= \"" + server + "\" is unknown" + Nearest.hint(server, servers.keySet()));
        }
        Optional<String> nextHop = section.text("next-hop").map(hop -> hop.toLowerCase(Locale.ROOT));
        String domain = section.need("domain").toLowerCase(Locale.ROOT);
        if (rules.put(domain, new Rule(transport, nextHop, server)) != null) {
            throw section.wrong("domain", "= \"" + domain + "\" has a route already; take one of the two away");
        }
        String other = serverByHop.putIfAbsent(transport + "/" + nextHop.orElse(domain), server);
        if (other != null && !other.equals(server)) {
            throw section.wrong("next-hop", "is the server \"" + server + "\" here and \"" + other
                    + "\" in another route; one next hop of one transport is one server");
        }
        section.end();
    }

    private static Server server(Section section) {
        Server server = new Server(section.latency("connect", NONE), section.latency("greeting", NONE),
                section.latency("delivery", Latency.of(1_000)), section.latency("per-recipient", NONE),
                section.has("sessions") ? section.count("sessions", 1, 1) : Integer.MAX_VALUE,
                section.count("queue", 0, 0),
                section.has("connections-per-minute")
                        ? section.count("connections-per-minute", 1, 1)
                        : Integer.MAX_VALUE,
                section.share("drop"), section.share("defer"), section.share("refuse"),
                section.time("patience", Long.MAX_VALUE), outages(section));
        if (server.queue() > 0 && server.sessions() == Integer.MAX_VALUE) {
            throw section.wrong("queue", "is never used, as any number of sessions is served; add sessions = 5");
        }
        section.end();
        return server;
    }

    private static List<Outage> outages(Section section) {
        List<Outage> outages = new ArrayList<>();
        for (Section each : section.sections("out")) {
            long from = each.time("from", 0);
            long to = each.time("to", Long.MAX_VALUE);
            if (to <= from) {
                throw each.wrong("to", "is not after from; an outage ends after it has begun");
            }
            outages.add(new Outage(from, to, each.oneOf("how", FAULTS, Fault.REFUSES)));
            each.end();
        }
        return outages;
    }
}
