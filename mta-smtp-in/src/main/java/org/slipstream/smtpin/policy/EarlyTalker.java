package org.slipstream.smtpin.policy;

/// Refuses clients that send data before the greeting. A mail server waits for it (RFC 5321
/// sections 3.1 and 4.3.1); spam software in a hurry and other protocols do not.
public final class EarlyTalker implements Check {
    @Override
    public String name() {
        return "early-talker";
    }

    @Override
    public Ruling connect(Client client, boolean early) {
        return early
                ? Ruling.reject(554, "5.5.0", "Protocol error: client sent data before the greeting")
                : Ruling.pass();
    }
}
