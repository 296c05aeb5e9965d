package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportTable;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/// The description of a simulated world. All times are milliseconds since its start.
///
/// @param seed of the random numbers of the world, for example which delivery fails
/// @param batching whether events of the same time are absorbed together before the queue manager
///     chooses, as its loop does
/// @param commands of operators
/// @param crashesMillis times at which the server is killed and restarted at once
/// @param placement rules of the placement for deliveries by SMTP
public record Scenario(long seed, QmgrConfig config, boolean batching, List<SimulatedMail> mails,
        List<SimulatedDomain> domains,
        OwnServer ownServer, List<TimedCommand> commands, List<Long> crashesMillis, PlaceRules placement) {
    public Scenario {
        // A world knows the routes of domains; the sender and the message do not choose one here.
        config = config.withRoutedSenders(Set.of()).withRoutedMessages(false);
        mails = List.copyOf(mails);
        domains = List.copyOf(domains);
        commands = List.copyOf(commands);
        crashesMillis = List.copyOf(crashesMillis);
    }

    /// One delivery at a time on each connection, as in Postfix ([QueueManagers#oneAtATime]).
    public Scenario(long seed, QmgrConfig config, boolean batching, List<SimulatedMail> mails,
            List<SimulatedDomain> domains,
            OwnServer ownServer,
            List<TimedCommand> commands, List<Long> crashesMillis) {
        this(seed, config, batching, mails, domains, ownServer, commands, crashesMillis,
                QueueManagers.oneAtATime(config));
    }

    /// A message, with the replies that servers give for each of its recipients.
    public record SimulatedMail(QueueId id, long arrivalMillis, Optional<Address> sender,
            List<SimulatedRecipient> recipients) {
        public SimulatedMail {
            recipients = List.copyOf(recipients);
        }
    }

    public record SimulatedRecipient(Address address, ReplyScript script) {}

    /// The replies of a server for one recipient.
    public sealed interface ReplyScript {
        record Welcome() implements ReplyScript {}

        /// 5xx.
        record Refused() implements ReplyScript {}

        /// 4xx for this number of attempts, then accepted.
        record Late(int times) implements ReplyScript {}

        /// 4xx at each attempt.
        record Never() implements ReplyScript {}

        /// This reply before this time, then accepted.
        record Until(long millis, Reply reply) implements ReplyScript {}
    }

    /// A domain and the servers behind it.
    ///
    /// @param dnsFailures queries that time out before one is answered
    /// @param missing whether DNS says that the domain does not exist
    /// @param servers by [#names] of the route; domains with a name in common share that server
    public record SimulatedDomain(String domain, Route route, int dnsFailures, boolean missing,
            SequencedMap<String, ServerProfile> servers) {
        public SimulatedDomain {
            servers = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(servers));
            if (!servers.keySet().containsAll(names(route))) {
                throw new IllegalArgumentException("no server for each of " + names(route) + ": " + servers.keySet());
            }
        }

        /// @param server the profile of every host of the route
        public SimulatedDomain(String domain, Route route, int dnsFailures, boolean missing, ServerProfile server) {
            this(domain, route, dnsFailures, missing, alike(route, server));
        }

        private static SequencedMap<String, ServerProfile> alike(Route route, ServerProfile server) {
            SequencedMap<String, ServerProfile> servers = new LinkedHashMap<>();
            names(route).forEach(name -> servers.put(name, server));
            return servers;
        }

        /// The route by a transport to a next hop with one host of its name.
        ///
        /// @param transports their kinds
        public static Route route(TransportTable transports, String transport, String nextHop) {
            return switch (transports.kind(transport).orElseThrow()) {
                case SMTP -> new Route.Smtp(transport, nextHop, List.of(new Route.Host(nextHop, 25, 0)));
                case LMTP -> new Route.Lmtp(transport, nextHop);
                case LOCAL -> new Route.Local(transport, nextHop);
                case PIPE -> new Route.Pipe(transport, nextHop);
                case DISCARD -> new Route.Discard(transport, nextHop);
            };
        }

        /// The hosts of a route, best first; for a route without hosts, transport and next hop.
        public static List<String> names(Route route) {
            return route instanceof Route.Smtp smtp
                    ? smtp.hosts().stream().map(Route.Host::name).toList()
                    : List.of(route.transport() + "/" + route.nextHop());
        }

        /// The server of the best host.
        public ServerProfile server() {
            return servers.firstEntry().getValue();
        }

        /// @param outages times without an answer
        /// @param connectionLimit further connections get a 421
        /// @param breaks share of deliveries in which the connection breaks
        /// @param idleTimeoutMillis the server closes a connection that has been idle for this long
        public SimulatedDomain(String domain, Route route, int dnsFailures, boolean missing, long connectMillis,
                long deliverMillis, List<Outage> outages, int connectionLimit, double breaks, long idleTimeoutMillis) {
            this(domain, route, dnsFailures, missing,
                    ServerProfile.of(connectMillis, deliverMillis, outages, connectionLimit, breaks,
                            idleTimeoutMillis));
        }

        /// Whether every recipient that the script accepts is delivered at the first attempt.
        public boolean isReliable() {
            return dnsFailures == 0 && !missing && servers.values().stream().allMatch(ServerProfile::isReliable);
        }
    }

    /// A time in which a server has a fault.
    public record Outage(long fromMillis, long toMillis, Fault fault) {
        public Outage(long fromMillis, long toMillis) {
            this(fromMillis, toMillis, Fault.REFUSES);
        }
    }

    /// The kind of an outage.
    public enum Fault {
        /// Connections are refused at once and sessions break.
        REFUSES,
        /// Connections time out and sessions break.
        SILENT,
        /// Connections are made, but no greeting comes. Sessions continue.
        NO_GREETING,
        /// The greeting is a 421. Sessions continue.
        TURNS_AWAY
    }

    /// The simulated server itself: its disk, its DNS client and its timeouts.
    ///
    /// @param writeMillis for each change of the spool; changes are made one after the other
    /// @param reportFailures share of reports that cannot be written
    /// @param arrivalsMissed share of arrivals for which the inbox of the queue manager is full
    /// @param reportsUnwanted share of reports that are deferred at each attempt
    /// @param connectTimeoutMillis for the connection
    /// @param greetingTimeoutMillis for the greeting
    /// @param ownFailures share of connections and deliveries that fail because of this server
    public record OwnServer(long writeMillis, long readMillis, long dnsMillis, double reportFailures,
            double arrivalsMissed, double reportsUnwanted, long connectTimeoutMillis, long greetingTimeoutMillis,
            double ownFailures) {
        public OwnServer(long writeMillis, long readMillis, long dnsMillis, double reportFailures,
                double arrivalsMissed,
                double reportsUnwanted, long connectTimeoutMillis, long greetingTimeoutMillis) {
            this(writeMillis, readMillis, dnsMillis, reportFailures, arrivalsMissed, reportsUnwanted,
                    connectTimeoutMillis, greetingTimeoutMillis, 0);
        }

        public OwnServer(long writeMillis, long readMillis, long dnsMillis, double reportFailures,
                double arrivalsMissed) {
            this(writeMillis, readMillis, dnsMillis, reportFailures, arrivalsMissed, 0.25, 30_000, 300_000);
        }
    }

    /// A command of an operator and its time.
    public record TimedCommand(long atMillis, QmgrEvent.OperatorCommand command) {}
}
