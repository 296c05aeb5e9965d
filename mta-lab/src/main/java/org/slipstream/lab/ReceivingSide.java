package org.slipstream.lab;

import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.Scenario.SimulatedMail;
import org.slipstream.lab.SimulatedNetwork.SimulatedConnection;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/// The servers that receive the mail of all shards of a world. It knows what a postmaster there
/// could know: connections at once, attempts and copies.
final class ReceivingSide {
    /// Attempts and copies of one message by recipient, as the servers count them.
    static final class RecipientCounts {
        final SimulatedMail mail;
        final int[] attempts;
        final int[] copies;
        final int[] unconfirmed;

        RecipientCounts(SimulatedMail mail) {
            this.mail = mail;
            this.attempts = new int[mail.recipients().size() + 1];
            this.copies = new int[mail.recipients().size() + 1];
            this.unconfirmed = new int[mail.recipients().size() + 1];
        }
    }

    record NetworkHost(String name, ServerProfile server, SimulatedServer admission) {}

    private final Map<String, SimulatedDomain> byDomain = new TreeMap<>();
    private final Map<String, NetworkHost> hosts = new TreeMap<>();
    private final Map<String, Integer> queries = new TreeMap<>();
    private final Map<QueueId, RecipientCounts> countsById = new LinkedHashMap<>();
    private final Set<SimulatedConnection> open = new LinkedHashSet<>();

    ReceivingSide(Scenario scenario, EventList clock, RandomGenerator chance) {
        for (SimulatedDomain target : scenario.domains()) {
            byDomain.put(target.domain(), target);
            target.servers().forEach((name, server) -> {
                NetworkHost known = hosts.computeIfAbsent(name, _ -> new NetworkHost(name, server,
                        new SimulatedServer(server, scenario.ownServer(), clock, chance)));
                if (!known.server().equals(server)) {
                    throw new IllegalArgumentException(
                            name + " is two servers: " + known.server() + " and " + server);
                }
            });
        }
    }

    void expect(SimulatedMail mail) {
        countsById.put(mail.id(), new RecipientCounts(mail));
    }

    SimulatedDomain target(String domain) {
        return byDomain.get(domain);
    }

    NetworkHost host(Route route) {
        return hosts.get(SimulatedDomain.names(route).getFirst());
    }

    RecipientCounts counts(QueueId id) {
        return countsById.get(id);
    }

    /// Counts a query for a domain and returns their number.
    int asked(String domain) {
        return queries.merge(domain, 1, Integer::sum);
    }

    /// The number of copies that arrived.
    int copies(QueueId id, int number) {
        RecipientCounts counts = countsById.get(id);
        return counts == null ? 0 : counts.copies[number];
    }

    /// The number of copies that were sent completely and got no reply.
    int unconfirmed(QueueId id, int number) {
        RecipientCounts counts = countsById.get(id);
        return counts == null ? 0 : counts.unconfirmed[number];
    }

    void opened(SimulatedConnection connection) {
        open.add(connection);
    }

    void closed(SimulatedConnection connection) {
        open.remove(connection);
    }

    /// The connections of all shards that are open or being opened.
    Collection<SimulatedConnection> connections() {
        return Collections.unmodifiableSet(open);
    }
}
