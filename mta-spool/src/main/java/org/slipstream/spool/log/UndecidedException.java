package org.slipstream.spool.log;

import java.io.IOException;

/// A group has failed for those who waited for it, and the store may have it nevertheless.
public final class UndecidedException extends IOException {
    private static final long serialVersionUID = 1L;

    public UndecidedException(String message) {
        super(message);
    }

    public UndecidedException(IOException why) {
        super(why.getMessage(), why);
    }
}
