package org.slipstream.spool;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/// Rows or a record could not be decoded. The message has been set aside and logged, and is not
/// deleted.
public final class DamagedException extends Exception {
    private static final long serialVersionUID = 1L;

    public DamagedException(String message) {
        super(message);
    }

    /// The reason why a content cannot be read, in words.
    public static String reason(IOException e) {
        return e instanceof NoSuchFileException ? "the file " + e.getMessage() + " is missing" : "" + e.getMessage();
    }
}
