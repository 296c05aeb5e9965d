package org.slipstream.core;

import java.util.Objects;

/// The state of one gate for one message. A message is delivered when all gates are open.
///
/// @param code the reason to wait when the gate is closed
/// @param text the state in words
public record GateReading(QueuePhase.Code code, GateState state, String text) {
    public GateReading {
        Objects.requireNonNull(text);
    }

    /// The state of a gate.
    public enum GateState {
        OPEN, CLOSED,
        /// An earlier gate is closed, so this one was not asked.
        NOT_ASKED
    }

    public static GateReading open(QueuePhase.Code code, String text) {
        return new GateReading(code, GateState.OPEN, text);
    }

    public static GateReading closed(QueuePhase.Code code, String text) {
        return new GateReading(code, GateState.CLOSED, text);
    }

    public static GateReading notAsked(QueuePhase.Code code) {
        return new GateReading(code, GateState.NOT_ASKED, "not asked");
    }
}
