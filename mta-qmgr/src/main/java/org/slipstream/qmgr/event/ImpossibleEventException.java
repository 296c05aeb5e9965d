package org.slipstream.qmgr.event;

import org.slipstream.core.QueueId;

import java.util.Optional;

/// An event that cannot happen in the present state, such as an answer to an order that was never given. It was refused
/// before anything changed, so the queue manager can go on; in a simulation it is a bug to stop at.
///
/// Whatever sent it has another idea of things than the queue manager. Where an active message is concerned it is named
/// ([#about]), and whoever runs the queue manager sets it aside.
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

    /// The active message that is concerned, if there is one.
    public Optional<QueueId> about() {
        return about;
    }
}
