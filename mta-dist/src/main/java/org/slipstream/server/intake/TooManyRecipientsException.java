package org.slipstream.server.intake;

import java.io.IOException;

/// Aliases have made an envelope larger than is permitted; answered by 452 (RFC 5321 section 4.5.3.1.10).
final class TooManyRecipientsException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyRecipientsException(int most) {
        super("more than " + most + " recipients after aliases");
    }
}
