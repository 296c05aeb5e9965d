package org.slipstream.qmgr.event;

import org.slipstream.core.QueueId;

import java.util.Optional;

/// An event that cannot occur in the current state, such as an answer to an order that was never
/// given. It was refused before it changed anything, so the queue manager can continue; in a
/// simulation it is a bug.
///
/// The exception names the affected active message, if there is one ([#about]); the caller puts it
/// on hold.
public final class ImpossibleEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Optional<QueueId> about;

    public ImpossibleEventException(String message) {
        this(message, Optional.empty());
    }

    public ImpossibleEventException(String message, QueueId about) {
        this(message, Optional.of(about));
    }

    public ImpossibleEventException(String message, Optional<QueueId> about) {
        super(message);
        this.about = about;
    }

    /// The affected active message, if there is one.
    public Optional<QueueId> about() {
        return about;
    }
}
