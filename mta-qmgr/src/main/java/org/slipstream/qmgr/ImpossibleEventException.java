package org.slipstream.qmgr;

/// An event that cannot happen in the present state, such as an answer to an order that was never given. It was refused
/// before anything changed, so the queue manager can go on; in a simulation it is a bug to stop at.
public final class ImpossibleEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ImpossibleEventException(String message) {
        super(message);
    }
}
