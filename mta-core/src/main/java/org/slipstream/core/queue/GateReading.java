package org.slipstream.core.queue;

import java.util.Objects;
import java.util.OptionalLong;

/// The state of one gate for one message. A message is delivered when all gates are open.
///
/// @param code the reason to wait when the gate is closed
/// @param text the state in words
/// @param sinceMillis when the gate refused first after the last delivery that passed it, if known
public record GateReading(QueuePhase.Code code, GateState state, String text, OptionalLong sinceMillis) {
    public GateReading {
        Objects.requireNonNull(text);
    }

    /// The state of a gate.
    public enum GateState {
        OPEN, CLOSED,
        /// An earlier gate is closed, so this one was not asked.
        NOT_ASKED
    }

    /// The reading of a gate that was asked.
    public static GateReading of(QueuePhase.Code code, boolean closed, String text) {
        return new GateReading(code, closed ? GateState.CLOSED : GateState.OPEN, text, OptionalLong.empty());
    }

    public GateReading withText(String words) {
        return new GateReading(code, state, words, sinceMillis);
    }

    public GateReading since(OptionalLong millis) {
        return new GateReading(code, state, text, millis);
    }
}
