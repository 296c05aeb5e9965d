package org.slipstream.guard.dkim;

/// The life of a key: made, signing, no longer signing. States come in this order only.
public enum KeyState {
    /// Its record is on the way into DNS; it does not sign yet.
    NEW(".new"),
    /// It signs.
    ACTIVE(".pem"),
    /// It signs no more; its record stays in DNS until the mail that it signed has arrived.
    RETIRED(".retired");

    private final String ending;

    KeyState(String ending) {
        this.ending = ending;
    }

    /// Of the name of the file.
    String ending() {
        return ending;
    }
}
