package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.HostOrder;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.LimitOrder;
import org.slipstream.core.queue.StandingOrder;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.admit.PendingArrivals;
import org.slipstream.qmgr.admit.Routing;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.place.Seating;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settings.OrderedLimits;
import org.slipstream.qmgr.settle.Completion;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Executes operator commands: flush, hold, release, requeue, return, reroute, delete, priority, move.
/// Each command works in every state of the message.
///
/// A message may be active, in transfer to the spool, waiting for activation, or on disk only, and
/// this may change while the command is in transit. For an active message the order is noted:
/// waiting entries are withdrawn at once, running deliveries finish, then the message is filed as
/// ordered. During a transfer to the spool, the order waits for the spool's answer. Otherwise
/// it is an order to the spool. The command is answered when the queue index has the effect
/// ([org.slipstream.qmgr.settle.Tickets]).
///
/// A lasting instruction goes to the spool at once, in every state, so a crash does not lose it.
/// Then the message returns to the queue: its next activation follows the instruction.
final class Operators {
    private final StepContext step;
    private final Seating seating;
    private final ActiveSet active;
    private final PendingArrivals pendingArrivals;
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Routing routing;
    private final Completion completion;
    private final Probes probes;
    private final SuspendedMail suspendedMail;
    private final OrderedLimits limits;
    private final Runnable limitsChanged;

    /// Unanswered `Instruct` orders.
    private int instructing;

    Operators(StepContext step, Seating seating, ActiveSet active, PendingArrivals pendingArrivals, Scheduler scheduler,
            Destinations destinations, Routing routing, Completion completion, Probes probes,
            SuspendedMail suspendedMail, OrderedLimits limits, Runnable limitsChanged) {
        this.step = step;
        this.seating = seating;
        this.active = active;
        this.pendingArrivals = pendingArrivals;
        this.scheduler = scheduler;
        this.destinations = destinations;
        this.routing = routing;
        this.completion = completion;
        this.probes = probes;
        this.suspendedMail = suspendedMail;
        this.limits = limits;
        this.limitsChanged = limitsChanged;
    }

    void command(QmgrEvent.Operator operator) {
        if (completion.moves().keeps(operator)) {
            return;
        }
        long ticket = operator.ticket();
        switch (operator.command()) {
            case OperatorCommand.OfMessage(QueueId id, MessageOrder order) -> ordered(id, order, ticket);
            case OperatorCommand.OfHost(HostKey host, HostOrder order) -> completion.tickets().answer(ticket,
                    seating.order(host, order, step.nowMillis()) ? Result.FILED : Result.UNCHANGED);
            case OperatorCommand.FlushAll(Optional<String> domain) -> flush(domain, ticket);
            case OperatorCommand.Begin(StandingOrder order) -> {
                begin(order);
                completion.tickets().answer(ticket, Result.FILED);
            }
            case OperatorCommand.End(String kind, String name) ->
                completion.tickets().answer(ticket, ends(kind, name) ? Result.BEGUN : Result.UNCHANGED);
            case OperatorCommand.Verify(Address address) -> probes.verify(address, ticket);
        }
    }

    private void begin(StandingOrder order) {
        switch (order) {
            case Suspension suspension -> suspendedMail.suspend(suspension);
            case LimitOrder limit -> {
                limits.put(limit);
                limitsChanged.run();
            }
        }
    }

    private boolean ends(String kind, String name) {
        Optional<SuspensionScope> scope = SuspensionScope.ofKind(kind);
        if (scope.isPresent()) {
            return suspendedMail.resume(scope.get(), name);
        }
        boolean ended = kind.equals(LimitOrder.KIND) && limits.remove(name);
        if (ended) {
            limitsChanged.run();
        }
        return ended;
    }

    private void ordered(QueueId id, MessageOrder order, long ticket) {
        switch (order) {
            case MessageOrder.Priority(int value) -> {
                pendingArrivals.prioritise(id, value);
                instruct(id, order, ticket);
                return;
            }
            case MessageOrder.Flush _ -> routing.flushes().add(id, step.nowMillis());
            case MessageOrder.Release _ -> endHold(id);
            case MessageOrder.Requeue _ -> {
                routing.flushes().add(id, step.nowMillis());
                endHold(id);
            }
            case MessageOrder.Reroute _ -> {
                instruct(id, order, QmgrEvent.Operator.NO_TICKET);
                routing.flushes().add(id, step.nowMillis());
            }
            case MessageOrder.Hold _ -> instructUnlessDeleted(id, order);
            case MessageOrder.Bounce _,MessageOrder.Expire _ -> {
                // In this order: after a kill between the two records the message stays on hold.
                instructUnlessDeleted(id, order);
                endHold(id);
            }
            case MessageOrder.Delete _ -> delete(id);
            case MessageOrder.Move _ -> {
                // Only the request.
            }
        }
        request(id, order, ticket);
    }

