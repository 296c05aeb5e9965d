package org.slipstream.qmgr.admit;

import org.slipstream.core.Address;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.QueuePhase;
import org.slipstream.core.queue.Suspension;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.DeferralReason;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.sched.Scheduler.PlacedRecipient;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settle.Outcomes;
import org.slipstream.qmgr.trace.QmgrTrace;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// Routes recipients and places them in the scheduler. Each domain has one route request, whatever
/// number of messages wait for it ([RouteRequests]).
///
/// **Recipients of a batch are sorted together** (PF-21). A batch is placed when all its routes are
/// known, or as far as they are known at the next choice: a slow name server delays its own domain
/// only. It is sorted twice: by domain and address, so that transports and destinations are created
/// in that order; then by transport, destination, domain and address, so that recipients of one
/// destination are adjacent and fill entries.
///
/// **Recipients of a dead destination** are not placed: they are deferred at once, with its reason
/// (PF-22).
public final class Routing {
    private static final Comparator<Activation.Routed> BY_DOMAIN = Comparator.<Activation.Routed, String>comparing(
            routed -> routed.recipient().address().domainKey())
            .thenComparing(routed -> routed.recipient().address().localPart());
    private static final Comparator<PlacedRecipient> BY_QUEUE = Comparator
            .<PlacedRecipient, String>comparing(placement -> placement.queue().transport())
            .thenComparing(placement -> placement.queue().key())
            .thenComparing(placement -> placement.recipient().address().domainKey())
            .thenComparing(placement -> placement.recipient().address().localPart());

    private final StepContext step;
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Outcomes outcomes;
    private final Flushes flushes;
    private final Suspensions suspensions;
    private final QmgrTrace trace;
    private final RouteRequests routeRequests = new RouteRequests();

    /// Messages with routed recipients that are not yet in the scheduler.
    private final Set<Activation> unplaced = new LinkedHashSet<>();

    public Routing(QmgrConfig config, StepContext step, Scheduler scheduler, Destinations destinations,
            Outcomes outcomes, Suspensions suspensions, QmgrTrace trace) {
        this.step = step;
        this.scheduler = scheduler;
        this.destinations = destinations;
        this.outcomes = outcomes;
        this.flushes = new Flushes(config.minimalBackoffMillis());
        this.suspensions = suspensions;
        this.trace = trace;
    }

    public void change(QmgrConfig settings) {
        flushes.change(settings.minimalBackoffMillis());
    }

    public Flushes flushes() {
        return flushes;
    }

    /// The pending route requests, shared with the address probes.
    public RouteRequests routeRequests() {
        return routeRequests;
    }

    /// An operator gave the route.
    void instructed(Activation message, List<Recipient> recipients, Route route) {
        recipients.forEach(each -> message.addRouted(each, route));
        unplaced.add(message);
    }

    /// The questions whose answers are the routes of these recipients. Changes nothing.
    Map<String, List<Recipient>> questions(Activation message, List<Recipient> recipients) {
        Map<String, List<Recipient>> byDomain = new TreeMap<>();
        for (Recipient recipient : recipients) {
            byDomain.computeIfAbsent(
                    destinations.rules().routeQuestion(recipient.address(), message.sender, message.options.tls(),
                            message.id),
                    _ -> new ArrayList<>(1)).add(recipient);
        }
        return byDomain;
    }

    /// @param questions see [#questions]
    void find(Activation message, Map<String, List<Recipient>> questions) {
        questions.forEach((domain, those) -> {
            message.routeRequested(domain, step.nowMillis());
            if (routeRequests.request(domain, new RouteRequests.Waiter(message, those))) {
                step.order(new QmgrOrder.FindRoute(domain, message.id));
            }
        });
    }

    /// The route of these recipients can no longer be used: it is asked for again. They are in memory and in
    /// no entry, and the message may be routed again.
    public void again(Activation message, List<Recipient> recipients) {
        message.routedAgain();
        find(message, questions(message, recipients));
    }

    /// @param concerned called for each waiting message after its recipients are placed
    public void known(String domain, Route route, Consumer<Activation> concerned) {
        answered(domain, concerned, (message, recipients) -> {
            recipients.forEach(each -> message.addRouted(each, route));
            unplaced.add(message);
        });
    }

    public void failed(String domain, Reply reason, Consumer<Activation> concerned) {
        Outcome outcome = reason.isPermanent()
                ? new Outcome.Failed(reason, Outcome.HERE)
                : new Outcome.Deferred(reason, Outcome.HERE);
        answered(domain, concerned,
                (message, recipients) -> outcomes.conclude(message, recipients, outcome, true, QueuePhase.Code.ROUTE));
    }

