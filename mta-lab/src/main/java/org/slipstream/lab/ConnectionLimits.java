package org.slipstream.lab;

import org.slipstream.core.HostKey;
import org.slipstream.core.Route;
import org.slipstream.lab.Scenario.SimulatedDomain;
import org.slipstream.lab.SimulatedNetwork.SimulatedConnection;
import org.slipstream.lab.SimulatedNetwork.TransferPhase;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.wake.DestinationSettings;
import org.slipstream.qmgr.wake.LimitKey;
import org.slipstream.qmgr.wake.Rate;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// The limits of a server as its receivers count them: over the connections of all shards, at each
/// new connection and at each delivery.
///
/// The world may have fewer connections than a queue manager, which learns of a loss later, but
/// never more.
final class ConnectionLimits {
    /// A rate counts from the choice of a delivery; its connection may take as long as this.
    private static final long SETUP_MILLIS = 1_000;

    private final QmgrConfig config;
    private final PlaceRules rules;
    private final ReceivingSide receivers;
    private final Map<String, Deque<Long>> starts = new TreeMap<>();
    /// Deliveries that have started. One that lost its connection goes on over another, and is no
    /// further start.
    private final Set<String> started = new TreeSet<>();
    private final Map<LimitKey, Integer> most = new LinkedHashMap<>();
    private boolean counts = true;

    ConnectionLimits(Scenario scenario, ReceivingSide receivers) {
        this.config = scenario.config();
        this.rules = scenario.placement();
        this.receivers = receivers;
    }

    /// Counts no more: the time of a count grows with the number of connections.
    void leaveOut() {
        counts = false;
    }

    /// A shard was killed: it forgets the starts by which a rate counts.
    void crash() {
        starts.clear();
        started.clear();
    }

    /// A connection is opened now; it is not yet among those of the receivers.
    void open(QmgrOrder.Open open, InvariantChecker invariants) {
        if (!counts) {
            return;
        }
        int serving = 1;
        int atHost = 1;
        int everywhere = 1;
        for (SimulatedConnection connection : receivers.connections()) {
            if (connection.route.transport().equals(open.route().transport())) {
                everywhere++;
                serving += connection.serves(open.route()) ? 1 : 0;
                atHost += connection.host.equals(SimulatedDomain.names(open.route()).getFirst()) ? 1 : 0;
            }
        }
        TransportSettings settings = config.transport(open.route().transport());
        require(LimitKey.transport(open.route().transport()), everywhere, settings.processLimit(), open, invariants);
        window(open.route(), serving, open, invariants);
        if (open.route() instanceof Route.Smtp) {
            require(LimitKey.host("smtp", HostKey.of(SimulatedDomain.names(open.route()).getFirst(), 25)), atHost,
                    rules.connectionsPerHost(),
                    open, invariants);
        }
        work(open.route(), open, invariants);
    }

    /// A delivery begins now; it is not yet on its connection.
    ///
    /// @param connection it goes there, if it is still open
    void deliver(QmgrOrder.Deliver deliver, Optional<SimulatedConnection> connection, long now,
            InvariantChecker invariants) {
        if (!counts) {
            return;
        }
        if (connection.isPresent() && !connection.get().serves(deliver.route())) {
            int serving = 1;
            for (SimulatedConnection other : receivers.connections()) {
                serving += other.serves(deliver.route()) ? 1 : 0;
            }
            window(deliver.route(), serving, deliver, invariants);
        }
        if (connection.isPresent() && connection.get().phase == TransferPhase.IDLE) {
            work(deliver.route(), deliver, invariants);
        }
        settings(deliver.route()).rate().ifPresent(rate -> start(deliver, rate, now, invariants));
    }

    private DestinationSettings settings(Route route) {
        return config.destinations().settings(route);
    }

    // A transport of one recipient a delivery has a window for each recipient (PF-12).
    private void window(Route route, int serving, QmgrOrder order, InvariantChecker invariants) {
        TransportSettings settings = config.transport(route.transport());
        int limit = settings(route).lanes().orElse(settings.concurrencyLimit());
        boolean each = settings.recipientsPerDelivery() == 1 || limit == 0;
        require(LimitKey.destination(route.transport() + "/" + route.nextHop()), serving,
                each ? Integer.MAX_VALUE : limit, order, invariants);
    }

    // One more connection is at work: opening or delivering.
    private void work(Route route, QmgrOrder order, InvariantChecker invariants) {
        Optional<String> ring = settings(route).ring();
        int inRing = 1;
        int working = 1;
        for (SimulatedConnection connection : receivers.connections()) {
            if (connection.phase != TransferPhase.IDLE) {
                working++;
                inRing += ring.isPresent() && settings(connection.route).ring().equals(ring) ? 1 : 0;
            }
        }
        int server = config.queue().lanesOfServer();
        require(LimitKey.SERVER, working, server == 0 ? Integer.MAX_VALUE : server, order, invariants);
        if (ring.isPresent()) {
            require(LimitKey.ring(ring.get()), inRing,
                    config.destinations().lanes(LimitKey.ring(ring.get())).orElse(Integer.MAX_VALUE), order,
                    invariants);
        }
    }

    private void start(QmgrOrder.Deliver deliver, Rate rate, long now, InvariantChecker invariants) {
        if (!started.add(deliver.delivery().id() + " " + deliver.delivery().number())) {
            return;
        }
        Deque<Long> recent = starts.computeIfAbsent(deliver.route().nextHop(), _ -> new ArrayDeque<>());
        recent.add(now);
        while (recent.getFirst() + rate.period().toMillis() - SETUP_MILLIS <= now) {
            recent.removeFirst();
        }
        require(LimitKey.rate(deliver.route().transport() + "/" + deliver.route().nextHop()), recent.size(),
                rate.deliveries(), deliver, invariants);
    }

    private void require(LimitKey key, int used, int limit, QmgrOrder order, InvariantChecker invariants) {
        most.merge(key, used, Math::max);
        invariants.require(used <= limit, () -> used + " of " + limit + " at " + key + " with " + order);
    }

    /// The most that was used at once of each limit.
    Map<LimitKey, Integer> most() {
        return Collections.unmodifiableMap(most);
    }
}
