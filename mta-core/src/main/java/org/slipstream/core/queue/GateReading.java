package org.slipstream.core.queue;

/// The state of one gate for one message. A message is delivered when all gates are open.
///
/// @param phase the state in words with its figures; of a closed gate, the phase of a message for
/// which no earlier gate is closed. Its start is the first refusal after the last delivery that passed
public record GateReading(boolean closed, QueuePhase phase) {
    public static GateReading open(QueuePhase.Code code, String text) {
        return new GateReading(false, QueuePhase.of(code, text));
    }

    public static GateReading closed(QueuePhase.Code code, String text) {
        return new GateReading(true, QueuePhase.of(code, text));
    }
}
