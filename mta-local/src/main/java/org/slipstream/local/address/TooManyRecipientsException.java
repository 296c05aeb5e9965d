package org.slipstream.local.address;

import java.io.IOException;

/// Alias expansion made an envelope larger than permitted; the reply is 452 (RFC 5321 section
/// 4.5.3.1.10).
public final class TooManyRecipientsException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyRecipientsException(int most) {
        super("more than " + most + " recipients after alias expansion");
    }
}
