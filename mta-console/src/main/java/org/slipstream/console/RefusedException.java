package org.slipstream.console;

/// A page cannot be shown, or an order was not carried out. The sentence is for the visitor.
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedException(int status, String sentence) {
        super(sentence);
        this.status = status;
    }

    int status() {
        return status;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
