package org.slipstream.server.dispatch;

import org.slipstream.core.Address;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.queue.QueueFilter.State;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// Operators' commands on their way to the queue manager, and its answers. Each command has a
/// ticket that comes back with the answer. May be called by any thread.
public final class Commands {
    private final Consumer<QmgrEvent> inbox;
    private final AtomicLong tickets = new AtomicLong(QmgrEvent.Operator.NO_TICKET);
    private final Map<Long, Given> open = new ConcurrentHashMap<>();
    private final Map<Long, Consumer<QmgrOrder.Verified>> verifications = new ConcurrentHashMap<>();

    private record Given(OperatorCommand command, CompletableFuture<Result> answer) {}

    /// @param inbox of the queue manager; must not block
    Commands(Consumer<QmgrEvent> inbox) {
        this.inbox = inbox;
    }

    /// The answer may take long, because a delivery in progress is finished first. It never comes
    /// when the queue manager has stopped.
    public CompletableFuture<Result> give(OperatorCommand command) {
        CompletableFuture<Result> answer = new CompletableFuture<>();
        long ticket = tickets.incrementAndGet();
        open.put(ticket, new Given(command, answer));
        inbox.accept(new QmgrEvent.Operator(command, ticket));
        return answer;
    }

    /// Commands whose effect is not in the queue index yet.
    public int unanswered() {
        return open.size();
    }

    /// The messages that have an order which is not answered yet and gives them this state. The queue index does not
    /// know of it.
    public Set<QueueId> changingTo(State state) {
        Set<QueueId> ids = new HashSet<>();
        for (Given given : open.values()) {
            if (given.command() instanceof OperatorCommand.OfMessage(QueueId id, MessageOrder order)
                    && order.gives().filter(state::equals).isPresent()) {
                ids.add(id);
            }
        }
        return ids;
    }

    void verify(Address address, Consumer<QmgrOrder.Verified> answer) {
        long ticket = tickets.incrementAndGet();
        verifications.put(ticket, answer);
        inbox.accept(new QmgrEvent.Operator(new OperatorCommand.Verify(address), ticket));
    }

    void verified(QmgrOrder.Verified verified) {
        Objects.requireNonNull(verifications.remove(verified.ticket())).accept(verified);
    }

    void answered(QmgrOrder.Answered answered) {
        Objects.requireNonNull(open.remove(answered.ticket())).answer().complete(answered.result());
    }
}
