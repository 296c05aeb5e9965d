package org.slipstream.spool.postgres;

import java.io.IOException;
import java.sql.SQLException;

/// The database does not answer, or refuses its user.
public final class UnreachableException extends IOException {
    private static final long serialVersionUID = 1L;

    UnreachableException(String place, SQLException why) {
        super("the database " + place + " of the messages cannot be used (" + LogDatabase.reason(why)
                + "): start it, or correct spool.database", why);
    }
}
