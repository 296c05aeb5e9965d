package org.slipstream.server.intake;

import org.slipstream.core.Address;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.AddressTables;
import org.slipstream.local.address.LocalSettings;
import org.slipstream.local.address.Srs;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Address books for tests: the domains `here.example` and `second.example`, this machine at
/// 192.0.2.1 and 2001:db8::1, called `mail.host.example`.
final class Books {
    private List<String> mailboxes = List.of("alice", "bob", "Carol", "only@second.example");
    private final Map<String, List<Address>> aliases = new HashMap<>();

    private Optional<Srs> srs = Optional.empty();

    static Books usual() {
        return new Books();
    }

    public Books mailboxes(String... names) {
        mailboxes = List.of(names);
        return this;
    }

    public Books alias(String name, String... targets) {
        aliases.put(Address.of(name).key(), Arrays.stream(targets).map(Address::of).toList());
        return this;
    }

    /// Mail that is forwarded leaves with senders of `here.example`.
    Books forwarding(Srs with) {
        srs = Optional.of(with);
        return this;
    }

    AddressBook build() {
        LocalSettings local = new LocalSettings(List.of("here.example", "second.example"), mailboxes,
                Path.of("/nowhere"), "postmaster@here.example", Optional.of("+"), true, Optional.empty());
        List<InetAddress> machine = List.of(InetAddress.ofLiteral("192.0.2.1"), InetAddress.ofLiteral("2001:db8::1"));
        return new AddressBook(local, aliases, machine::contains, Optional.of("mail.host.example"),
                AddressTables.NONE, "localhost", Set.of(), srs);
    }
}
