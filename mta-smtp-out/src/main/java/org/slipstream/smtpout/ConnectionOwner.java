package org.slipstream.smtpout;

import org.slipstream.smtpout.wire.Wire;

/// The party for which a connection is opened.
@FunctionalInterface
interface ConnectionOwner {
    /// Shown each wire before it connects, so that it can be aborted. False when there is to be none.
    boolean adopt(Wire wire);

    /// Told each phase of the opening.
    default void doing(WirePhase phase) {}
}
