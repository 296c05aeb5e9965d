package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.Outcome;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.sched.Scheduler.PlacedRecipient;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/// From recipients to their places in the order of service: where does mail for each domain go, and where in line is that?
///
/// **One question per domain**, whoever waits for the answer ([Questions]).
///
/// **What comes together is sorted together** (PF-21). A batch is placed when all its routes are known, or else as far as they are known when
/// the next choice is made: a slow name server holds up its own domain only. It is sorted twice: by domain and address, so that
/// transports and destinations come into being in that order; then by transport, destination, domain and address, so that
/// recipients of one destination come one after the other and fill entries.
///
/// **No place** for recipients whose destination is dead: they are deferred at once, with its reason (PF-22).
final class Routing {
    private static final Comparator<Activation.Routed> BY_DOMAIN = Comparator.<Activation.Routed, String>comparing(
            routed -> routed.recipient().address().domainKey())
            .thenComparing(routed -> routed.recipient().address().localPart());
    private static final Comparator<PlacedRecipient> BY_LINE = Comparator
            .<PlacedRecipient, String>comparing(placement -> placement.line().transport())
            .thenComparing(placement -> placement.line().key())
            .thenComparing(placement -> placement.recipient().address().domainKey())
            .thenComparing(placement -> placement.recipient().address().localPart());

    private final Present present;
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Outcomes outcomes;
    private final Flushes flushes;
    private final QmgrTrace trace;
    private final Questions questions = new Questions();

    /// Messages with recipients that are routed and not yet in the order of service.
    private final Set<Activation> unplaced = new LinkedHashSet<>();

    Routing(Present present, Scheduler scheduler, Destinations destinations, Outcomes outcomes, Flushes flushes,
            QmgrTrace trace) {
        this.present = present;
        this.scheduler = scheduler;
        this.destinations = destinations;
        this.outcomes = outcomes;
        this.flushes = flushes;
        this.trace = trace;
    }

    /// Open questions, shared with the address probes.
    Questions questions() {
        return questions;
    }

    void find(Activation message, List<Recipient> recipients) {
        Map<String, List<Recipient>> byDomain = new TreeMap<>();
        for (Recipient recipient : recipients) {
            byDomain.computeIfAbsent(recipient.address().domainKey(), _ -> new ArrayList<>(1)).add(recipient);
        }
        byDomain.forEach((domain, those) -> {
            message.asks(domain, present.nowMillis());
            if (questions.ask(domain, new Questions.Waiter(message, those))) {
                present.order(new QmgrOrder.FindRoute(domain, message.id));
            }
        });
    }

    /// @param concerned each message that waited, when its recipients are where they belong
    void known(String domain, Route route, Consumer<Activation> concerned) {
        answered(domain, concerned, (message, recipients) -> {
            recipients.forEach(each -> message.isRouted(each, route));
            unplaced.add(message);
        });
    }

    void failed(String domain, Reply reason, Consumer<Activation> concerned) {
        Outcome outcome = reason.isPermanent()
                ? new Outcome.Failed(reason, Outcomes.HERE)
                : new Outcome.Deferred(reason, Outcomes.HERE);
        answered(domain, concerned, (message, recipients) -> outcomes.conclude(message, recipients, outcome, true));
    }

    private interface Answer {
        void serve(Activation message, List<Recipient> recipients);
    }

    private void answered(String domain, Consumer<Activation> concerned, Answer answer) {
        for (Questions.Waiter waiter : questions.answered(domain)) {
            Activation message = waiter.message();
            boolean isLast = message.isAnswered(domain);
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

    /// Whatever is routed by now.
    void placeAll() {
        if (!unplaced.isEmpty()) {
            List.copyOf(unplaced).forEach(this::place);
        }
    }

    private void place(Activation message) {
        if (!unplaced.remove(message)) {
            return;
        }
        List<Activation.Routed> routed = message.takeRouted();
        routed.sort(BY_DOMAIN);
        List<PlacedRecipient> placements = new ArrayList<>(routed.size());
        Map<DestinationQueue, List<Recipient>> barred = new LinkedHashMap<>();
        String domain = "";
        for (Activation.Routed each : routed) {
            DestinationQueue line = line(message, each);
            if (destinations.suspension(line).isPresent()) {
                barred.computeIfAbsent(line, _ -> new ArrayList<>(1)).add(each.recipient());
            } else {
                Recipient slim = sharing(line.key(), sharing(domain, each.recipient()));
                domain = slim.address().domain();
                placements.add(new PlacedRecipient(slim, line));
            }
        }
        placements.sort(BY_LINE);
        message.placedMillis = present.nowMillis();
        scheduler.place(message.work, placements);
        barred.forEach((line, recipients) -> {
            trace.deferredWithoutAttempt(message.id, line, recipients);
            outcomes.conclude(message, recipients, destinations.suspended(line), false);
            destinations.dropIfDone(line);
        });
    }

    /// Mail that was asked for by name revives what was given up before.
    private DestinationQueue line(Activation message, Activation.Routed routed) {
        Address address = routed.recipient().address();
        flushes.wishedMillis(message.id, address.domainKey(), present.nowMillis())
                .ifPresent(wished -> destinations.revive(destinations.line(routed.route(), address), wished,
                        present.nowMillis()));
        return destinations.line(routed.route(), address);
    }

    // A thousand subscribers at one domain need not hold its name a thousand times: it is a third of what they take. It is shared with
    // the destination where that has the same name, and with the one before otherwise.
    private static Recipient sharing(String domain, Recipient recipient) {
        Address address = recipient.address();
        if (address.domain() == domain || !address.domain().equals(domain)) {
            return recipient;
        }
        return new Recipient(recipient.number(), new Address(address.localPart(), domain), recipient.original(),
                recipient.notifyOn());
    }

    /// What is routed and not yet placed stays open.
    void withdraw(Activation message) {
        unplaced.remove(message);
        outcomes.leaveOpen(message, message.takeRouted().stream().map(Activation.Routed::recipient).toList());
    }
}
