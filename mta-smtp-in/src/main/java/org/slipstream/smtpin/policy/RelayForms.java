package org.slipstream.smtpin.policy;

import java.util.function.Predicate;

/// Refuses recipients that route through this server to a second one: the forms in which mail was
/// routed before the DNS, and by which open relays are found.
///
/// | form | means | |
/// |---|---|---|
/// | `user%far@here` | send it to here, which sends it on to `user@far` | percent hack |
/// | `far!user@here` | the same in UUCP's spelling | bang path |
/// | `"user@far"@here` | the same, hidden in quotes | |
/// | `@here:user@far` | the same in the syntax of RFC 821 | source route |
///
/// A server that looks at the last domain only takes the first three for its own. This server acts
/// on none of them, but a mailbox host behind it might. Trusted clients may use them; the addresses
/// are then taken literally.
public final class RelayForms implements Check {
    private final Predicate<Client> ours;

    /// @param ours clients that may relay
    public RelayForms(Predicate<Client> ours) {
        this.ours = ours;
    }

    @Override
    public String name() {
        return "relay-forms";
    }

    @Override
    public Ruling rcpt(Client client, Rcpt rcpt) {
        String local = rcpt.recipient().localPart();
        boolean disguised = rcpt.routed() || local.chars().anyMatch(c -> c == '%' || c == '!' || c == '@' || c == ':');
        return disguised && !ours.test(client)
                ? Ruling.reject(554, "5.7.1", "<" + rcpt.recipient() + ">: Relay access denied")
                : Ruling.pass();
    }
}