    private interface Answer {
        void serve(Activation message, List<Recipient> recipients);
    }

    private void answered(String domain, Consumer<Activation> concerned, Answer answer) {
        for (RouteRequests.Waiter waiter : routeRequests.answered(domain)) {
            Activation message = waiter.message();
            boolean isLast = message.routeAnswered(domain);
            if (message.isLeaving()) {
                outcomes.leaveOpen(message, waiter.recipients());
            } else {
                answer.serve(message, waiter.recipients());
            }
            if (isLast) {
                place(message);
            }
            concerned.accept(message);
        }
    }

    /// Places all recipients that are routed by now.
    public void placeAll() {
        if (!unplaced.isEmpty()) {
            List.copyOf(unplaced).forEach(this::place);
        }
    }

    private void place(Activation message) {
        if (!unplaced.remove(message)) {
            return;
        }
        step.handles(message.id);
        List<Activation.Routed> routed = message.takeRouted();
        routed.sort(BY_DOMAIN);
        List<PlacedRecipient> placements = new ArrayList<>(routed.size());
        Map<Barred, List<Recipient>> barred = new LinkedHashMap<>();
        String domain = "";
        for (Activation.Routed each : routed) {
            DestinationQueue queue = queue(message, each);
            Optional<DeferralReason> reason = bars(message, each, queue);
            if (reason.isPresent()) {
                barred.computeIfAbsent(new Barred(queue, reason.get()), _ -> new ArrayList<>(1))
                        .add(each.recipient());
            } else {
                Recipient slim = sharing(queue.key(), sharing(domain, each.recipient()));
                domain = slim.address().domain();
                placements.add(new PlacedRecipient(slim, queue));
            }
        }
        placements.sort(BY_QUEUE);
        message.placedMillis = step.nowMillis();
        scheduler.place(message.work, placements);
        wakeThreads(message, placements);
        barred.forEach((each, recipients) -> {
            trace.deferredWithoutAttempt(message.id, each.queue(), recipients);
            outcomes.conclude(message, recipients, each.reason(), destinations.retryBounds(each.queue()));
            destinations.dropIfDone(each.queue());
        });
    }

    // The threads of a message that is tried wake with it.
    private void wakeThreads(Activation message, List<PlacedRecipient> placements) {
        Optional<DestinationQueue> last = Optional.empty();
        for (PlacedRecipient each : placements) {
            if (last.filter(each.queue()::equals).isEmpty()) {
                destinations.tries(each.queue(), message.wasAttemptedBefore());
            }
            last = Optional.of(each.queue());
        }
    }

    /// Recipients of a destination that does not take up their mail at present.
    private record Barred(DestinationQueue queue, DeferralReason reason) {}

    private Optional<DeferralReason> bars(Activation message, Activation.Routed routed, DestinationQueue queue) {
        Optional<Suspension> suspension = suspensions.of(message.sender, queue, routed.recipient().address());
        if (suspension.isPresent()) {
            message.resumesBy(suspension.get().untilMillis());
            return suspension.map(each -> new DeferralReason(QueuePhase.Code.SUSPENDED, each.reply()));
        }
        return destinations.suspension(queue).map(reply -> new DeferralReason(QueuePhase.Code.DEAD, reply))
                .or(() -> destinations.groups().bars(queue, message.work))
                .or(() -> destinations.rules().bars(queue, message.wasAttemptedBefore(),
                        flushes.requestedMillis(message.id, routed.recipient().address().domainKey(), step.nowMillis())
                                .isPresent(),
                        step.nowMillis()));
    }

    /// A flush by name revives destinations that failed before it.
    private DestinationQueue queue(Activation message, Activation.Routed routed) {
        Address address = routed.recipient().address();
        flushes.requestedMillis(message.id, address.domainKey(), step.nowMillis())
                .ifPresent(requested -> destinations.revive(
                        destinations.queue(routed.route(), address, step.nowMillis()), requested,
                        step.nowMillis()));
        return destinations.queue(routed.route(), address, step.nowMillis());
    }

    // Recipients of one domain share its string: a thousand copies would be a third of their
    // memory. It is shared with the destination of the same name, otherwise with the previous
    // recipient.
    private static Recipient sharing(String domain, Recipient recipient) {
        Address address = recipient.address();
        if (address.domain() == domain || !address.domain().equals(domain)) {
            return recipient;
        }
        return new Recipient(recipient.number(), new Address(address.localPart(), domain), recipient.original(),
                recipient.notifyOn());
    }

    /// Leaves recipients that are routed and not yet placed open.
    public void withdraw(Activation message) {
        unplaced.remove(message);
        outcomes.leaveOpen(message, message.takeRouted().stream().map(Activation.Routed::recipient).toList());
    }
}
