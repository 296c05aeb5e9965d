package org.slipstream.guard.policy;

import org.slipstream.core.Address;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.util.Optional;
import java.util.function.Predicate;

/// Restricts another check to some clients and some recipients.
///
/// @param clients to which the check applies
/// @param recipients to which it applies at RCPT
record RestrictedCheck(Check check, Predicate<Client> clients, Predicate<Check.Rcpt> recipients) implements Check {
    RestrictedCheck(Check check, Predicate<Client> clients) {
        this(check, clients, _ -> true);
    }

    @Override
    public String name() {
        return check.name();
    }

    @Override
    public boolean readsHeader() {
        return check.readsHeader();
    }

    @Override
    public Ruling connect(Client client, boolean early) {
        return clients.test(client) ? check.connect(client, early) : Ruling.pass();
    }

    @Override
    public Ruling hello(Client client) {
        return clients.test(client) ? check.hello(client) : Ruling.pass();
    }

    @Override
    public Ruling mail(Client client, Optional<Address> sender, long declaredBytes) {
        return clients.test(client) ? check.mail(client, sender, declaredBytes) : Ruling.pass();
    }

    @Override
    public Ruling rcpt(Client client, Rcpt rcpt) {
        return clients.test(client) && recipients.test(rcpt) ? check.rcpt(client, rcpt) : Ruling.pass();
    }

    @Override
    public Ruling end(Client client, CheckedMessage message) {
        return clients.test(client) ? check.end(client, message) : Ruling.pass();
    }
}
