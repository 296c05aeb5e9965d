package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.Outcome;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.qmgr.QmgrTrace.FeedbackEvent;
import org.slipstream.qmgr.flow.Destination;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.qmgr.flow.Spacing;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.DestinationQueue;
import org.slipstream.qmgr.sched.Message;
import org.slipstream.qmgr.sched.OrderPolicy;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Where the two halves of a destination are kept together: the line, which the order of service knows, and what deliveries
/// taught ([Destination]). Postfix calls both together the queue of a transport.
///
/// The order of service hears one figure of each destination, how many may run; every change of it passes through here. A
/// destination exists as long as something waits or runs there, or as it is dead or in a pause; then all that was learned is
/// forgotten.
final class Destinations {
    private final QmgrConfig config;
    private final Seating seating;
    private final Scheduler scheduler;
    private final QmgrTrace trace;
    private final Map<DestinationQueue, Destination> byLine = new LinkedHashMap<>();
    /// Of the lines whose starts may have to be spread.
    private final Map<DestinationQueue, Spacing> spacings = new LinkedHashMap<>();
    private final Map<String, Reply> deadTransports = new LinkedHashMap<>();
    private final Reopenings reopenings = new Reopenings();

    Destinations(QmgrConfig config, Seating seating, Scheduler scheduler, QmgrTrace trace) {
        this.config = config;
        this.seating = seating;
        this.scheduler = scheduler;
        this.trace = trace;
    }

    /// The line for mail to this address by this route, made when there is none.
    DestinationQueue line(Route route, Address address) {
        String key = scheduler.isPerRecipient(route.transport())
                ? address.mailboxKey(config.recipientDelimiter(), route.nextHop())
                : route.nextHop();
        DestinationQueue line = scheduler.line(route, key);
        if (!byLine.containsKey(line)) {
            Destination destination = new Destination(config.transport(line.transport()).flow(config.feedback()));
            byLine.put(line, destination);
            if (isSpaced(line, destination)) {
                TransportSettings settings = config.transport(line.transport());
                spacings.put(line, new Spacing(settings.slotCost(), settings.slotLoan()));
            }
            // A recipient's own window, and a pause after each delivery, are matters of entries.
            if (key.equals(route.nextHop()) && !destination.isRateLimited() && seating.charge(route).isPresent()) {
                line.countConnections();
            }
            changed(line, FeedbackEvent.NEW);
        }
        return line;
    }

    // Where nobody may pass, nothing is won by it, and a pause after each delivery is an order of its own.
    private boolean isSpaced(DestinationQueue line, Destination destination) {
        return config.spacedStarts() && config.policy() == OrderPolicy.PREEMPTIVE
                && config.transport(line.transport()).slotCost() > 1 && !destination.isRateLimited();
    }

    /// Why recipients for this line are deferred without a try; empty when they may wait.
    Optional<Reply> suspension(DestinationQueue line) {
        return byLine.get(line).suspension()
                .or(() -> Optional.ofNullable(deadTransports.get(line.transport())).map(Destination::suspended));
    }

    /// The outcome of such recipients.
    Outcome suspended(DestinationQueue line) {
        return new Outcome.Deferred(suspension(line).orElseThrow(), Outcomes.HERE);
    }

    /// What the window is charged with at present.
    private int charge(DestinationQueue line) {
        return line.countsConnections() ? seating.charge(line.route()).orElse(line.running()) : line.running();
    }

    // The connection of the delivery that is reported counts, though it may have become idle with it.
    private int chargeBefore(DestinationQueue line, boolean released) {
        return line.countsConnections() ? charge(line) + (released ? 1 : 0) : line.running();
    }

    /// Connections or deliveries that the window is charged with at present.
    int atWork(DestinationQueue line) {
        return charge(line);
    }

    /// The window has room for one more of what it counts.
    boolean mayOpen(DestinationQueue line) {
        return charge(line) < line.allowed();
    }

    // ---- what deliveries tell; before their entry is taken off the line

    /// @param released its connection served this destination until then and does so no longer
    void worked(DestinationQueue line, boolean released, long nowMillis) {
        transportWorks(line.transport());
        good(line, released, nowMillis);
    }

