package org.slipstream.lab;

/// A simulation was stopped because an invariant was violated or an impossible event occurred. The
/// message has the time, the event, and the state of the queue manager.
public final class SimulationStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SimulationStoppedException(String what) {
        super(what);
    }

    SimulationStoppedException(String what, Throwable cause) {
        super(what, cause);
    }
}
