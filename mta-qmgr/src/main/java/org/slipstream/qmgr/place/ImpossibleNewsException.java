package org.slipstream.qmgr.place;

/// News that cannot be true in the present state. Nothing has changed by them.
public final class ImpossibleNewsException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    ImpossibleNewsException(String message) {
        super(message);
    }
}
