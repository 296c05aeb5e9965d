package org.slipstream.smtpout;

import org.slipstream.smtpout.wire.Wire;

/// The owner of a connection that is being opened.
@FunctionalInterface
interface ConnectionOwner {
    /// Receives each wire before it connects, so that it can be aborted. False to give up.
    boolean adopt(Wire wire);

    /// Receives each phase of the opening.
    default void phaseChanged(WirePhase phase) {}
}
