package org.slipstream.spool.log;

import java.io.IOException;

/// Another owner has claimed the log since. Nothing was written.
public final class NotOwnerException extends IOException {
    private static final long serialVersionUID = 1L;

    public NotOwnerException(long epoch, long owner) {
        super("the message log has another owner since (epoch " + owner + ", this one had " + epoch + ")");
    }
}
