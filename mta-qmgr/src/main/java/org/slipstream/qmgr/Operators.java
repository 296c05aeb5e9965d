package org.slipstream.qmgr;

import org.slipstream.core.Address;
import org.slipstream.core.HostKey;
import org.slipstream.core.QueueId;
import org.slipstream.core.queue.Instruction;
import org.slipstream.qmgr.dest.Destinations;
import org.slipstream.qmgr.event.ImpossibleEventException;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;
import org.slipstream.qmgr.message.Activation;
import org.slipstream.qmgr.message.ActiveSet;
import org.slipstream.qmgr.message.OperatorRequest;
import org.slipstream.qmgr.message.StepContext;
import org.slipstream.qmgr.sched.Scheduler;
import org.slipstream.qmgr.settle.Completion;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/// Executes operator commands: flush, hold, release, requeue, return, reroute, delete, priority, move.
/// Each command works in every state of the message.
///
/// A message may be active, in transfer to the spool, waiting for activation, or on disk only, and
/// this may change while the command is in transit. For an active message the request is recorded:
/// waiting entries are withdrawn at once, running deliveries finish, then the message is filed as
/// requested. During a transfer to the spool, the request waits for the spool's answer. Otherwise
/// it is an order to the spool. The command is answered when the queue index has the effect
/// ([org.slipstream.qmgr.settle.Tickets]).
///
/// A lasting instruction goes to the spool at once, in every state, so a crash does not lose it.
/// Then the message returns to the queue: its next activation follows the instruction.
final class Operators {
    private final StepContext step;
    private final ActiveSet active;
    private final PendingArrivals pendingArrivals;
    private final Scheduler scheduler;
    private final Destinations destinations;
    private final Routing routing;
    private final Flushes flushes;
    private final Completion completion;
    private final Probes probes;
    private final SuspendedMail suspendedMail;

    /// Unanswered `Instruct` orders.
    private int instructing;

    Operators(StepContext step, ActiveSet active, PendingArrivals pendingArrivals, Scheduler scheduler,
            Destinations destinations,
            Routing routing, Flushes flushes, Completion completion, Probes probes,
            SuspendedMail suspendedMail) {
        this.step = step;
        this.active = active;
        this.pendingArrivals = pendingArrivals;
        this.scheduler = scheduler;
        this.destinations = destinations;
        this.routing = routing;
        this.flushes = flushes;
        this.completion = completion;
        this.probes = probes;
        this.suspendedMail = suspendedMail;
    }

    void command(QmgrEvent.Operator operator) {
        if (completion.moves().keeps(operator)) {
            return;
        }
        long ticket = operator.ticket();
        switch (operator.command()) {
            case OperatorCommand.Flush flush -> flush(flush, ticket);
            case OperatorCommand.Release(QueueId id) -> {
                endHold(id);
                request(id, OperatorRequest.RELEASE, ticket);
            }
            case OperatorCommand.Requeue(QueueId id) -> {
                flushes.add(id, step.nowMillis());
                endHold(id);
                request(id, OperatorRequest.REQUEUE, ticket);
            }
            case OperatorCommand.Instruct(QueueId id, Instruction instruction) -> instruct(id, instruction, ticket);
            case OperatorCommand.Delete(QueueId id) -> delete(id, ticket);
            case OperatorCommand.Move(QueueId id) -> request(id, OperatorRequest.MOVE, ticket);
            case OperatorCommand.Suspend suspend -> suspendedMail.suspend(suspend, ticket);
            case OperatorCommand.Resume resume -> suspendedMail.resume(resume, ticket);
            case OperatorCommand.Verify(Address address) -> probes.verify(address, ticket);
        }
    }

    /// Suspensions of these hosts have ended.
    void resumed(Collection<HostKey> hosts) {
        hosts.forEach(suspendedMail::resumed);
    }

    private void instruct(QueueId id, Instruction instruction, long ticket) {
        switch (instruction) {
            case Instruction.Return _ -> {
                // In this order: after a kill between the two records the message stays on hold.
                orderUnlessDeleted(id, instruction);
                endHold(id);
                request(id, OperatorRequest.RETURN, ticket);
            }
            case Instruction.Reroute _ -> {
                order(id, instruction, QmgrEvent.Operator.NO_TICKET);
                flushes.add(id, step.nowMillis());
                request(id, OperatorRequest.REROUTE, ticket);
            }
            case Instruction.Priority(int value) -> {
                pendingArrivals.prioritise(id, value);
                order(id, instruction, ticket);
            }
            case Instruction.Hold _ -> {
                orderUnlessDeleted(id, instruction);
                request(id, OperatorRequest.HOLD, ticket);
            }
        }
    }

