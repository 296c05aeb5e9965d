package org.slipstream.server.dispatch;

import org.slipstream.core.Address;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.event.QmgrOrder.Result;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// Operators' commands on their way to the queue manager, and its answers. Each command has a
/// ticket that comes back with the answer. May be called by any thread.
public final class Commands {
    private final Consumer<QmgrEvent> inbox;
    private final AtomicLong tickets = new AtomicLong(QmgrEvent.Operator.NO_TICKET);
    private final Map<Long, CompletableFuture<Result>> open = new ConcurrentHashMap<>();

    private final Map<Long, Consumer<QmgrOrder.Verified>> verifications = new ConcurrentHashMap<>();

    /// @param inbox of the queue manager; must not block
    Commands(Consumer<QmgrEvent> inbox) {
        this.inbox = inbox;
    }

    /// The answer may take long, because a delivery in progress is finished first. It never comes
    /// when the queue manager has stopped.
    public CompletableFuture<Result> give(OperatorCommand command) {
        CompletableFuture<Result> answer = new CompletableFuture<>();
        long ticket = tickets.incrementAndGet();
        open.put(ticket, answer);
        inbox.accept(new QmgrEvent.Operator(command, ticket));
        return answer;
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
        Objects.requireNonNull(open.remove(answered.ticket())).complete(answered.result());
    }
}
