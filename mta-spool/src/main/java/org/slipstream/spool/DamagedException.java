package org.slipstream.spool;

/// A record made no sense. It has been set aside, logged, and is not deleted.
public final class DamagedException extends Exception {
    private static final long serialVersionUID = 1L;

    public DamagedException(String message) {
        super(message);
    }
}
