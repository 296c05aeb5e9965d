package org.slipstream.spool;

/// Rows or a record could not be decoded. The message has been set aside and logged, and is not
/// deleted.
public final class DamagedException extends Exception {
    private static final long serialVersionUID = 1L;

    public DamagedException(String message) {
        super(message);
    }
}
