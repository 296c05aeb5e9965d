package org.slipstream.qmgr.shard;

import java.util.List;
import java.util.Optional;

/// A question or an order of one node for a shard that another node owns.
///
/// @param from the node that asks
/// @param question the name of a method
/// @param arguments its arguments as texts of JSON
/// @param by the operator who asked; empty without one, and from an earlier version
public record ShardCall(String from, int shard, String question, List<String> arguments, Optional<String> by) {
    public ShardCall {
        arguments = List.copyOf(arguments);
    }

    /// The answer.
    ///
    /// @param value as text of JSON; empty with a fault
    /// @param fault the sentence of the failure
    /// @param load of the shard; empty when it is not open
    /// @param notOnDisk true for the failure of an order that the disk does not take now; empty from an earlier version
    public record ShardCallAnswer(Optional<String> value, Optional<String> fault, Optional<ShardLoad> load,
            Optional<Boolean> notOnDisk) {}
}
