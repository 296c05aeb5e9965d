package org.slipstream.spool.index;

import java.io.IOException;
import java.sql.SQLException;

/// The index could not be read or written. A local failure: it passes, or an operator has to act.
public final class IndexException extends IOException {
    private static final long serialVersionUID = 1L;

    private final boolean aboutData;

    public IndexException(String message, SQLException cause) {
        // H2 adds the statement in a second line; a log entry has one line.
        super(message + ": " + String.valueOf(cause.getMessage()).lines().findFirst().orElse(""), cause);
        // SQLSTATE classes 22 (data exception) and 23 (integrity constraint): the statement's
        // values are the cause.
        String state = cause.getSQLState();
        aboutData = state != null && (state.startsWith("22") || state.startsWith("23"));
    }

    /// True when the same change will fail again and other changes will not.
    public boolean aboutData() {
        return aboutData;
    }
}
