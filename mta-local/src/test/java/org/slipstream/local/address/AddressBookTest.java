package org.slipstream.local.address;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.local.address.AddressBook.Decision;

import java.net.InetAddress;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class AddressBookTest {
    private static final Decision UNKNOWN = new Decision.Unknown();
    private static final Decision REMOTE = new Decision.Remote();

    @Test
    void aMailboxIsInEveryLocalDomainUnlessItNamesOne() {
        AddressBook book = Books.usual().build();
        assertThat(decide(book, "alice@here.example")).isEqualTo(mailbox("alice@here.example"));
        assertThat(decide(book, "alice@second.example")).isEqualTo(mailbox("alice@second.example"));
        assertThat(decide(book, "only@second.example")).isEqualTo(mailbox("only@second.example"));
        assertThat(decide(book, "only@here.example")).isEqualTo(UNKNOWN);
        assertThat(decide(book, "nobody@here.example")).isEqualTo(UNKNOWN);
        assertThat(decide(book, "alice@sub.here.example")).isEqualTo(REMOTE);
    }

    @Test
    void caseDoesNotMatterHere() {
        AddressBook book = Books.usual().alias("Sales@here.example", "bob@here.example").build();
        assertThat(decide(book, "ALICE@Here.Example")).isEqualTo(mailbox("alice@here.example"));
        assertThat(decide(book, "carol@here.example")).isEqualTo(mailbox("carol@here.example"));
        assertThat(decide(book, "sALES@here.example")).isEqualTo(alias("bob@here.example"));
        assertThat(book.key(Address.of("Alice@HERE.example"))).isEqualTo("alice@here.example");
        assertThat(book.key(Address.of("Alice@FAR.example"))).isEqualTo("Alice@far.example");
    }

    @Test
    void aTagIsTheSendersBusiness() {
        AddressBook book = Books.usual().mailboxes("alice", "list+special")
                .alias("sales@here.example", "alice@here.example").build();
        assertThat(decide(book, "alice+lists+more@here.example")).isEqualTo(mailbox("alice@here.example"));
        assertThat(decide(book, "sales+spring@here.example")).isEqualTo(alias("alice@here.example"));
        assertThat(decide(book, "list+special@here.example")).isEqualTo(mailbox("list+special@here.example"));
        assertThat(decide(book, "list+other@here.example")).isEqualTo(UNKNOWN);
        assertThat(decide(book, "+alice@here.example")).isEqualTo(UNKNOWN);
        assertThat(decide(Books.usual().withoutTags().build(), "alice+lists@here.example")).isEqualTo(UNKNOWN);
    }

    @Test
    void anAliasThatNamesItselfKeepsACopy() {
        AddressBook book = Books.usual().alias("alice@here.example", "Alice@here.example", "a@far.example").build();
        assertThat(decide(book, "ALICE@here.example")).isEqualTo(alias("ALICE@here.example", "a@far.example"));
        assertThat(book.mailbox(Address.of("alice@here.example"))).contains(Address.of("alice@here.example"));
        assertThat(decide(book, "alice+tag@here.example")).isEqualTo(alias("Alice@here.example", "a@far.example"));
        AddressBook without = Books.usual().alias("alice@here.example", "a@far.example").build();
        assertThat(without.mailbox(Address.of("alice@here.example"))).isEmpty();
    }

    @Test
    void aliasesAreExpandedToTheEndAndNoAddressIsReachedTwice() {
        AddressBook book = Books.usual().alias("all@here.example", "sales@here.example", "Bob@here.example")
                .alias("sales@here.example", "alice@here.example", "seller@far.example", "bob@here.example")
                .alias("alice@second.example", "all@here.example").build();
        assertThat(decide(book, "all@here.example"))
                .isEqualTo(alias("alice@here.example", "seller@far.example", "bob@here.example"));
        assertThat(decide(book, "alice@second.example")).as("an alias wins over a mailbox of its name")
                .isEqualTo(decide(book, "all@here.example"));
    }

    @Test
    void aLoopThatNoCheckHasFoundEndsAndTheMailIsDelivered() {
        AddressBook book = Books.usual().alias("a@here.example", "b@here.example", "alice@here.example")
                .alias("b@here.example", "a@here.example").alias("c@here.example", "d@here.example")
                .alias("d@here.example", "c@here.example").build();
        assertThat(decide(book, "a@here.example")).isEqualTo(alias("alice@here.example"));
        assertThat(decide(book, "c@here.example")).isEqualTo(alias("postmaster@here.example"));
    }

    @Test
    void postmasterIsInEveryLocalDomainWhateverIsConfigured() {
        AddressBook book = Books.usual().mailboxes("alice").build();
        assertThat(decide(book, "Postmaster@here.example")).isEqualTo(mailbox("postmaster@here.example"));
        assertThat(decide(book, "postmaster@second.example")).isEqualTo(alias("postmaster@here.example"));
        assertThat(book.mailbox(Address.of("postmaster@here.example")))
                .contains(Address.of("postmaster@here.example"));
    }

    @Test
    void theHostsOwnNameStandsForTheFirstLocalDomain() {
        AddressBook book = Books.usual().build();
        assertThat(decide(book, "Postmaster@Mail.Host.example")).isEqualTo(mailbox("postmaster@here.example"));
        assertThat(decide(book, "alice@mail.host.example")).isEqualTo(mailbox("alice@here.example"));
        assertThat(decide(Books.usual().postmaster("postmaster@mail.host.example").build(),
                "postmaster@mail.host.example")).as("settings that lead nowhere else end there")
                .isEqualTo(alias("postmaster@here.example"));
    }

    @Test
    void thePostmasterMayBeAnyAddressHereOrFarOrAnAlias() {
        assertThat(decide(Books.usual().postmaster("alice@here.example").build(), "postmaster@here.example"))
                .isEqualTo(alias("alice@here.example"));
        assertThat(decide(Books.usual().postmaster("unlisted@here.example").build(), "unlisted@here.example"))
                .isEqualTo(mailbox("unlisted@here.example"));
        assertThat(decide(Books.usual().postmaster("admin@far.example").build(), "postmaster@second.example"))
                .isEqualTo(alias("admin@far.example"));
        assertThat(decide(Books.usual().alias("postmaster@here.example", "alice@here.example", "bob@here.example")
                .build(), "postmaster@second.example")).isEqualTo(alias("alice@here.example", "bob@here.example"));
    }

    @Test
    void abuseReachesThePostmasterUnlessAMailboxHasThatName() {
        assertThat(decide(Books.usual().build(), "abuse@second.example")).isEqualTo(alias("postmaster@here.example"));
        assertThat(decide(Books.usual().mailboxes("abuse").build(), "abuse@here.example"))
                .isEqualTo(mailbox("abuse@here.example"));
        assertThat(decide(Books.usual().mailboxes("*").build(), "abuse@here.example"))
                .isEqualTo(mailbox("abuse@here.example"));
    }

    @Test
    void anAliasForThePostmasterOfAnotherDomainIsFollowedToo() {
        AddressBook book = Books.usual().alias("hostmaster@here.example", "postmaster@second.example",
                "abuse@here.example").build();
        assertThat(decide(book, "hostmaster@here.example")).isEqualTo(alias("postmaster@here.example"));
    }

    @Test
    void theStarIsEveryNameButThePostmasters() {
        AddressBook book = Books.usual().mailboxes("*").alias("sales@here.example", "far@far.example").build();
        assertThat(decide(book, "Anybody+tag@second.example")).isEqualTo(mailbox("anybody@second.example"));
        assertThat(decide(book, "sales@here.example")).isEqualTo(alias("far@far.example"));
        assertThat(decide(book, "postmaster@second.example")).isEqualTo(alias("postmaster@here.example"));
        assertThat(decide(book, "x@far.example")).isEqualTo(REMOTE);
    }

    @Test
    void aLocalPartThatLooksLikeARouteIsALocalPart() {
        for (AddressBook book : List.of(Books.usual().build(), Books.usual().mailboxes("*").build())) {
            assertThat(decide(book, "x%far.example@here.example")).isEqualTo(UNKNOWN);
            assertThat(decide(book, "far.example!x@here.example")).isEqualTo(UNKNOWN);
            assertThat(decide(book, "\"x@far.example\"@here.example")).isEqualTo(UNKNOWN);
            assertThat(decide(book, "\"only@second.example\"@here.example")).isEqualTo(UNKNOWN);
        }
        assertThat(decide(Books.usual().mailboxes("odd%name").build(), "odd%name@here.example"))
                .isEqualTo(mailbox("odd%name@here.example"));
    }

    @Test
    void theAddressOfThisMachineIsTheFirstLocalDomain() {
        AddressBook book = Books.usual().build();
        assertThat(decide(book, "alice@[192.0.2.1]")).isEqualTo(mailbox("alice@here.example"));
        assertThat(decide(book, "alice@[IPv6:2001:db8::1]")).isEqualTo(mailbox("alice@here.example"));
        assertThat(decide(book, "nobody@[192.0.2.1]")).isEqualTo(UNKNOWN);
        assertThat(decide(book, "alice@[192.0.2.2]")).isEqualTo(REMOTE);
        assertThat(decide(book, "alice@[not.an.address]")).isEqualTo(REMOTE);
        assertThat(book.canonical(Address.of("Alice+x@[192.0.2.1]"))).isEqualTo(Address.of("Alice+x@here.example"));
        assertThat(book.canonical(Address.of("Alice+x@here.example"))).isEqualTo(Address.of("Alice+x@here.example"));
    }

    @Test
    void thisMachineKnowsItsOwnAddresses() {
        ThisMachine machine = new ThisMachine();
        assertThat(machine).accepts(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.8.8.8"),
                InetAddress.ofLiteral("::1"), InetAddress.ofLiteral("0.0.0.0"));
        assertThat(machine).rejects(InetAddress.ofLiteral("192.0.2.77"));
    }

    private static Decision decide(AddressBook book, String address) {
        return book.decide(Address.of(address));
    }

    private static Decision mailbox(String address) {
        return new Decision.Mailbox(Address.of(address));
    }

    private static Decision alias(String... targets) {
        return new Decision.Alias(List.of(targets).stream().map(Address::of).toList());
    }
}
