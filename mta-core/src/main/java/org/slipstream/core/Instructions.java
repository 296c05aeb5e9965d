package org.slipstream.core;

import java.util.Optional;
import java.util.OptionalInt;

/// The instructions of an operator that are in force for one message.
///
/// @param ending the message is returned at its next activation
/// @param route open recipients go there, whatever their domain
/// @param priority in place of the sender's; the summary's options have it already
public record Instructions(Optional<Instruction.Return> ending, Optional<Route> route,
        OptionalInt priority) {
    public static final Instructions NONE = new Instructions(Optional.empty(), Optional.empty(),
            OptionalInt.empty());

    /// With one more instruction, which replaces an earlier one of its kind.
    public Instructions with(Instruction instruction) {
        return switch (instruction) {
            case Instruction.Return each -> new Instructions(Optional.of(each), route, priority);
            case Instruction.Reroute(Optional<Route> other) -> new Instructions(ending, other, priority);
            case Instruction.Priority(int value) -> new Instructions(ending, route, OptionalInt.of(value));
        };
    }
}
