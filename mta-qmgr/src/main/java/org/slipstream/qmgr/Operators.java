package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.Command;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.sched.Scheduler;

import java.util.Optional;

/// What operators want: flush, hold, release, delete, wherever the message is at the moment.
///
/// A message may be in the active set, on its way into the spool, waiting for a place, or asleep on disk; whoever types a
/// command does not know which, and it may change while the command is on its way. Inside, the wish is noted: what
/// waits is withdrawn at once, what runs is finished and recorded, then the message goes where it is wished to. On its way into the
/// spool, the wish waits for the spool's answer. Elsewhere it is an order to the spool. The command is answered when the
/// register has the effect ([Tickets]).
final class Operators {
    private final Present present;
    private final ActiveSet active;
    private final Anteroom anteroom;
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Routing routing;
    private final Flushes flushes;
    private final Endings endings;
    private final Probes probes;

    Operators(Present present, ActiveSet active, Anteroom anteroom, Scheduler scheduler, Destinations destinations,
            Routing routing, Flushes flushes, Endings endings, Probes probes) {
        this.present = present;
        this.active = active;
        this.anteroom = anteroom;
        this.scheduler = scheduler;
        this.destinations = destinations;
        this.routing = routing;
        this.flushes = flushes;
        this.endings = endings;
        this.probes = probes;
    }

    void command(QmgrEvent.Operator operator) {
        long ticket = operator.ticket();
        switch (operator.command()) {
            case Command.Flush flush -> flush(flush, ticket);
            case Command.Hold(QueueId id) -> wish(id, Wish.HOLD, ticket);
            case Command.Release(QueueId id) -> wish(id, Wish.RELEASE, ticket);
            case Command.Delete(QueueId id) -> wish(id, Wish.DELETE, ticket);
            case Command.Verify(Address address) -> probes.verify(address, ticket);
        }
    }

    // A flush of everything revives everything that rests. A flush by name revives the destinations of that mail, and nothing else.
    private void flush(Command.Flush flush, long ticket) {
        if (flush.id().isEmpty() && flush.domain().isEmpty()) {
            destinations.flush(present.nowMillis());
        }
        flushes.wish(flush, present.nowMillis());
        if (flush.id().isPresent()) {
            wish(flush.id().get(), Wish.FLUSH, ticket);
        } else {
            present.order(new QmgrOrder.MakeDue(Optional.empty(), flush.domain(), present.nowMillis()));
            endings.tickets().answer(ticket, Result.BEGUN);
        }
    }

    private void wish(QueueId id, Wish wish, long ticket) {
        if (changesNothing(id, wish)) {
            endings.tickets().answer(ticket, Result.UNCHANGED);
            return;
        }
        endings.tickets().open(id, ticket);
        if (anteroom.knows(id)) {
            anteroom.leave(id);
        }
        Optional<Activation> message = active.find(id);
        if (message.isPresent()) {
            inside(message.get(), wish);
        } else if (endings.filings().knows(id)) {
            endings.filings().wish(id, wish);
        } else {
            endings.fulfil(id, wish);
        }
    }

    private boolean changesNothing(QueueId id, Wish wish) {
        return switch (wish) {
            case FLUSH -> anteroom.knows(id) || active.knows(id);
            case RELEASE -> active.find(id).filter(message -> message.wish != Wish.HOLD).isPresent();
            case HOLD, DELETE, NONE -> false;
        };
    }

    private void inside(Activation message, Wish wish) {
        message.wish = message.wish.then(wish);
        message.leftOpen |= !scheduler.withdraw(message.work).isEmpty();
        routing.withdraw(message);
        endings.settle(message);
    }
}
