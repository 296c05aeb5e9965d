package org.slipstream.smtpin.policy;

import java.util.function.Predicate;

/// Refuses recipients that ask a second server through the first: the forms by which mail was routed by hand before the DNS did
/// it, and by which open relays have been found ever since.
///
/// | form | means | |
/// |---|---|---|
/// | `user%far@here` | send it to here, which sends it on to `user@far` | percent hack |
/// | `far!user@here` | the same in UUCP's spelling | bang path |
/// | `"user@far"@here` | the same, hidden in quotes | |
/// | `@here:user@far` | the same by the book (RFC 821) | source route |
///
/// A server that looks at the last domain only takes the first three for its own. We never act on any of them, but a mailbox host
/// behind us might. Our own clients may write what they like; the addresses are then what they look like.
public final class RelayForms implements Check {
    private final Predicate<Client> ours;

    /// @param ours who may send to everybody
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
                ? Ruling.reject(554, "5.7.1", "<" + rcpt.recipient() + ">: relay access denied")
                : Ruling.pass();
    }
}
