package org.slipstream.guard.login;

/// A change of the file of users failed. The message is for the operator.
public final class UserFileException extends Exception {
    private static final long serialVersionUID = 1L;

    UserFileException(String message) {
        super(message);
    }
}
