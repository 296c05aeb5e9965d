package org.slipstream.guard.policy;

import org.slipstream.core.Address;
import org.slipstream.smtpin.policy.Check;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.smtpin.policy.Ruling;

import java.util.Locale;
import java.util.Set;

/// Header checks that skip mail for postmaster and abuse only, because complaints about spam
/// enclose it (RFC 5321 section 4.5.1, RFC 2142).
record ExceptPostmaster(Check check) implements Check {
    private static final Set<String> ALWAYS = Set.of("postmaster", "abuse");

    static boolean isOne(Address recipient) {
        return ALWAYS.contains(recipient.localPart().toLowerCase(Locale.ROOT));
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
    public Ruling end(Client client, CheckedMessage message) {
        boolean forThem = message.envelope().recipients().stream().allMatch(recipient -> isOne(recipient.address()));
        return forThem ? Ruling.pass() : check.end(client, message);
    }
}
