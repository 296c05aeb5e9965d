package org.slipstream.spool.register;

/// The register cannot be opened.
public final class UnusableRegisterException extends Exception {
    private static final long serialVersionUID = 1L;

    public enum Why {
        IN_USE, NEWER_VERSION, NOT_WRITABLE, DAMAGED
    }

    private final Why why;

    public UnusableRegisterException(Why why, String message, Throwable cause) {
        super(message, cause);
        this.why = why;
    }

    public Why why() {
        return why;
    }
}
