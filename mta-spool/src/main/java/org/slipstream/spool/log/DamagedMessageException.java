package org.slipstream.spool.log;

import java.io.IOException;

/// The record or the file of a message does not have the bytes that were written: its checksum is
/// wrong.
public final class DamagedMessageException extends IOException {
    private static final long serialVersionUID = 1L;

    public DamagedMessageException(String message) {
        super(message);
    }
}
