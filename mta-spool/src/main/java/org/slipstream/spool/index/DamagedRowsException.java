package org.slipstream.spool.index;

import org.slipstream.core.QueueId;

import java.io.IOException;

/// The rows of a message in the index contradict each other or cannot be decoded.
public final class DamagedRowsException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String message;

    public DamagedRowsException(QueueId id, String what) {
        message = "message " + id + " has damaged rows: " + what;
    }

    @Override
    public String getMessage() {
        return message;
    }
}
