package org.slipstream.server.users;

/// What was asked of the file of users cannot be done. The message is for the operator.
public final class UserFileException extends Exception {
    private static final long serialVersionUID = 1L;

    UserFileException(String message) {
        super(message);
    }
}
