package org.slipstream.smtpout.wire;

import org.slipstream.core.FailureWords;

import java.io.IOException;

/// This machine has no socket for a connection. Nothing was sent to the host.
class NoSocketException extends IOException {
    private static final long serialVersionUID = 1L;

    NoSocketException(IOException reason) {
        super(FailureWords.of(reason), reason);
    }
}
