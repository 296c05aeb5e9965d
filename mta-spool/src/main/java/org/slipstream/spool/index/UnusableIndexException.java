package org.slipstream.spool.index;

/// The index cannot be opened.
public final class UnusableIndexException extends Exception {
    private static final long serialVersionUID = 1L;

    public enum Why {
        IN_USE, NOT_WRITABLE,
        /// Its file does not hold what was written: the index can be made again from the log.
        DAMAGED,
        /// It does not open, and the file is not known to be the cause.
        UNREADABLE
    }

    private final Why why;
    private final String message;

    public UnusableIndexException(Why why, String message) {
        this.why = why;
        this.message = message;
    }

    public UnusableIndexException(Why why, String message, Throwable cause) {
        super(cause);
        this.why = why;
        this.message = message;
    }

    @Override
    public String getMessage() {
        return message;
    }

    public Why why() {
        return why;
    }
}
