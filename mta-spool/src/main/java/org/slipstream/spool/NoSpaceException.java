package org.slipstream.spool;

import java.io.IOException;

/// The spool's disk has less free space than the configured minimum, or a write failed for lack of
/// space. Temporary.
public final class NoSpaceException extends IOException {
    private static final long serialVersionUID = 1L;

    public NoSpaceException(String message) {
        super(message);
    }

    public NoSpaceException(String message, Throwable cause) {
        super(message, cause);
    }
}
