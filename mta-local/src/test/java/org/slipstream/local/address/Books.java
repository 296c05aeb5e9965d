package org.slipstream.local.address;

import org.slipstream.core.Address;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Address books for tests: the domains `here.example` and `second.example`, this machine at
/// 192.0.2.1 and 2001:db8::1, called `mail.host.example`.
public final class Books {
    private List<String> mailboxes = List.of("alice", "bob", "Carol", "only@second.example");
    private Address postmaster = Address.of("postmaster@here.example");
    private Optional<String> delimiter = Optional.of("+");
    private final Map<String, List<Address>> aliases = new HashMap<>();

    public static Books usual() {
        return new Books();
    }

    public Books mailboxes(String... names) {
        mailboxes = List.of(names);
        return this;
    }

    Books postmaster(String address) {
        postmaster = Address.of(address);
        return this;
    }

    Books withoutTags() {
        delimiter = Optional.empty();
        return this;
    }

    public Books alias(String name, String... targets) {
        aliases.put(Address.of(name).key(), Arrays.stream(targets).map(Address::of).toList());
        return this;
    }

    public AddressBook build() {
        LocalSettings local = new LocalSettings(List.of("here.example", "second.example"), mailboxes,
                Path.of("/nowhere"), postmaster.toString(), delimiter, true, Optional.empty());
        List<InetAddress> machine = List.of(InetAddress.ofLiteral("192.0.2.1"), InetAddress.ofLiteral("2001:db8::1"));
        return new AddressBook(local, aliases, machine::contains, Optional.of("mail.host.example"));
    }
}
