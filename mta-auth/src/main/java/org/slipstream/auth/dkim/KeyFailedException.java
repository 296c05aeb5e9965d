package org.slipstream.auth.dkim;

import org.slipstream.core.FailureWords;

import java.io.IOException;

/// A key cannot sign, which is no fault of the message and of its place on disk.
public final class KeyFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    public KeyFailedException(Throwable cause) {
        super("the message cannot be signed: " + FailureWords.of(cause), cause);
    }
}
