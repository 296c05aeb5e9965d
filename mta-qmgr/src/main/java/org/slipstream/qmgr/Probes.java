package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.EnhancedStatus;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientOutcome;
import org.slipstream.qmgr.admit.RouteRequests;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.Effects.Ended;
import org.slipstream.qmgr.place.Seat;
import org.slipstream.qmgr.place.Seating;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/// Address verification: asks whether a host accepts mail for an address (Finch's pseudo-message,
/// FI-07). Probes never take the connections that mail needs.
///
/// A probe is a delivery that ends before DATA. For the connection shares all probes together are
/// one message. A probe gives no feedback to a destination's window, and it is tried once: a
/// temporary failure is an answer, too.
final class Probes {
    /// The queue id of all probes. Queue ids of mail contain times, and this one is before all of
    /// them.
    static final QueueId PSEUDO_MESSAGE = new QueueId(1);

    private final StepContext step;
    private final Seating seating;
    private final RouteRequests routeRequests;
    private final Map<String, List<Probe>> unrouted = new LinkedHashMap<>();
    private final Deque<Routed> waiting = new ArrayDeque<>();
    private final Map<Long, Routed> underWay = new LinkedHashMap<>();

    private record Probe(long ticket, Address address) {}

    private record Routed(Probe probe, Route route) {}

    Probes(StepContext step, Seating seating, RouteRequests routeRequests) {
        this.step = step;
        this.seating = seating;
        this.routeRequests = routeRequests;
    }

    boolean isQuiet() {
        return underWay.isEmpty();
    }

    void verify(Address address, long ticket) {
        String domain = address.domainKey();
        if (routeRequests.requestForProbe(domain)) {
            step.order(new QmgrOrder.FindRoute(domain, PSEUDO_MESSAGE));
        }
        unrouted.computeIfAbsent(domain, _ -> new ArrayList<>(1)).add(new Probe(ticket, address));
    }

    void routeKnown(String domain, Route route) {
        Optional.ofNullable(unrouted.remove(domain)).orElse(List.of())
                .forEach(probe -> waiting.add(new Routed(probe, route)));
    }

    void routeFailed(String domain, Reply reason) {
        Optional.ofNullable(unrouted.remove(domain)).orElse(List.of()).forEach(
                probe -> answer(probe, "", Outcome.of(reason, Outcome.HERE)));
    }

    /// Assigns a seat to each probe for which one is available.
    ///
    /// @param deliveries gives each delivery its number
    void pump(LongSupplier deliveries) {
        for (int left = waiting.size(); left > 0; left--) {
            Routed next = waiting.remove();
            Optional<Seat> seat = seating.mayProbe(next.route(), step.nowMillis());
            if (seat.isPresent()) {
                long delivery = deliveries.getAsLong();
                underWay.put(delivery, next);
                seating.probe(seat.get(), delivery, PSEUDO_MESSAGE, next.route(),
                        new Recipient(1, next.probe().address()),
                        step.nowMillis(), step.orders());
            } else {
                waiting.add(next);
            }
        }
    }

    /// True when the delivery was a probe.
    boolean ended(Ended ended) {
        Routed probe = underWay.remove(ended.delivery());
        if (probe == null) {
            return false;
        }
        Outcome outcome = ended.outcomes().stream().map(RecipientOutcome::outcome).findFirst().orElseThrow();
        // A host that refuses every client says nothing about the address.
        if (outcome instanceof Outcome.Failed(Reply reply, String remote) && !(ended instanceof Ended.Worked)) {
            outcome = new Outcome.Deferred(new Reply(450, reply.status().map(
                    status -> new EnhancedStatus(4, status.subject(), status.detail())), reply.lines()), remote);
        }
        answer(probe.probe(), probe.route().transport() + ":" + probe.route().nextHop(), outcome);
        return true;
    }

    boolean contains(long delivery) {
        return underWay.containsKey(delivery);
    }

    private void answer(Probe probe, String route, Outcome outcome) {
        step.order(new QmgrOrder.Verified(probe.ticket(), route, outcome));
    }
}
