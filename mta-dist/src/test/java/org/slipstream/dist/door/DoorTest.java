package org.slipstream.dist.door;

import org.junit.jupiter.api.Test;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.MessageSummary;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Wishes;
import org.slipstream.dist.config.Config;
import org.slipstream.dist.config.Config.BareLineFeed;
import org.slipstream.dist.config.Network;
import org.slipstream.smtpin.EnvelopeExtras;
import org.slipstream.smtpin.MailDoor;
import org.slipstream.smtpin.policy.Client;
import org.slipstream.spool.NoSpaceException;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DoorTest {
    private static final Client STRANGER = client("198.51.100.7", "smtp", Optional.empty());
    private static final Client NEIGHBOUR = client("10.1.2.3", "smtp", Optional.empty());
    private static final Brake FREE_FLOW = new Brake(() -> false, 1_000);
    private static final ContentFacts FACTS = new ContentFacts(true, false, 10, 2);
    private static final Optional<Address> SENDER = Address.parse("s@far.example");

    private final MemorySpool spool = new MemorySpool();
    private final List<MessageSummary> arrivals = new ArrayList<>();

    @Test
    void anyoneMayWriteToOurMailboxes() {
        Door door = door(Books.usual().alias("sales@here.example", "seller@far.example"));
        for (String address : List.of("alice@here.example", "ALICE+tag@second.example", "sales@here.example",
                "postmaster@here.example", "abuse@second.example", "alice@[192.0.2.1]")) {
            assertThat(rcpt(door, STRANGER, address)).as(address).isEqualTo("accept");
        }
    }

    @Test
    void anUnknownNameIsRefusedAtOnceEvenForNeighbours() {
        Door door = door(Books.usual());
        assertThat(rcpt(door, STRANGER, "nobody@here.example")).startsWith("550 5.1.1 <nobody@here.example>");
        assertThat(rcpt(door, NEIGHBOUR, "nobody@here.example")).startsWith("550 5.1.1 ");
    }

    @Test
    void listedNetworksMayWriteToOthers() {
        Door door = door(Books.usual());
        assertThat(rcpt(door, NEIGHBOUR, "x@far.example")).isEqualTo("accept");
        assertThat(rcpt(door, client("fd00::9", "smtp", Optional.empty()), "x@far.example")).isEqualTo("accept");
        assertThat(rcpt(door, client("198.51.100.7", "smtp", Optional.of("alice")), "x@far.example"))
                .as("who has logged in is ours").isEqualTo("accept");
    }

    /// The questions that tests for open relays ask.
    @Test
    void noDisguiseMakesUsAnOpenRelay() {
        for (Door door : List.of(door(Books.usual()), door(Books.usual().mailboxes("*")))) {
            for (String address : List.of("x@far.example", "x%far.example@elsewhere.example",
                    "x%far.example@here.example", "\"x@far.example\"@here.example", "\"x%far.example\"@here.example",
                    "far.example!x@here.example", "\"far.example!x\"@here.example", "x%far.example@[192.0.2.1]",
                    "far.example!x@[192.0.2.1]", "\"x@far.example\"@[192.0.2.1]", "x@[192.0.2.2]",
                    "alice@here.example.far.example", "alice@xhere.example", "alice@sub.here.example",
                    "alice@[IPv6:2001:db8::2]", "postmaster@far.example", "x@localhost")) {
                assertThat(rcpt(door, STRANGER, address)).as(address).matches("55[04] 5\\.[17]\\.1 .*");
            }
        }
        assertThat(rcpt(door(Books.usual()), STRANGER, "x@far.example")).startsWith("554 5.7.1 ");
    }

    @Test
    void claimingToBeOneOfUsDoesNotHelp() {
        Door door = door(Books.usual());
        for (Optional<Address> sender : List.of(Address.parse("alice@here.example"), Optional.<Address>empty())) {
            assertThat(verdict(door.sender(STRANGER, sender, 0))).isEqualTo("accept");
            assertThat(verdict(door.recipient(STRANGER, sender, Address.of("x@far.example")))).startsWith("554 5.7.1 ");
        }
    }

    @Test
    void withoutListedNetworksNobodyRelays() {
        Door door = new Door(ingest(Books.usual().build()), Books.usual().build(),
                new Config.Relay(List.of(), BareLineFeed.NORMALIZE),
                FREE_FLOW, Set.of());
        assertThat(rcpt(door, client("127.0.0.1", "smtp", Optional.empty()), "x@far.example")).startsWith("554 5.7.1 ");
    }

    @Test
    void theSubmissionPortIsForOurClientsOnly() {
        Door door = door(Books.usual());
        assertThat(verdict(door.sender(client("198.51.100.7", "submission", Optional.empty()), SENDER, 0)))
                .startsWith("530 5.7.0 ");
        assertThat(verdict(door.sender(client("198.51.100.7", "submission", Optional.of("alice")), SENDER, 0)))
                .isEqualTo("accept");
        assertThat(verdict(door.sender(client("10.1.2.3", "submission", Optional.empty()), SENDER, 0)))
                .isEqualTo("accept");
    }

    @Test
    void whereNobodyCanLogInAStrangerIsNotToldTo() {
        Door door = new Door(ingest(Books.usual().build()), Books.usual().build(),
                new Config.Relay(List.of(), BareLineFeed.NORMALIZE),
                FREE_FLOW, Set.of("submission"));
        assertThat(verdict(door.sender(client("198.51.100.7", "submission", Optional.empty()), SENDER, 0)))
                .startsWith("554 5.7.1 ").doesNotContain("STARTTLS");
    }

    @Test
    void onlyWhatOurOwnClientsWriteIsMended() {
        Door door = door(Books.usual());
        MailDoor.ContentRules mended = new MailDoor.ContentRules(true, true);
        assertThat(door.rules(NEIGHBOUR)).isEqualTo(mended);
        assertThat(door.rules(client("198.51.100.7", "smtp", Optional.of("alice")))).isEqualTo(mended);
        assertThat(door.rules(STRANGER)).isEqualTo(MailDoor.ContentRules.STRICT);
        assertThat(door.rules(client("10.1.2.3", "lmtp", Optional.empty()))).as("others wrote it")
                .isEqualTo(MailDoor.ContentRules.STRICT);
        AddressBook book = Books.usual().build();
        Config.Relay strict = new Config.Relay(List.of(Network.parse("10.0.0.0/8").orElseThrow()),
                BareLineFeed.STRICT);
        assertThat(new Door(ingest(book), book, strict, FREE_FLOW, Set.of()).rules(NEIGHBOUR))
                .isEqualTo(new MailDoor.ContentRules(false, true));
    }

    @Test
    void theNullSenderIsAlwaysWelcomeAndADomainMustBeOne() {
        Door door = door(Books.usual());
        assertThat(verdict(door.sender(STRANGER, Optional.empty(), 0))).isEqualTo("accept");
        assertThat(verdict(door.sender(STRANGER, Optional.of(new Address("x", "-bad-.example")), 0)))
                .startsWith("553 5.1.7 ");
    }

    @Test
    void whatIsCommittedIsAnnouncedAndLiesInTheSpool() throws IOException {
        QueueId id = send(door(Books.usual()), Envelope.of(SENDER, addresses("alice@here.example", "x@far.example")));
        assertThat(spool.messages.get(id).content()).asString().isEqualTo("Subject: x\r\n\r\n");
        assertThat(spool.messages.get(id).envelope())
                .isEqualTo(Envelope.of(SENDER, addresses("alice@here.example", "x@far.example")));
        assertThat(arrivals).extracting(MessageSummary::id).containsExactly(id);
    }

    @Test
    void aliasesAreReplacedAndWhomTheSenderMeantIsRemembered() throws IOException {
        Books books = Books.usual().alias("sales@here.example", "alice@here.example", "seller@far.example");
        Recipient asked = new Recipient(1, Address.of("Sales@here.example"), Optional.empty(), Set.of(DsnNotify.NEVER));
        Recipient withOrcpt = new Recipient(2, Address.of("postmaster@second.example"),
                Optional.of("rfc822;boss@far.example"), Set.of());
        Recipient literal = new Recipient(3, Address.of("bob+x@[192.0.2.1]"));
        Envelope envelope = new Envelope(SENDER, BodyType.SEVEN_BIT, false, Optional.of("envid"), DsnReturn.FULL,
                List.of(asked, withOrcpt, literal));
        Envelope stored = spool.messages.get(send(door(books), envelope)).envelope();
        Optional<String> sales = Optional.of("rfc822;Sales@here.example");
        assertThat(stored).isEqualTo(new Envelope(SENDER, BodyType.SEVEN_BIT, false, Optional.of("envid"),
                DsnReturn.FULL,
                List.of(new Recipient(1, Address.of("alice@here.example"), sales, Set.of(DsnNotify.NEVER)),
                        new Recipient(2, Address.of("seller@far.example"), sales, Set.of(DsnNotify.NEVER)),
                        new Recipient(3, Address.of("postmaster@here.example"), Optional.of("rfc822;boss@far.example"),
                                Set.of()),
                        new Recipient(4, Address.of("bob+x@here.example"), Optional.of("rfc822;bob+x@[192.0.2.1]"),
                                Set.of()))));
    }

    @Test
    void whoeverIsReachedTwiceGetsTheMailOnce() throws IOException {
        Books books = Books.usual().alias("sales@here.example", "alice@here.example", "Seller@far.example");
        QueueId id = send(door(books), Envelope.of(SENDER, addresses("Alice@here.example", "sales@here.example",
                "alice@HERE.example", "Seller@FAR.example", "seller@far.example", "alice+tag@here.example")));
        assertThat(spool.messages.get(id).envelope().recipients()).extracting(r -> r.number() + " " + r.address())
                .containsExactly("1 Alice@here.example", "2 Seller@far.example", "3 seller@far.example",
                        "4 alice+tag@here.example");
    }

    @Test
    void tooManyRecipientsBehindAliasesAreRefusedForNow() {
        String[] crowd = IntStream.rangeClosed(0, Expansion.MOST_RECIPIENTS).mapToObj(i -> "x" + i + "@far.example")
                .toArray(String[]::new);
        Door door = door(Books.usual().alias("crowd@here.example", crowd));
        assertThatThrownBy(() -> send(door, Envelope.of(SENDER, addresses("crowd@here.example"))))
                .isInstanceOfSatisfying(IOException.class,
                        e -> assertThat(door.troubleReply(e).toString()).startsWith("452 4.5.3 "));
        assertThat(spool.messages).isEmpty();
        assertThat(arrivals).isEmpty();
    }

    @Test
    void troubleOfOursIsTemporary() {
        Door door = door(Books.usual());
        assertThat(door.troubleReply(new NoSpaceException("full")).toString()).startsWith("452 4.3.1 ");
        assertThat(door.troubleReply(new IOException("database")).toString()).startsWith("451 4.3.0 ");
        spool.full = true;
        assertThatThrownBy(() -> door.draft(STRANGER)).isInstanceOf(NoSpaceException.class);
    }

    @Test
    void aFailedCommitIsNotAnnounced() {
        spool.onCommit = Optional.of(new IOException("database"));
        assertThatThrownBy(() -> send(door(Books.usual()), Envelope.of(SENDER, addresses("alice@here.example"))))
                .hasMessage("database");
        assertThat(arrivals).isEmpty();
    }

    @Test
    void aQueueManagerInTroubleDoesNotMakeTheClientSendAgain() throws IOException {
        AddressBook book = Books.usual().build();
        Ingest ingest = new Ingest(spool, book, _ -> {
            throw new IllegalStateException("stopping");
        });
        send(new Door(ingest, book, new Config.Relay(List.of(), BareLineFeed.NORMALIZE), FREE_FLOW, Set.of()),
                Envelope.of(SENDER, addresses("alice@here.example")));
        assertThat(spool.messages).hasSize(1);
    }

    @Test
    void whatAClientAsksIsKeptButAStrangersMailIsNotMoreImportantThanOthers() throws IOException {
        Instant soon = Instant.ofEpochMilli(1_800_000_000_000L);
        EnvelopeExtras asked = new EnvelopeExtras(Optional.of(soon),
                Optional.of(new EnvelopeExtras.DeliverBy(soon.plusSeconds(60), true, false)), OptionalInt.of(5), true,
                Optional.empty(), Optional.empty(), List.of());
        Envelope envelope = Envelope.of(SENDER, addresses("alice@here.example"));
        Door door = door(Books.usual());
        Wishes kept = new Wishes(OptionalLong.of(soon.toEpochMilli()),
                Optional.of(new Wishes.DeliverBy(soon.plusSeconds(60).toEpochMilli(), true, false)), 5, true);
        assertThat(spool.messages.get(send(door, NEIGHBOUR, envelope, asked)).envelope().wishes()).isEqualTo(kept);
        assertThat(spool.messages.get(send(door, STRANGER, envelope, asked)).envelope().wishes())
                .isEqualTo(new Wishes(kept.holdUntilMillis(), kept.deliverBy(), 0, true));
    }

    @Test
    void ourOwnMailTakesTheSameWay() throws IOException {
        Ingest ingest = ingest(Books.usual().alias("sales@here.example", "alice@here.example").build());
        MessageSummary message = ingest.submit(
                Envelope.of(Optional.empty(), addresses("sales@here.example", "vanished@here.example")),
                "Subject: report\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThat(spool.messages.get(message.id()).envelope().recipients()).extracting(Recipient::address)
                .as("delivery will find that the second is not there")
                .containsExactly(Address.of("alice@here.example"), Address.of("vanished@here.example"));
        assertThat(arrivals).containsExactly(message);
        assertThat(spool.messages.get(message.id()).facts()).contains(new ContentFacts(false, false, 15, 2));
    }

    @Test
    void factsAboutTheContentAreKeptWithIt() throws IOException {
        QueueId id = send(door(Books.usual()), Envelope.of(SENDER, addresses("alice@here.example")));
        assertThat(spool.messages.get(id).facts()).contains(FACTS);
    }

    private Door door(Books books) {
        AddressBook book = books.build();
        Config.Relay relay = new Config.Relay(
                List.of(Network.parse("10.0.0.0/8").orElseThrow(), Network.parse("fd00::/8").orElseThrow()),
                BareLineFeed.NORMALIZE);
        return new Door(ingest(book), book, relay, FREE_FLOW, Set.of());
    }

    private Ingest ingest(AddressBook book) {
        return new Ingest(spool, book, arrivals::add);
    }

    private static QueueId send(Door door, Envelope envelope) throws IOException {
        return send(door, STRANGER, envelope, EnvelopeExtras.NONE);
    }

    private static QueueId send(Door door, Client client, Envelope envelope, EnvelopeExtras extras) throws IOException {
        try (MailDoor.DraftLetter letter = door.draft(client)) {
            byte[] content = "xxSubject: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            letter.write(content, 2, content.length - 2);
            letter.commit(envelope, extras, Optional.of(FACTS));
            return letter.id();
        }
    }

    private static String rcpt(Door door, Client client, String recipient) {
        return verdict(door.recipient(client, SENDER, Address.of(recipient)));
    }

    private static String verdict(MailDoor.Verdict verdict) {
        return switch (verdict) {
            case MailDoor.Verdict.Accept _ -> "accept";
            case MailDoor.Verdict.Refuse(var reply) -> reply.toString();
        };
    }

    private static List<Address> addresses(String... addresses) {
        return Arrays.stream(addresses).map(Address::of).toList();
    }

    private static Client client(String address, String service, Optional<String> user) {
        return new Client(1, InetAddress.ofLiteral(address), Optional.of("client.example"), true, Optional.empty(),
                user, service);
    }
}
