package org.slipstream.smtpin.policy;

/// A mail server waits for the greeting (RFC 5321 section 3.1). What does not is a spam cannon in a hurry, or another protocol.
public final class EarlyTalker implements Check {
    @Override
    public String name() {
        return "early-talker";
    }

    @Override
    public Ruling connect(Client client, boolean early) {
        return early ? Ruling.reject(554, "5.5.0", "You talk before the greeting") : Ruling.pass();
    }
}
