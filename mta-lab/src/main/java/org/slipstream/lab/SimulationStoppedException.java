package org.slipstream.lab;

/// Something happened in a simulation that must not be, or that cannot happen in the present state.
/// The text has the time, the event, and the state of the queue manager.
public final class SimulationStoppedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SimulationStoppedException(String what) {
        super(what);
    }

    SimulationStoppedException(String what, Throwable cause) {
        super(what, cause);
    }
}