    // The hold of a message in delivery is on disk already. After a kill it would keep the message
    // from a later order.
    private void endHold(QueueId id) {
        if (isRequested(id, OperatorRequest.HOLD)) {
            order(id, new Instruction.Hold(Optional.empty()), QmgrEvent.Operator.NO_TICKET);
        }
    }

    // A deletion is final. On disk, this instruction would replace it or keep the message from it.
    private void orderUnlessDeleted(QueueId id, Instruction instruction) {
        if (!isRequested(id, OperatorRequest.DELETE)) {
            order(id, instruction, QmgrEvent.Operator.NO_TICKET);
        }
    }

    private boolean isRequested(QueueId id, OperatorRequest request) {
        return active.find(id).filter(message -> message.request == request).isPresent();
    }

    // A message in delivery is removed when the delivery ends, or after a kill before that.
    private void delete(QueueId id, long ticket) {
        if (active.contains(id)) {
            order(id, new Instruction.Return(Instruction.Cause.DELETED, ""), QmgrEvent.Operator.NO_TICKET);
            endHold(id);
        }
        request(id, OperatorRequest.DELETE, ticket);
    }

    private void order(QueueId id, Instruction instruction, long ticket) {
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
    private void flush(OperatorCommand.Flush flush, long ticket) {
        if (flush.id().isEmpty() && flush.domain().isEmpty()) {
            destinations.flush(step.nowMillis());
        }
        flushes.add(flush, step.nowMillis());
        if (flush.id().isPresent()) {
            request(flush.id().get(), OperatorRequest.FLUSH, ticket);
        } else {
            step.order(new QmgrOrder.MakeDue(Optional.empty(), flush.domain(), step.nowMillis()));
            flush.domain().ifPresent(this::makeDueInMemory);
            completion.tickets().answer(ticket, Result.BEGUN);
        }
    }

    // Deferrals that are being recorded: the order for the domain does not find them. Mail that was
    // attempted keeps its time, as with a flush by id.
    private void makeDueInMemory(String domain) {
        String key = domain.toLowerCase(Locale.ROOT);
        for (Activation message : active.now()) {
            if (!message.attempted && message.deferred().stream()
                    .anyMatch(each -> each.recipient().address().domainKey().equals(key))) {
                message.resumesMillis = step.nowMillis();
            }
        }
    }

    private void request(QueueId id, OperatorRequest request, long ticket) {
        if (changesNothing(id, request)) {
            completion.tickets().answer(ticket, Result.UNCHANGED);
            return;
        }
        completion.tickets().open(id, request, ticket);
        boolean isDue = pendingArrivals.contains(id);
        pendingArrivals.leave(id);
        Optional<Activation> message = active.find(id);
        if (message.isPresent()) {
            inside(message.get(), request);
        } else if (completion.pendingFilings().contains(id)) {
            completion.pendingFilings().request(id, request);
        } else if (isDue && request == OperatorRequest.MOVE) {
            completion.moveOut(id, OptionalLong.of(step.nowMillis()));
        } else {
            completion.fulfil(id, request);
        }
    }

    /// Moves the messages whose moves waited for an answer.
    void movePostponed() {
        completion.moves().takePostponed()
                .forEach(id -> request(id, OperatorRequest.MOVE, QmgrEvent.Operator.NO_TICKET));
    }

    void movedOut(QmgrEvent.MovedOut event) {
        completion.movedOut(event).forEach(this::command);
    }

    private boolean changesNothing(QueueId id, OperatorRequest request) {
        return switch (request) {
            case FLUSH -> pendingArrivals.contains(id) || active.contains(id);
            case RELEASE -> active.find(id).filter(message -> message.request != OperatorRequest.HOLD).isPresent();
            case HOLD, REQUEUE, REROUTE, RETURN, DELETE, MOVE, NONE -> false;
        };
    }

    private void inside(Activation message, OperatorRequest request) {
        message.request = message.request.then(request);
        message.leftOpen |= !scheduler.withdraw(message.work).isEmpty();
        routing.withdraw(message);
        completion.settle(message);
    }
}
