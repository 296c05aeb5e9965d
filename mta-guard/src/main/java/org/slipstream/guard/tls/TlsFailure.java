package org.slipstream.guard.tls;

/// Certificate or key cannot be used. The message is one sentence for the operator with the file
/// and its fault.
public final class TlsFailure extends Exception {
    private static final long serialVersionUID = 1L;

    public TlsFailure(String message) {
        super(message);
    }

    public TlsFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
