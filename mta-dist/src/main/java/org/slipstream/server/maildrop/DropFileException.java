package org.slipstream.server.maildrop;

import java.io.IOException;

/// A file of the maildrop that cannot become a message, however often it is read.
final class DropFileException extends IOException {
    private static final long serialVersionUID = 1L;

    DropFileException(String reason) {
        super(reason);
    }
}
