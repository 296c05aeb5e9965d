package org.slipstream.spool.index;

import org.slipstream.core.QueueId;

import java.io.IOException;

/// The rows of a message do not make a message.
public final class DamagedRowsException extends IOException {
    private static final long serialVersionUID = 1L;

    public DamagedRowsException(QueueId id, String what) {
        super("message " + id + " has damaged rows: " + what);
    }
}
