package org.slipstream.core.queue;

import org.slipstream.core.Route;

import java.util.Optional;
import java.util.OptionalInt;

/// The instructions of an operator that are in force for one message.
///
/// @param ending the message is returned or removed at its next activation
/// @param route open recipients go there, whatever their domain
/// @param priority in place of the sender's; the summary's options have it already
/// @param hold who holds the message, when and why
public record Instructions(Optional<Instruction.Return> ending, Optional<Route> route,
        OptionalInt priority, Optional<Instruction.HoldNote> hold) {
    public static final Instructions NONE = new Instructions(Optional.empty(), Optional.empty(),
            OptionalInt.empty(), Optional.empty());

    public boolean isDeleted() {
        return ending.filter(how -> how.cause() == Instruction.Cause.DELETED).isPresent();
    }

    /// With one more instruction, which replaces an earlier one of its kind.
    public Instructions with(Instruction instruction) {
        return switch (instruction) {
            case Instruction.Return each -> new Instructions(Optional.of(each), route, priority, hold);
            case Instruction.Reroute(Optional<Route> other) -> new Instructions(ending, other, priority, hold);
            case Instruction.Priority(int value) -> new Instructions(ending, route, OptionalInt.of(value), hold);
            case Instruction.Hold(Optional<Instruction.HoldNote> note) ->
                new Instructions(ending, route, priority, note);
        };
    }
}
