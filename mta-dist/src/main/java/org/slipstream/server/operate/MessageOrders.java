package org.slipstream.server.operate;

import org.slipstream.admin.operations.Operations.MessageOrder;
import org.slipstream.config.NextHopForm;
import org.slipstream.config.RouteTable;
import org.slipstream.config.RouteTarget;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Instruction;
import org.slipstream.qmgr.event.QmgrEvent.OperatorCommand;

import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Optional;

/// Translates orders of the API into commands for the queue manager, and refuses those with a wrong
/// argument.
///
/// @param ours the addresses of the listeners; mail that is rerouted there would loop
public record MessageOrders(Collection<InetSocketAddress> ours) {
    /// The text for the way back to the routing table.
    private static final String DEFAULT = "default";
    /// A reason is part of a reply line and of a report.
    private static final int LONGEST_REASON = 500;
    /// The next hop of discarded mail, for logs.
    private static final String REROUTED = "rerouted";

    /// Why the argument of this order is wrong; empty when it is not.
    Optional<String> refusal(MessageOrder order) {
        return switch (order.verb()) {
            case PRIORITY -> priority(order.argument()).isPresent()
                    ? Optional.empty()
                    : Optional.of("\"" + order.argument() + "\" is not a priority; use a number from "
                            + DeliveryOptions.LOWEST_PRIORITY + " to " + DeliveryOptions.HIGHEST_PRIORITY);
            case REROUTE -> isDefault(order) ? Optional.empty() : switch (NextHopForm.read(order.argument(), ours)) {
                case NextHopForm.NextHopRead.Found _ -> Optional.empty();
                case NextHopForm.NextHopRead.Wrong(String sentence) -> Optional.of(sentence);
            };
            case BOUNCE, HOLD -> Math.max(order.argument().length(), order.author().length()) <= LONGEST_REASON
                    ? Optional.empty()
                    : Optional.of("a reason and an author have at most " + LONGEST_REASON + " characters");
            case DELETE, RELEASE, FLUSH, REQUEUE, EXPIRE -> Optional.empty();
        };
    }

    /// @throws IllegalArgumentException when [#refusal] names a fault
    OperatorCommand command(MessageOrder order, QueueId id, long nowMillis) {
        return switch (order.verb()) {
            case DELETE -> new OperatorCommand.Delete(id);
            case HOLD -> new OperatorCommand.Instruct(id, new Instruction.Hold(Optional.of(
                    new Instruction.HoldNote(order.author(), nowMillis, order.argument()))));
            case RELEASE -> new OperatorCommand.Release(id);
            case FLUSH -> new OperatorCommand.Flush(Optional.of(id), Optional.empty());
            case REQUEUE -> new OperatorCommand.Requeue(id);
            case BOUNCE -> returned(id, Instruction.Cause.CANCELLED, order.argument());
            case EXPIRE -> returned(id, Instruction.Cause.EXPIRED, "");
            case REROUTE -> new OperatorCommand.Instruct(id, new Instruction.Reroute(route(order)));
            case PRIORITY -> new OperatorCommand.Instruct(id, new Instruction.Priority(priority(order.argument())
                    .orElseThrow(() -> new IllegalArgumentException("not a priority: " + order))));
        };
    }

    private static OperatorCommand returned(QueueId id, Instruction.Cause cause, String reason) {
        return new OperatorCommand.Instruct(id, new Instruction.Return(cause, reason));
    }

    private Optional<Route> route(MessageOrder order) {
        if (isDefault(order)) {
            return Optional.empty();
        }
        return switch (NextHopForm.read(order.argument(), ours)) {
            case NextHopForm.NextHopRead.Found(RouteTarget target) -> Optional.of(route(target));
            case NextHopForm.NextHopRead.Wrong(String sentence) -> throw new IllegalArgumentException(sentence);
        };
    }

    private static Route route(RouteTarget target) {
        return switch (target) {
            case RouteTarget.Fixed fixed -> RouteTable.fixed(fixed.host());
            case RouteTarget.Lmtp(String endpoint) -> new Route.Lmtp(endpoint);
            case RouteTarget.Discard _ -> new Route.Discard(REROUTED);
            case RouteTarget.Mx _ -> throw new IllegalArgumentException("not a fixed next hop");
        };
    }

    private static boolean isDefault(MessageOrder order) {
        return order.argument().strip().equalsIgnoreCase(DEFAULT);
    }

    private static Optional<Integer> priority(String text) {
        try {
            return Optional.of(Integer.parseInt(text.strip())).filter(value -> value >= DeliveryOptions.LOWEST_PRIORITY
                    && value <= DeliveryOptions.HIGHEST_PRIORITY);
        } catch (NumberFormatException noNumber) {
            return Optional.empty();
        }
    }
}