    private void good(DestinationQueue line, boolean released, long nowMillis) {
        boolean revived = byLine.get(line).good(chargeBefore(line, released) + heldBack(line, nowMillis));
        if (revived) {
            reopenings.cancel(new Reopenings.Opening.OfLine(line));
            seating.flush(line.route(), Long.MAX_VALUE, nowMillis);
        }
        changed(line, revived ? FeedbackEvent.OK_REVIVE : FeedbackEvent.OK);
    }

    /// One attempt failed and left no other host. True when that was the end of the destination. A permanent reason is the answer itself, which
    /// each entry is to get; none is to wait for better times.
    ///
    /// @param retryAfterMillis when the host wants to be asked again: lengthens the rest, never shortens it
    boolean failed(DestinationQueue line, Reply reason, OptionalLong retryAfterMillis, long nowMillis) {
        transportWorks(line.transport());
        Destination destination = byLine.get(line);
        if (reason.isPermanent() || !destination.isLive()) {
            return false;
        }
        long until = nowMillis + Math.max(config.minimalBackoffMillis(), retryAfterMillis.orElse(0));
        boolean died = destination.bad(reason, until);
        changed(line, died ? FeedbackEvent.FAIL_DEAD : FeedbackEvent.FAIL);
        if (died) {
            reopenings.plan(new Reopenings.Opening.OfLine(line), until);
            // Where each recipient is a destination of its own, its death says nothing about the others at that host.
            if (line.key().equals(line.route().nextHop())) {
                seating.dead(line.route(), reason, until, nowMillis);
            }
        }
        return died;
    }

    /// A transport is out of order. Its lines are returned.
    List<DestinationQueue> broken(String transport, Reply reason, long nowMillis) {
        deadTransports.put(transport, reason);
        scheduler.setDead(transport, true);
        reopenings.plan(new Reopenings.Opening.OfTransport(transport), nowMillis + config.transportRetryMillis());
        return scheduler.lines(transport);
    }

    private void transportWorks(String transport) {
        if (deadTransports.remove(transport) != null) {
            reopenings.cancel(new Reopenings.Opening.OfTransport(transport));
            scheduler.setDead(transport, false);
        }
    }

    /// An entry of this line is done and taken off.
    void finished(DestinationQueue line, long nowMillis) {
        Destination destination = byLine.get(line);
        if (destination.isRateLimited()) {
            pause(line, destination, nowMillis);
        } else {
            scheduler.mayGo(line, destination.isDead());
        }
        dropIfDone(line);
    }

    // Also after a failure, so that a rate-limited destination never stays dead.
    private void pause(DestinationQueue line, Destination destination, long nowMillis) {
        if (destination.isDead()) {
            good(line, false, nowMillis);
        }
        reopenings.plan(new Reopenings.Opening.OfLine(line), destination.suspend(nowMillis));
        changed(line, FeedbackEvent.SUSPEND);
        scheduler.seatMayBeFree(line);
    }

    // ---- starts that are spread ([Spacing])

    /// How long a message has to wait here although there is a seat; 0 when it may go.
    long waitMillis(Message message, DestinationQueue line, long nowMillis) {
        Spacing spacing = spacings.get(line);
        if (spacing == null || spacing.turnMillis() <= nowMillis || !isCrowded(line)) {
            return 0;
        }
        return isLetter(message, line) && spacing.letsLetterPass() ? 0 : spacing.turnMillis() - nowMillis;
    }

    /// It does wait, and is to be asked about again when it is its turn.
    void awaitTurn(DestinationQueue line, long nowMillis) {
        Reopenings.Opening turn = new Reopenings.Opening.OfTurn(line);
        if (!reopenings.isPlanned(turn)) {
            long turnMillis = spacings.get(line).turnMillis();
            reopenings.plan(turn, turnMillis);
            trace.startHeld(line, nowMillis, turnMillis);
        }
    }

    /// The next start at this destination is planned.
    boolean awaitsTurn(DestinationQueue line) {
        return reopenings.isPlanned(new Reopenings.Opening.OfTurn(line));
    }

    /// A delivery of this message starts, and takes a slot. True when the time that it takes is of interest.
    boolean started(Message message, DestinationQueue line, long nowMillis) {
        Spacing spacing = spacings.get(line);
        if (spacing == null || isLetter(message, line)) {
            if (spacing != null && spacing.turnMillis() > nowMillis && isCrowded(line)) {
                spacing.letterPassed();
            }
            return false;
        }
        if (isCrowded(line)) {
            spacing.started(nowMillis, line.allowed());
        }
        return true;
    }

