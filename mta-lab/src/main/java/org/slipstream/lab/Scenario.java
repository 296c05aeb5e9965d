package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.place.PlaceRules;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/// The description of a simulated world. Times are milliseconds since its beginning.
///
/// @param seed of the world's own chance: which delivery breaks, which report fails
/// @param batching events of one instant are absorbed together before the queue manager chooses, as
///     its loop does
/// @param deeds commands of operators
/// @param crashesMillis when the server is killed and started again at once
/// @param placement rules of the placement for deliveries by SMTP
public record Scenario(long seed, QmgrConfig config, boolean batching, List<SimulatedMail> mails,
        List<SimulatedPlace> places,
        OwnServer house, List<Deed> deeds, List<Long> crashesMillis, PlaceRules placement) {
    public Scenario {
        mails = List.copyOf(mails);
        places = List.copyOf(places);
        deeds = List.copyOf(deeds);
        crashesMillis = List.copyOf(crashesMillis);
    }

    /// With one delivery at a time on each connection, as Postfix has it ([Brains#oneAtATime]).
    public Scenario(long seed, QmgrConfig config, boolean batching, List<SimulatedMail> mails,
            List<SimulatedPlace> places,
            OwnServer house,
            List<Deed> deeds, List<Long> crashesMillis) {
        this(seed, config, batching, mails, places, house, deeds, crashesMillis, Brains.oneAtATime(config));
    }

    public Scenario with(PlaceRules rules) {
        return new Scenario(seed, config, batching, mails, places, house, deeds, crashesMillis, rules);
    }

    /// A message, and what the servers answer for each of its recipients.
    public record SimulatedMail(QueueId id, long arrivalMillis, Optional<Address> sender, List<Addressee> recipients) {
        public SimulatedMail {
            recipients = List.copyOf(recipients);
        }
    }

    public record Addressee(Address address, Fortune fortune) {}

    /// The reply of a recipient's server.
    public sealed interface Fortune {
        record Welcome() implements Fortune {}

        /// 5xx.
        record Refused() implements Fortune {}

        /// 4xx so many times, then welcome.
        record Late(int times) implements Fortune {}

        /// 4xx at each attempt.
        record Never() implements Fortune {}
    }

    /// A domain and the servers behind it.
    ///
    /// @param dnsFailures questions that time out before one is answered
    /// @param nowhere there is no such domain
    /// @param servers by [#names] of the route. A name that several places have stands for the same
    ///     server in all of them
    public record SimulatedPlace(String domain, Route route, int dnsFailures, boolean nowhere,
            SequencedMap<String, ServerProfile> servers) {
        public SimulatedPlace {
            servers = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(servers));
            if (!servers.keySet().containsAll(names(route))) {
                throw new IllegalArgumentException("no server for each of " + names(route) + ": " + servers.keySet());
            }
        }

        /// @param server each host of the route is one of this kind
        public SimulatedPlace(String domain, Route route, int dnsFailures, boolean nowhere, ServerProfile server) {
            this(domain, route, dnsFailures, nowhere, alike(route, server));
        }

        private static SequencedMap<String, ServerProfile> alike(Route route, ServerProfile server) {
            SequencedMap<String, ServerProfile> servers = new LinkedHashMap<>();
            names(route).forEach(name -> servers.put(name, server));
            return servers;
        }

        /// The hosts of a route, best first; where it has none, transport and next hop.
        static List<String> names(Route route) {
            return route instanceof Route.Smtp smtp
                    ? smtp.hosts().stream().map(Route.Host::name).toList()
                    : List.of(route.transport() + "/" + route.nextHop());
        }

        /// The best one.
        public ServerProfile server() {
            return servers.firstEntry().getValue();
        }

        /// @param outages when no server answers there
        /// @param connectionLimit more connections than this are turned away
        /// @param breaks share of deliveries in which the connection breaks
        /// @param patienceMillis the server hangs up on a connection that has been idle for this
        ///     long
        public SimulatedPlace(String domain, Route route, int dnsFailures, boolean nowhere, long connectMillis,
                long deliverMillis, List<Outage> outages, int connectionLimit, double breaks, long patienceMillis) {
            this(domain, route, dnsFailures, nowhere,
                    ServerProfile.of(connectMillis, deliverMillis, outages, connectionLimit, breaks, patienceMillis));
        }

        /// A recipient that is accepted at all is delivered at the first attempt.
        public boolean isReliable() {
            return dnsFailures == 0 && !nowhere && servers.values().stream().allMatch(ServerProfile::isReliable);
        }
    }

    /// A time in which a server is out of order.
    public record Outage(long fromMillis, long toMillis, Fault fault) {
        public Outage(long fromMillis, long toMillis) {
            this(fromMillis, toMillis, Fault.REFUSES);
        }
    }

    /// In which way a server is out of order.
    public enum Fault {
        /// Connections are refused at once, sessions break.
        REFUSES,
        /// No answer: connections run into their time limit, sessions break.
        SILENT,
        /// Connections are made and no greeting comes; sessions go on.
        NO_GREETING,
        /// The greeting is a 421; sessions go on.
        TURNS_AWAY
    }

    /// Our own side.
    ///
    /// @param writeMillis one change of the spool, one after the other
    /// @param reportFailures share of reports that cannot be written
    /// @param arrivalsMissed share of arrivals that the inbox refuses
    /// @param reportsUnwanted share of reports that their receiver never takes
    /// @param connectTimeoutMillis how long a connection may take to be made
    /// @param greetingTimeoutMillis how long a server may take to greet
    /// @param ownFailures share of connections and deliveries that fail for a reason of our own
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

    public record Deed(long atMillis, QmgrEvent.OperatorCommand command) {}
}
