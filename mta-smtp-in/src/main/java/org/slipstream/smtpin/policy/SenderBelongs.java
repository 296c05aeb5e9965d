package org.slipstream.smtpin.policy;

import org.slipstream.core.Address;

import java.util.Optional;
import java.util.function.BiPredicate;

/// Requires that a user's sender is one of the user's addresses (RFC 6409 section 6.1). So no user
/// sends in another's name, and a stolen password shows whose it is. The null sender is permitted:
/// a user's client sends read receipts with it (RFC 8098 section 3).
public final class SenderBelongs implements Check {
    private final BiPredicate<String, Address> owns;

    /// @param owns true when the user owns the address
    public SenderBelongs(BiPredicate<String, Address> owns) {
        this.owns = owns;
    }

    @Override
    public String name() {
        return "sender-belongs";
    }

    @Override
    public Ruling mail(Client client, Optional<Address> sender, long declaredBytes) {
        boolean foreign = client.user().isPresent() && sender.isPresent()
                && !owns.test(client.user().get(), sender.get());
        return foreign
                ? Ruling.reject(553, "5.7.1",
                        "<" + sender.get() + ">: Sender address rejected: not owned by user " + client.user().get())
                : Ruling.pass();
    }
}
