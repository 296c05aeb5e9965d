package org.slipstream.server.dispatch;

import org.slipstream.core.Instruction;
import org.slipstream.core.Instructions;
import org.slipstream.core.Route;
import org.slipstream.core.RouteText;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The words for instructions of operators, in the log and in `queue show`.
final class InstructionText {
    private InstructionText() {}

    static String kind(Instruction instruction) {
        return switch (instruction) {
            case Instruction.Return _ -> "return";
            case Instruction.Reroute _ -> "reroute";
            case Instruction.Priority _ -> "priority";
        };
    }

    static String value(Instruction instruction) {
        return switch (instruction) {
            case Instruction.Return(Instruction.Cause cause, String reason) ->
                cause.name().toLowerCase(Locale.ROOT) + (reason.isBlank() ? "" : ": " + reason);
            case Instruction.Reroute(Optional<Route> route) -> route.map(RouteText::of).orElse("default");
            case Instruction.Priority(int value) -> Integer.toString(value);
        };
    }

    /// A line for each instruction that is in force.
    static List<String> lines(Instructions inForce) {
        List<String> lines = new ArrayList<>();
        inForce.ending().ifPresent(each -> lines.add("return: " + value(each)));
        inForce.route().ifPresent(each -> lines.add("reroute: " + RouteText.of(each)));
        inForce.priority().ifPresent(each -> lines.add("priority: " + each));
        return lines;
    }
}
