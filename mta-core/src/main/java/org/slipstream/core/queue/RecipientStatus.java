package org.slipstream.core.queue;

/// The state of a recipient of a message in the spool, which stores it by [#code].
public enum RecipientStatus {
    OPEN(0), DELIVERED(1), FAILED(2), FAILED_AND_REPORTED(3);

    public final int code;

    RecipientStatus(int code) {
        this.code = code;
    }

    public static RecipientStatus after(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Delivered _ -> DELIVERED;
            case Outcome.Deferred _ -> OPEN;
            case Outcome.Failed _ -> FAILED;
        };
    }

    /// @throws IllegalArgumentException when no state has that number
    public static RecipientStatus of(int code) {
        for (RecipientStatus status : values()) {
            if (status.code == code) {
                return status;
            }
        }
        throw new IllegalArgumentException("no recipient state: " + code);
    }
}
