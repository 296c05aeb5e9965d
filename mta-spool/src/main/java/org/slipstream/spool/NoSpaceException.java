package org.slipstream.spool;

import java.io.IOException;

/// The spool's disk has less room than the configured minimum, or a write failed for lack of it. Passes by itself.
public final class NoSpaceException extends IOException {
    private static final long serialVersionUID = 1L;

    public NoSpaceException(String message) {
        super(message);
    }

    public NoSpaceException(String message, Throwable cause) {
        super(message, cause);
    }
}
