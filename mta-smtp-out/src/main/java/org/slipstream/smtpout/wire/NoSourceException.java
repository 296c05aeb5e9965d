package org.slipstream.smtpout.wire;

import java.io.IOException;

/// The source of a connection cannot be used: its address is not of this machine, or its proxy fails. The host
/// is not at fault.
final class NoSourceException extends NoSocketException {
    private static final long serialVersionUID = 1L;

    NoSourceException(IOException reason) {
        super(reason);
    }
}
