package org.slipstream.spool.log;

import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.RouteText;
import org.slipstream.core.queue.Instruction;

import java.nio.ByteBuffer;
import java.util.Optional;

/// Encodes the instructions of operators, for [RecordCodec] and the index.
public final class InstructionCodec {
    static final int RETURNED = 10;
    static final int REROUTED = 11;
    static final int PRIORITY = 12;
    static final int HELD = 13;

    private InstructionCodec() {}

    static void encode(ByteOutput out, QueueId id, Instruction instruction) {
        switch (instruction) {
            case Instruction.Return(Instruction.Cause cause, String reason) -> {
                RecordCodec.begin(out, RETURNED, id).octet(code(cause));
                out.text(reason);
            }
            case Instruction.Reroute(Optional<Route> route) ->
                RecordCodec.begin(out, REROUTED, id).text(route.map(RouteText::of).orElse(""));
            case Instruction.Priority(int value) ->
                RecordCodec.begin(out, PRIORITY, id).octet(value - DeliveryOptions.LOWEST_PRIORITY);
            case Instruction.Hold(Optional<Instruction.HoldNote> note) -> {
                RecordCodec.begin(out, HELD, id).octet(note.isPresent() ? 1 : 0);
                note.ifPresent(by -> {
                    out.text(by.author());
                    out.eightBytes(by.atMillis());
                    out.text(by.reason());
                });
            }
        }
    }

    static Instruction decode(int kind, ByteBuffer in) {
        return switch (kind) {
            case RETURNED -> new Instruction.Return(cause(in.get()), EnvelopeCodec.text(in));
            case REROUTED -> new Instruction.Reroute(route(EnvelopeCodec.text(in)));
            case PRIORITY -> new Instruction.Priority(in.get() + DeliveryOptions.LOWEST_PRIORITY);
            case HELD -> new Instruction.Hold(in.get() == 0
                    ? Optional.empty()
                    : Optional.of(
                            new Instruction.HoldNote(EnvelopeCodec.text(in), in.getLong(), EnvelopeCodec.text(in))));
            default -> throw new IllegalArgumentException("no instruction: " + kind);
        };
    }

    /// The number of a cause on disk.
    public static int code(Instruction.Cause cause) {
        return switch (cause) {
            case CANCELLED -> 1;
            case EXPIRED -> 2;
            case DELETED -> 3;
        };
    }

    public static Instruction.Cause cause(int code) {
        return switch (code) {
            case 1 -> Instruction.Cause.CANCELLED;
            case 2 -> Instruction.Cause.EXPIRED;
            case 3 -> Instruction.Cause.DELETED;
            default -> throw new IllegalArgumentException("no cause: " + code);
        };
    }

    /// @param text empty: no route of its own
    public static Optional<Route> route(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        Optional<Route> route = RouteText.parse(text);
        if (route.isEmpty()) {
            throw new IllegalArgumentException("no route: " + text);
        }
        return route;
    }
}
