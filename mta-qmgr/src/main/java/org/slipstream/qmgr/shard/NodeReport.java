package org.slipstream.qmgr.shard;

import java.util.List;

/// A message of a node to the broker of the cluster, sent each second and when there is something to say.
///
/// @param node the name of the node
/// @param start tells two processes of one name apart
/// @param epoch of the broker that is meant
/// @param session 0: the node asks for one
/// @param sentMillis by the node's own monotonic clock; the answer repeats it
/// @param frame empty when there is no session
public record NodeReport(String node, long start, long epoch, long session, long sentMillis, ItemFrame frame) {
    /// Items of a [NodeChannel].
    ///
    /// @param first number of the first item
    /// @param heard number of the last item that came from the other side
    public record ItemFrame(long first, long heard, List<NodeItem> items) {
        static final ItemFrame NONE = new ItemFrame(1, 0, List.of());

        public ItemFrame {
            items = List.copyOf(items);
        }
    }

    /// How long the grants of a node are good, for operators.
    ///
    /// @param millis 0: the node has none, and starts nothing
    public record GrantsLeft(long millis) {}

    /// The answer of the broker.
    ///
    /// @param session a new one for a node without; 0: the broker has no such session
    /// @param sentMillis from which a grant counts: that of the report, less the time since the broker
    ///     renewed its office
    public record BrokerReply(long epoch, long session, long sentMillis, ItemFrame frame) {}
}