    /// Suspensions of these hosts have ended.
    void resumed(Collection<HostKey> hosts) {
        hosts.forEach(suspendedMail::resumed);
    }

    // The hold of a message in delivery is on disk already. After a kill it would keep the message
    // from a later order.
    private void endHold(QueueId id) {
        if (applies(MessageOrder.Hold.class, id)) {
            instruct(id, new Instruction.Hold(Optional.empty()), QmgrEvent.Operator.NO_TICKET);
        }
    }

    // A deletion is final. On disk, this instruction would replace it or keep the message from it.
    private void instructUnlessDeleted(QueueId id, MessageOrder order) {
        if (!applies(MessageOrder.Delete.class, id)) {
            instruct(id, order, QmgrEvent.Operator.NO_TICKET);
        }
    }

    private boolean applies(Class<? extends MessageOrder> order, QueueId id) {
        return active.find(id).flatMap(Activation::order).filter(order::isInstance).isPresent();
    }

    // A message in delivery is removed when the delivery ends, or after a kill before that.
    private void delete(QueueId id) {
        if (active.contains(id)) {
            instruct(id, new Instruction.Return(Instruction.Cause.DELETED, ""), QmgrEvent.Operator.NO_TICKET);
            endHold(id);
        }
    }

    private void instruct(QueueId id, MessageOrder order, long ticket) {
        instruct(id, order.instruction(step.nowMillis()).orElseThrow(), ticket);
    }

    private void instruct(QueueId id, Instruction instruction, long ticket) {
        instructing++;
        step.order(new QmgrOrder.Instruct(id, instruction, ticket));
    }

    /// The instruction is on disk.
    void instructed(QmgrEvent.Instructed instructed) {
        if (instructing == 0) {
            throw new ImpossibleEventException("no instruction was given: " + instructed, instructed.id());
        }
        instructing--;
        completion.tickets().answer(instructed.ticket(), Result.FILED);
    }

    boolean isQuiet() {
        return instructing == 0;
    }

    // A flush of everything revives all dead destinations. A flush by name revives the destinations
    // of that mail only.
    private void flush(Optional<String> domain, long ticket) {
        domain.ifPresentOrElse(each -> routing.flushes().add(each, step.nowMillis()),
                () -> destinations.flush(step.nowMillis()));
        step.order(new QmgrOrder.MakeDue(Optional.empty(), domain, step.nowMillis()));
        domain.ifPresent(this::makeDueInMemory);
        completion.tickets().answer(ticket, Result.BEGUN);
    }

    // Deferrals that are being recorded: the order for the domain does not find them. Mail that was
    // attempted keeps its time, as with a flush by id.
    private void makeDueInMemory(String domain) {
        String key = domain.toLowerCase(Locale.ROOT);
        for (Activation message : active.now()) {
            if (!message.isAttempted() && message.deferred().stream()
                    .anyMatch(each -> each.recipient().address().domainKey().equals(key))) {
                message.resumesBy(step.nowMillis());
            }
        }
    }

    private void request(QueueId id, MessageOrder order, long ticket) {
        if (changesNothing(id, order)) {
            completion.tickets().answer(ticket, Result.UNCHANGED);
            return;
        }
        completion.tickets().open(id, order, ticket);
        boolean isDue = pendingArrivals.contains(id);
        pendingArrivals.leave(id);
        Optional<Activation> message = active.find(id);
        if (message.isPresent()) {
            inside(message.get(), order);
        } else if (completion.pendingFilings().contains(id)) {
            completion.pendingFilings().request(id, order);
        } else if (isDue && order instanceof MessageOrder.Move) {
            completion.moveOut(id, OptionalLong.of(step.nowMillis()));
        } else {
            completion.fulfil(id, order);
        }
    }

    /// Moves the messages whose moves waited for an answer.
    void movePostponed() {
        completion.moves().takePostponed()
                .forEach(id -> request(id, new MessageOrder.Move(), QmgrEvent.Operator.NO_TICKET));
    }

    void movedOut(QmgrEvent.MovedOut event) {
        completion.movedOut(event).forEach(this::command);
    }

    private boolean changesNothing(QueueId id, MessageOrder order) {
        return switch (order) {
            case MessageOrder.Flush _ -> pendingArrivals.contains(id) || active.contains(id);
            case MessageOrder.Release _ -> active.contains(id) && !applies(MessageOrder.Hold.class, id);
            default -> false;
        };
    }

    private void inside(Activation message, MessageOrder order) {
        message.order(order);
        if (!scheduler.withdraw(message.work).isEmpty()) {
            message.leaveOpen();
        }
        routing.withdraw(message);
        completion.settle(message);
    }
}
