package org.slipstream.local.address;

import org.slipstream.core.Address;

import java.util.List;
import java.util.stream.Stream;

/// The sender addresses of users who are known to another program, which says only their names. A
/// user may send from the own address, with a tag too, and from an alias that delivers to it.
///
/// A name with a domain is the address. A name without one is a mailbox in each local domain.
public final class UserAddresses {
    private final AddressBook book;
    private final List<String> localDomains;

    public UserAddresses(AddressBook book, List<String> localDomains) {
        this.book = book;
        this.localDomains = List.copyOf(localDomains);
    }

    /// True when this user may send with this sender address.
    public boolean owns(String user, Address sender) {
        return own(user).anyMatch(own -> isOf(own, sender));
    }

    private Stream<Address> own(String user) {
        return user.indexOf('@') >= 0
                ? Address.parse(user).stream()
                : localDomains.stream().flatMap(domain -> Address.parse(user + "@" + domain).stream());
    }

    private boolean isOf(Address own, Address sender) {
        return same(own, book.untagged(sender))
                || book.decide(sender) instanceof AddressBook.Decision.Alias(List<Address> targets)
                        && targets.stream().anyMatch(target -> same(own, target));
    }

    private static boolean same(Address one, Address other) {
        return one.folded().key().equals(other.folded().key());
    }
}
