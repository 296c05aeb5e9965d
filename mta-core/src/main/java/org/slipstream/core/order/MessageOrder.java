package org.slipstream.core.order;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.Route;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.QueueFilter.State;

import java.util.Optional;

/// An order for single messages of the queue, or for all that match a filter. Each works in every state of a message.
///
/// A lasting order is an [Instruction] on disk before it has an effect, so a kill does not forget it.
public sealed interface MessageOrder {
    @Verb(value = "flush", right = Right.OPERATE, does = "Tries mail now instead of at its next attempt.",
            more = "Without ID and options, all mail. Mail on hold is not tried.", did = "flushed",
            examples = {"queue flush", "queue flush 1p4q0c8k2v0", "queue flush --domain example.org",
                    "queue flush --sender 'boss@*'"})
    record Flush() implements MessageOrder {}

    @Verb(value = "hold", right = Right.OPERATE,
            does = "Puts messages on hold: they are not delivered until they are released.", did = "held",
            examples = {"queue hold 1p4q0c8k2v0",
                    "queue hold --domain example.org --reason 'until they have answered'"})
    record Hold(@Argument(Argument.WHY) String reason,
            @Argument(value = Argument.AUTHOR, label = "NAME") String author)
            implements
                MessageOrder {}

    @Verb(value = "release", right = Right.OPERATE, does = "Releases messages from hold.", did = "released",
            examples = {"queue release 1p4q0c8k2v0", "queue release --domain example.org"})
    record Release() implements MessageOrder {}

    @Verb(value = "requeue", right = Right.OPERATE, does = "Routes messages again from scratch and tries them now.",
            more = "Their route, lease and choice of hosts are forgotten, and a hold ends. The count of attempts stays."
                    + " A delivery under way is finished first.",
            did = "requeued", examples = {"queue requeue 1p4q0c8k2v0", "queue requeue --domain example.org"})
    record Requeue() implements MessageOrder {}

    /// @param to one fixed next hop; empty: the routing table again
    @Verb(value = "reroute", right = Right.ADMINISTRATE,
            does = "Sends messages to another next hop until they are delivered.",
            more = "All open recipients of these messages go there, whatever their domain, also after a restart. A"
                    + " delivery under way is finished first. TLS and login are those of the route to the same host in"
                    + " [routes].",
            did = "rerouted",
            examples = {"queue reroute --to relay.example.net 1p4q0c8k2v0",
                    "queue reroute --to smtp:[192.0.2.25]:2525 --domain example.org --dry-run",
                    "queue reroute --to default --domain example.org"})
    record Reroute(@Argument(value = "HOST[:PORT], smtp:HOST[:PORT], lmtp:HOST:PORT, lmtp:unix:/PATH, discard; default:"
            + " the routing table again", label = "NEXTHOP", required = true) Optional<Route> to)
            implements
                MessageOrder {}

    @Verb(value = "priority", right = Right.OPERATE, does = "Changes the priority of messages.",
            more = "The priority decides between messages of the same moment, and is passed on to hosts with MT-PRIORITY"
                    + " (RFC 6710). A negative number needs -- in front: priority --domain example.org -- -4.",
            did = "given priority %s",
            examples = {"queue priority 4 1p4q0c8k2v0", "queue priority 4 --sender 'boss@*'"})
    record Priority(@Argument(value = "a number from -9 to 9", label = "PRIORITY", required = true, positional = true,
            min = DeliveryOptions.LOWEST_PRIORITY, max = DeliveryOptions.HIGHEST_PRIORITY) int value)
            implements
                MessageOrder {}

    @Verb(value = "bounce", right = Right.ADMINISTRATE, does = "Returns messages to their senders now.",
            more = "The report says that the administrator cancelled the delivery. A delivery under way is finished"
                    + " first, and recipients that it reached are not reported. A hold ends.",
            did = "bounced", ofAll = "returns the whole queue to its senders",
            examples = {"queue bounce 1p4q0c8k2v0",
                    "queue bounce --domain exmaple.org --reason 'no such domain' --dry-run"})
    record Bounce(@Argument("a sentence for the report to the sender") String reason) implements MessageOrder {}

    @Verb(value = "expire", right = Right.ADMINISTRATE,
            does = "Returns messages to their senders as if their lifetime had passed.",
            more = "The report says that the message expired, with the last reply. There is no further attempt; a"
                    + " delivery under way is finished first. A hold ends.",
            did = "expired", ofAll = "returns the whole queue to its senders",
            examples = {"queue expire 1p4q0c8k2v0", "queue expire --domain example.org --older-than 2d"})
    record Expire() implements MessageOrder {}

    @Verb(value = "delete", right = Right.ADMINISTRATE, does = "Deletes messages without a report to their senders.",
            more = "With several options, messages that match all of them. A message is deleted for all of its"
                    + " recipients.",
            did = "deleted", ofAll = "deletes the whole queue",
            examples = {"queue delete 1p4q0c8k2v0", "queue delete --sender 'news@*' --older-than 2h --dry-run",
                    "queue delete --all --yes"})
    record Delete() implements MessageOrder {}

    /// Moves the message to another shard. The server orders it, not an operator.
    record Move() implements MessageOrder {}

    /// The lasting part of the order; empty when it has its whole effect at once.
    default Optional<Instruction> instruction(long nowMillis) {
        return switch (this) {
            case Hold(String reason, String author) ->
                Optional.of(new Instruction.Hold(Optional.of(new Instruction.HoldNote(author, nowMillis, reason))));
            case Reroute(Optional<Route> to) -> Optional.of(new Instruction.Reroute(to));
            case Priority(int value) -> Optional.of(new Instruction.Priority(value));
            case Bounce(String reason) -> Optional.of(new Instruction.Return(Instruction.Cause.CANCELLED, reason));
            case Expire _ -> Optional.of(new Instruction.Return(Instruction.Cause.EXPIRED, ""));
            case Flush _,Release _,Requeue _,Delete _,Move _ -> Optional.empty();
        };
    }

    /// Of two orders for a message in progress, the one that applies: the later one, unless the earlier one is
    /// stronger. Every order replaces a move, a flush replaces nothing else, and a deletion is final.
    default MessageOrder then(MessageOrder later) {
        return later.strength() >= strength() ? later : this;
    }

    private int strength() {
        return switch (this) {
            case Move _ -> 0;
            case Flush _,Priority _ -> 1;
            case Reroute _ -> 2;
            case Release _,Requeue _,Hold _,Bounce _,Expire _ -> 3;
            case Delete _ -> 4;
        };
    }

    /// The state of a message after the order, where another order asks for it ([#concerns]).
    default Optional<State> gives() {
        return switch (this) {
            case Hold _ -> Optional.of(State.HELD);
            case Release _,Requeue _ -> Optional.of(State.DEFERRED);
            case Flush _,Reroute _,Priority _,Bounce _,Expire _,Delete _,Move _ -> Optional.empty();
        };
    }

    /// The state of the messages that the order changes, as far as the index of the queue tells it; empty for all.
    default Optional<State> concerns() {
        return switch (this) {
            // The index does not distinguish deferred and active.
            case Hold _ -> Optional.of(State.DEFERRED);
            case Release _ -> Optional.of(State.HELD);
            case Flush _,Requeue _,Reroute _,Priority _,Bounce _,Expire _,Delete _,Move _ -> Optional.empty();
        };
    }
}
