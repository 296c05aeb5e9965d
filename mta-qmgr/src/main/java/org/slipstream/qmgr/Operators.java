package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
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
    private final PendingArrivals pendingArrivals;
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Routing routing;
    private final Flushes flushes;
    private final Completion completion;
    private final Probes probes;

    Operators(Present present, ActiveSet active, PendingArrivals pendingArrivals, Scheduler scheduler,
            Destinations destinations,
            Routing routing, Flushes flushes, Completion completion, Probes probes) {
        this.present = present;
        this.active = active;
        this.pendingArrivals = pendingArrivals;
        this.scheduler = scheduler;
        this.destinations = destinations;
        this.routing = routing;
        this.flushes = flushes;
        this.completion = completion;
        this.probes = probes;
    }

    void command(QmgrEvent.Operator operator) {
        long ticket = operator.ticket();
        switch (operator.command()) {
            case OperatorCommand.Flush flush -> flush(flush, ticket);
            case OperatorCommand.Hold(QueueId id) -> wish(id, OperatorRequest.HOLD, ticket);
            case OperatorCommand.Release(QueueId id) -> wish(id, OperatorRequest.RELEASE, ticket);
            case OperatorCommand.Delete(QueueId id) -> wish(id, OperatorRequest.DELETE, ticket);
            case OperatorCommand.Verify(Address address) -> probes.verify(address, ticket);
        }
    }

    // A flush of everything revives everything that rests. A flush by name revives the destinations of that mail, and nothing else.
    private void flush(OperatorCommand.Flush flush, long ticket) {
        if (flush.id().isEmpty() && flush.domain().isEmpty()) {
            destinations.flush(present.nowMillis());
        }
        flushes.wish(flush, present.nowMillis());
        if (flush.id().isPresent()) {
            wish(flush.id().get(), OperatorRequest.FLUSH, ticket);
        } else {
            present.order(new QmgrOrder.MakeDue(Optional.empty(), flush.domain(), present.nowMillis()));
            completion.tickets().answer(ticket, Result.BEGUN);
        }
    }

    private void wish(QueueId id, OperatorRequest request, long ticket) {
        if (changesNothing(id, request)) {
            completion.tickets().answer(ticket, Result.UNCHANGED);
            return;
        }
        completion.tickets().open(id, ticket);
        if (pendingArrivals.knows(id)) {
            pendingArrivals.leave(id);
        }
        Optional<Activation> message = active.find(id);
        if (message.isPresent()) {
            inside(message.get(), request);
        } else if (completion.pendingFilings().knows(id)) {
            completion.pendingFilings().wish(id, request);
        } else {
            completion.fulfil(id, request);
        }
    }

    private boolean changesNothing(QueueId id, OperatorRequest request) {
        return switch (request) {
            case FLUSH -> pendingArrivals.knows(id) || active.knows(id);
            case RELEASE -> active.find(id).filter(message -> message.request != OperatorRequest.HOLD).isPresent();
            case HOLD, DELETE, NONE -> false;
        };
    }

    private void inside(Activation message, OperatorRequest request) {
        message.request = message.request.then(request);
        message.leftOpen |= !scheduler.withdraw(message.work).isEmpty();
        routing.withdraw(message);
        completion.settle(message);
    }
}
