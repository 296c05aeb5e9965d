package org.slipstream.spool;

/// The spool cannot be opened. The message is one sentence with the remedy.
public final class SpoolException extends Exception {
    private static final long serialVersionUID = 1L;

    /// The cause, for the exit code.
    public enum Reason {
        /// Another process has it.
        IN_USE,
        /// Written by a newer Slipstream.
        NEWER_VERSION,
        /// The folder cannot be made, read or written.
        NOT_WRITABLE,
        /// Its disk has no space for what a start writes.
        NO_SPACE,
        /// The index cannot be read.
        DAMAGED
    }

    private final Reason reason;

    public SpoolException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public SpoolException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
