package org.slipstream.local.maildrop;

import java.io.IOException;

/// A file of the maildrop that cannot become a message, however often it is read.
public final class DropFileException extends IOException {
    private static final long serialVersionUID = 1L;

    public DropFileException(String reason) {
        super(reason);
    }
}
