package org.slipstream.lab;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrConfig;
import org.slipstream.qmgr.QmgrEvent;

import java.util.List;
import java.util.Optional;

/// All that a simulated world is made of. Times are milliseconds since its beginning.
///
/// @param seed of the world's own chance: which delivery breaks, which report fails
/// @param batching events of one instant are absorbed together before the queue manager chooses, as its loop does
/// @param deeds what operators do
/// @param crashesMillis when the server is killed and started again at once
public record Scenario(long seed, QmgrConfig config, boolean batching, List<Mail> mails, List<Place> places,
        House house,
        List<Deed> deeds, List<Long> crashesMillis) {
    public Scenario {
        mails = List.copyOf(mails);
        places = List.copyOf(places);
        deeds = List.copyOf(deeds);
        crashesMillis = List.copyOf(crashesMillis);
    }

    /// A message and what its recipients have in store for it.
    public record Mail(QueueId id, long arrivalMillis, Optional<Address> sender, List<Addressee> recipients) {
        public Mail {
            recipients = List.copyOf(recipients);
        }
    }

    public record Addressee(Address address, Fortune fortune) {}

    /// What a recipient's server says when it is reached.
    public sealed interface Fortune {
        record Welcome() implements Fortune {}

        /// 5xx.
        record Refused() implements Fortune {}

        /// 4xx so many times, then welcome.
        record Late(int times) implements Fortune {}

        /// 4xx for ever.
        record Never() implements Fortune {}
    }

    /// A domain and the server behind it.
    ///
    /// @param dnsFailures questions that time out before one is answered
    /// @param nowhere there is no such domain
    /// @param outages when nobody answers there
    /// @param connectionLimit more connections than this are turned away
    /// @param breaks share of deliveries in which the connection breaks
    /// @param patienceMillis the server hangs up on a connection that has been idle for this long
    public record Place(String domain, Route route, int dnsFailures, boolean nowhere, long connectMillis,
            long deliverMillis, List<Outage> outages, int connectionLimit, double breaks, long patienceMillis) {
        public Place {
            outages = List.copyOf(outages);
        }

        public boolean isUp(long nowMillis) {
            return outages.stream().noneMatch(o -> o.fromMillis() <= nowMillis && nowMillis < o.toMillis());
        }

        /// Whoever is welcome there is delivered at the first attempt.
        public boolean isReliable() {
            return dnsFailures == 0 && !nowhere && outages.isEmpty() && connectionLimit == Integer.MAX_VALUE
                    && breaks == 0 && patienceMillis == Long.MAX_VALUE;
        }
    }

    public record Outage(long fromMillis, long toMillis) {}

    /// Our own side.
    ///
    /// @param writeMillis one change of the register, one after the other
    /// @param reportFailures share of reports that cannot be written
    /// @param arrivalsMissed share of arrivals that the inbox refuses
    public record House(long writeMillis, long readMillis, long dnsMillis, double reportFailures,
            double arrivalsMissed) {}

    public record Deed(long atMillis, QmgrEvent.Command command) {}
}
