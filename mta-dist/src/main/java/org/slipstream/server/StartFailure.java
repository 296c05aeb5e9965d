package org.slipstream.server;

/// The server cannot start. The message is one sentence for the operator with the remedy; nothing
/// has been damaged.
public final class StartFailure extends Exception {
    private static final long serialVersionUID = 1L;

    public StartFailure(String message) {
        super(message);
    }

    public StartFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