    void took(DestinationQueue line, long millis) {
        spacings.get(line).took(millis);
    }

    /// More waits than could go at once.
    private static boolean isCrowded(DestinationQueue line) {
        return line.allowed() > 1 && line.waiting() >= line.allowed();
    }

    /// All that is left of it here is one delivery.
    private boolean isLetter(Message message, DestinationQueue line) {
        return scheduler.entriesAt(message, line) <= 1 && !message.isPartlyUnread();
    }

    // A start that only waits for its turn tests the window as well as one that has been made (PF-11): otherwise spread starts would
    // keep windows from growing.
    private int heldBack(DestinationQueue line, long nowMillis) {
        Spacing spacing = spacings.get(line);
        boolean holds = spacing != null && spacing.turnMillis() > nowMillis && isCrowded(line);
        return holds ? Math.max(0, line.allowed() - charge(line)) : 0;
    }

    // ---- what time brings

    /// When the next destination or transport opens again.
    long nextMillis() {
        return reopenings.nextMillis();
    }

    void timePasses(long nowMillis) {
        for (var due = reopenings.due(nowMillis); due.isPresent(); due = reopenings.due(nowMillis)) {
            open(due.get());
        }
    }

    /// Everything that is dead gets another chance. A pause between deliveries stays one.
    void flush(long nowMillis) {
        seating.flush(nowMillis);
        scheduler.seatsMayBeFree();
        for (Reopenings.Opening door : reopenings.all()) {
            if (isRest(door)) {
                reopenings.cancel(door);
                open(door);
            }
        }
    }

    /// Revives this destination and the hosts of its route, as far as they failed before `wishedMillis`. The line may be forgotten with that, see
    /// [#line].
    void revive(DestinationQueue line, long wishedMillis, long nowMillis) {
        seating.flush(line.route(), wishedMillis, nowMillis);
        boolean diedBefore = byLine.get(line).state() instanceof DestinationState.Dead(long until, Reply _)
                && until - config.minimalBackoffMillis() < wishedMillis;
        if (diedBefore) {
            reopenings.cancel(new Reopenings.Opening.OfLine(line));
            open(line);
        }
    }

    private boolean isRest(Reopenings.Opening door) {
        return switch (door) {
            case Reopenings.Opening.OfTransport _ -> true;
            case Reopenings.Opening.OfLine(DestinationQueue line) -> byLine.get(line).isDead();
            case Reopenings.Opening.OfTurn _ -> false;
        };
    }

    private void open(Reopenings.Opening door) {
        switch (door) {
            case Reopenings.Opening.OfTransport(String name) -> transportWorks(name);
            case Reopenings.Opening.OfLine(DestinationQueue line) -> open(line);
            case Reopenings.Opening.OfTurn(DestinationQueue line) -> scheduler.mayGo(line, false);
        }
    }

    private void open(DestinationQueue line) {
        Destination destination = byLine.get(line);
        boolean wasDead = destination.isDead();
        if (wasDead) {
            destination.revive(charge(line));
        } else {
            destination.resume();
        }
        if (line.isEmpty()) {
            forget(line, wasDead ? FeedbackEvent.TIMER_REVIVE_FORGET : FeedbackEvent.RESUME_FORGET);
        } else {
            changed(line, wasDead ? FeedbackEvent.TIMER_REVIVE : FeedbackEvent.RESUME);
            scheduler.mayGo(line, false);
        }
    }

    // ---- the end

    void dropIfDone(DestinationQueue line) {
        Destination destination = byLine.get(line);
        if (destination != null && destination.isLive() && line.isEmpty()) {
            forget(line, FeedbackEvent.FORGET);
        }
    }

    private void forget(DestinationQueue line, FeedbackEvent why) {
        spacings.remove(line);
        reopenings.cancel(new Reopenings.Opening.OfTurn(line));
        trace.feedback(line, why, line.running(), byLine.remove(line).figures());
        scheduler.drop(line);
    }

    private void changed(DestinationQueue line, FeedbackEvent event) {
        Destination destination = byLine.get(line);
        scheduler.allow(line, destination.allowed());
        trace.feedback(line, event, line.running(), destination.figures());
    }
}
