package org.slipstream.smtpin.policy;

import java.util.List;

/// Refuses a header that two readers may read differently: a field that may occur once occurs twice
/// (RFC 5322 section 3.6). One program shows the first From, the next checks the second.
public final class HeaderForm implements Check {
    private static final List<String> ONCE = List.of("From", "Sender", "Reply-To", "To", "Cc", "Subject", "Date",
            "Message-ID");
    private final boolean fromRequired;

    /// @param fromRequired refuse a message without From; such mail is common from machines but
    ///     never from users
    public HeaderForm(boolean fromRequired) {
        this.fromRequired = fromRequired;
    }

    @Override
    public String name() {
        return "header-form";
    }

    @Override
    public boolean readsHeader() {
        return true;
    }

    @Override
    public Ruling end(Client client, CheckedMessage message) {
        for (String name : ONCE) {
            if (message.header().count(name) > 1) {
                return Ruling.reject(550, "5.6.0", "More than one " + name + " field");
            }
        }
        return fromRequired && message.header().count("From") == 0
                ? Ruling.reject(550, "5.6.0", "No From field")
                : Ruling.pass();
    }
}
