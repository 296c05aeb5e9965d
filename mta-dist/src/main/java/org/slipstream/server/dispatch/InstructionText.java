package org.slipstream.server.dispatch;

import org.slipstream.core.Route;
import org.slipstream.core.RouteText;
import org.slipstream.core.queue.Instruction;
import org.slipstream.core.queue.Instructions;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// The words for instructions of operators, in the log and in `queue show`.
public final class InstructionText {
    private InstructionText() {}

    static String kind(Instruction instruction) {
        return switch (instruction) {
            case Instruction.Return(Instruction.Cause cause, String _) ->
                cause == Instruction.Cause.DELETED ? "delete" : "return";
            case Instruction.Reroute _ -> "reroute";
            case Instruction.Priority _ -> "priority";
            case Instruction.Hold _ -> "hold";
        };
    }

    static String value(Instruction instruction) {
        return switch (instruction) {
            case Instruction.Return(Instruction.Cause cause, String reason) ->
                cause.name().toLowerCase(Locale.ROOT) + (reason.isBlank() ? "" : ": " + reason);
            case Instruction.Reroute(Optional<Route> route) -> route.map(RouteText::of).orElse("default");
            case Instruction.Priority(int value) -> Integer.toString(value);
            case Instruction.Hold(Optional<Instruction.HoldNote> note) ->
                note.map(InstructionText::hold).orElse("ended");
        };
    }

    /// The author, the time and the reason of a hold.
    public static String hold(Instruction.HoldNote by) {
        return (by.author().isBlank() ? "an operator" : by.author()) + " has held it since "
                + Instant.ofEpochMilli(by.atMillis()).truncatedTo(ChronoUnit.SECONDS)
                + (by.reason().isBlank() ? "" : ": " + by.reason());
    }

    /// A line for each instruction that is in force.
    public static List<String> lines(Instructions inForce) {
        List<String> lines = new ArrayList<>();
        inForce.ending().ifPresent(each -> lines.add(kind(each) + ": " + value(each)));
        inForce.route().ifPresent(each -> lines.add("reroute: " + RouteText.of(each)));
        inForce.priority().ifPresent(each -> lines.add("priority: " + each));
        inForce.hold().ifPresent(each -> lines.add("hold: " + hold(each)));
        return lines;
    }
}
