package org.slipstream.server.tls;

/// Certificate or key cannot be used. The message is one sentence for the operator with the file
/// and its fault.
public final class TlsFailure extends Exception {
    private static final long serialVersionUID = 1L;

    TlsFailure(String message) {
        super(message);
    }

    TlsFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
