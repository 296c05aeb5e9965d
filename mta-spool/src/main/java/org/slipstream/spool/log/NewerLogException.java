package org.slipstream.spool.log;

import java.io.IOException;

/// A record has a correct checksum and a kind that this program does not know: a newer program
/// wrote it.
public final class NewerLogException extends IOException {
    private static final long serialVersionUID = 1L;

    public NewerLogException(String message) {
        super(message);
    }
}
