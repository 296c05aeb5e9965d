package org.slipstream.server.intake;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.config.Config;
import org.slipstream.config.Config.BareLineFeed;
import org.slipstream.core.Address;
import org.slipstream.core.BodyType;
import org.slipstream.core.ContentFacts;
import org.slipstream.core.DeliveryOptions;
import org.slipstream.core.DsnNotify;
import org.slipstream.core.DsnReturn;
import org.slipstream.core.Envelope;
import org.slipstream.core.Network;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.guard.login.MailboxLookup;
import org.slipstream.local.address.AddressBook;
import org.slipstream.local.address.AliasExpansion;
import org.slipstream.smtpin.EnvelopeExtras;
import org.slipstream.smtpin.MessageHandler;
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

class RecipientPolicyTest {
    private static final Client STRANGER = client("198.51.100.7", "smtp", Optional.empty());
    private static final Client NEIGHBOUR = client("10.1.2.3", "smtp", Optional.empty());
    private static final InFlowDelay FREE_FLOW = new InFlowDelay(() -> false, 1_000);
    private static final ContentFacts FACTS = new ContentFacts(true, false, 10, 2);
    private static final Optional<Address> SENDER = Address.parse("s@far.example");

    private final MemoryDrafts spool = new MemoryDrafts();
    private final List<MessageSummary> arrivals = new ArrayList<>();

    @Test
    void anyoneMayWriteToOurMailboxes() {
        RecipientPolicy recipientPolicy = recipientPolicy(
                Books.usual().alias("sales@here.example", "seller@far.example"));
        for (String address : List.of("alice@here.example", "ALICE+tag@second.example", "sales@here.example",
                "postmaster@here.example", "abuse@second.example", "alice@[192.0.2.1]")) {
            assertThat(rcpt(recipientPolicy, STRANGER, address)).as(address).isEqualTo("accept");
        }
    }

    @Test
    void anUnknownNameIsRefusedAtOnceEvenForNeighbours() {
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual());
        assertThat(rcpt(recipientPolicy, STRANGER, "nobody@here.example"))
                .startsWith("550 5.1.1 <nobody@here.example>");
        assertThat(rcpt(recipientPolicy, NEIGHBOUR, "nobody@here.example")).startsWith("550 5.1.1 ");
    }

    @Test
    void listedNetworksMayWriteToOthers() {
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual());
        assertThat(rcpt(recipientPolicy, NEIGHBOUR, "x@far.example")).isEqualTo("accept");
        assertThat(rcpt(recipientPolicy, client("fd00::9", "smtp", Optional.empty()), "x@far.example"))
                .isEqualTo("accept");
        assertThat(rcpt(recipientPolicy, client("198.51.100.7", "smtp", Optional.of("alice")), "x@far.example"))
                .as("a client that has logged in is ours").isEqualTo("accept");
    }

    /// The addresses that open-relay tests try.
    @Test
    void noDisguiseMakesUsAnOpenRelay() {
        for (RecipientPolicy recipientPolicy : List.of(recipientPolicy(Books.usual()),
                recipientPolicy(Books.usual().mailboxes("*")))) {
            for (String address : List.of("x@far.example", "x%far.example@elsewhere.example",
                    "x%far.example@here.example", "\"x@far.example\"@here.example", "\"x%far.example\"@here.example",
                    "far.example!x@here.example", "\"far.example!x\"@here.example", "x%far.example@[192.0.2.1]",
                    "far.example!x@[192.0.2.1]", "\"x@far.example\"@[192.0.2.1]", "x@[192.0.2.2]",
                    "alice@here.example.far.example", "alice@xhere.example", "alice@sub.here.example",
                    "alice@[IPv6:2001:db8::2]", "postmaster@far.example", "x@localhost")) {
                assertThat(rcpt(recipientPolicy, STRANGER, address)).as(address).matches("55[04] 5\\.[17]\\.1 .*");
            }
        }
        assertThat(rcpt(recipientPolicy(Books.usual()), STRANGER, "x@far.example")).startsWith("554 5.7.1 ");
    }

    @Test
    void claimingToBeOneOfUsDoesNotHelp() {
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual());
        for (Optional<Address> sender : List.of(Address.parse("alice@here.example"), Optional.<Address>empty())) {
            assertThat(verdict(recipientPolicy.sender(STRANGER, sender, 0))).isEqualTo("accept");
            assertThat(verdict(recipientPolicy.recipient(STRANGER, sender, Address.of("x@far.example"))))
                    .startsWith("554 5.7.1 ");
        }
    }

    @Test
    void withoutListedNetworksNoClientRelays() {
        RecipientPolicy recipientPolicy = new RecipientPolicy(ingest(Books.usual().build()), Books.usual().build(),
                new Config.Relay(List.of(), List.of(), false, BareLineFeed.NORMALIZE),
                FREE_FLOW, Set.of());
        assertThat(rcpt(recipientPolicy, client("127.0.0.1", "smtp", Optional.empty()), "x@far.example"))
                .startsWith("554 5.7.1 ");
    }

    @Test
    void theSubmissionPortIsForOurClientsOnly() {
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual());
        assertThat(verdict(recipientPolicy.sender(client("198.51.100.7", "submission", Optional.empty()), SENDER, 0)))
                .startsWith("530 5.7.0 ");
        assertThat(
                verdict(recipientPolicy.sender(client("198.51.100.7", "submission", Optional.of("alice")), SENDER, 0)))
                .isEqualTo("accept");
        assertThat(verdict(recipientPolicy.sender(client("10.1.2.3", "submission", Optional.empty()), SENDER, 0)))
                .isEqualTo("accept");
    }

    @Test
    void aStrangerIsNotToldToLogInWhereNoUserCan() {
        RecipientPolicy recipientPolicy = new RecipientPolicy(ingest(Books.usual().build()), Books.usual().build(),
                new Config.Relay(List.of(), List.of(), false, BareLineFeed.NORMALIZE),
                FREE_FLOW, Set.of("submission"));
        assertThat(verdict(recipientPolicy.sender(client("198.51.100.7", "submission", Optional.empty()), SENDER, 0)))
                .startsWith("554 5.7.1 ").doesNotContain("STARTTLS");
    }

    @Test
    void onlyWhatOurOwnClientsWriteIsMended() {
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual());
        assertThat(changes(recipientPolicy.rules(NEIGHBOUR))).containsExactly(true, true);
        assertThat(changes(recipientPolicy.rules(client("198.51.100.7", "smtp", Optional.of("alice")))))
                .containsExactly(true, true);
        assertThat(recipientPolicy.rules(STRANGER)).isEqualTo(MessageHandler.ContentRules.STRICT);
        assertThat(recipientPolicy.rules(client("10.1.2.3", "lmtp", Optional.empty()))).as("others wrote it")
                .isEqualTo(MessageHandler.ContentRules.STRICT);
        AddressBook book = Books.usual().build();
        Config.Relay strict = new Config.Relay(List.of(Network.parse("10.0.0.0/8").orElseThrow()), List.of(), false,
                BareLineFeed.STRICT);
        assertThat(changes(new RecipientPolicy(ingest(book), book, strict, FREE_FLOW, Set.of()).rules(NEIGHBOUR)))
                .containsExactly(false, true);
    }

    private static List<Boolean> changes(MessageHandler.ContentRules rules) {
        return List.of(rules.normalizes(), rules.completes());
    }

    @Test
    void theNullSenderIsAlwaysWelcomeAndADomainMustBeOne() {
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual());
        assertThat(verdict(recipientPolicy.sender(STRANGER, Optional.empty(), 0))).isEqualTo("accept");
        assertThat(verdict(recipientPolicy.sender(STRANGER, Optional.of(new Address("x", "-bad-.example")), 0)))
                .startsWith("553 5.1.7 ");
    }

    @Test
    void committedMessagesAreAnnouncedAndLieInTheSpool() throws IOException {
        QueueId id = send(recipientPolicy(Books.usual()),
                Envelope.of(SENDER, addresses("alice@here.example", "x@far.example")));
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
        Envelope stored = spool.messages.get(send(recipientPolicy(books), envelope)).envelope();
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
    void anAddressThatIsReachedTwiceGetsTheMailOnce() throws IOException {
        Books books = Books.usual().alias("sales@here.example", "alice@here.example", "Seller@far.example");
        QueueId id = send(recipientPolicy(books),
                Envelope.of(SENDER, addresses("Alice@here.example", "sales@here.example",
                        "alice@HERE.example", "Seller@FAR.example", "seller@far.example", "alice+tag@here.example")));
        assertThat(spool.messages.get(id).envelope().recipients()).extracting(r -> r.number() + " " + r.address())
                .containsExactly("1 Alice@here.example", "2 Seller@far.example", "3 seller@far.example",
                        "4 alice+tag@here.example");
    }

    @Test
    void tooManyRecipientsBehindAliasesAreRefusedForNow() {
        String[] crowd = IntStream.rangeClosed(0, AliasExpansion.MOST_TARGETS)
                .mapToObj(i -> "x" + i + "@far.example")
                .toArray(String[]::new);
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual().alias("crowd@here.example", crowd));
        assertThatThrownBy(() -> send(recipientPolicy, Envelope.of(SENDER, addresses("crowd@here.example"))))
                .isInstanceOfSatisfying(IOException.class,
                        e -> assertThat(recipientPolicy.troubleReply(e).toString()).startsWith("452 4.5.3 "));
        assertThat(spool.messages).isEmpty();
        assertThat(arrivals).isEmpty();
    }

    @Test
    void troubleOfOursIsTemporary() {
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual());
        assertThat(recipientPolicy.troubleReply(new NoSpaceException("full")).toString()).startsWith("452 4.3.1 ");
        assertThat(recipientPolicy.troubleReply(new IOException("database")).toString()).startsWith("451 4.3.0 ");
        spool.full = true;
        assertThatThrownBy(() -> recipientPolicy.draft(STRANGER)).isInstanceOf(NoSpaceException.class);
    }

    @Test
    void aFailedCommitIsNotAnnounced() {
        spool.onCommit = Optional.of(new IOException("database"));
        assertThatThrownBy(
                () -> send(recipientPolicy(Books.usual()), Envelope.of(SENDER, addresses("alice@here.example"))))
                .hasMessage("database");
        assertThat(arrivals).isEmpty();
    }

    @Test
    @Tag("IM-17")
    void aQueueManagerInTroubleDoesNotMakeTheClientSendAgain() throws IOException {
        AddressBook book = Books.usual().build();
        Ingest ingest = new Ingest(spool, book, _ -> {
            throw new IllegalStateException("stopping");
        });
        send(new RecipientPolicy(ingest, book, new Config.Relay(List.of(), List.of(), false, BareLineFeed.NORMALIZE),
                FREE_FLOW,
                Set.of()),
                Envelope.of(SENDER, addresses("alice@here.example")));
        assertThat(spool.messages).hasSize(1);
    }

    @Test
    void optionsOfAClientAreKeptButAStrangersMailHasNoHigherPriority() throws IOException {
        Instant soon = Instant.ofEpochMilli(1_800_000_000_000L);
        EnvelopeExtras asked = new EnvelopeExtras(Optional.of(soon),
                Optional.of(new EnvelopeExtras.DeliverByRequest(soon.plusSeconds(60), true, false)), OptionalInt.of(5),
                SenderTls.REQUIRED,
                Optional.empty(), Optional.empty(), List.of(), Optional.empty());
        Envelope envelope = Envelope.of(SENDER, addresses("alice@here.example"));
        RecipientPolicy recipientPolicy = recipientPolicy(Books.usual());
        DeliveryOptions kept = new DeliveryOptions(OptionalLong.of(soon.toEpochMilli()),
                Optional.of(new DeliveryOptions.DeliverBy(soon.plusSeconds(60).toEpochMilli(), true, false)), 5,
                SenderTls.REQUIRED);
        assertThat(spool.messages.get(send(recipientPolicy, NEIGHBOUR, envelope, asked)).envelope().options())
                .isEqualTo(kept);
        assertThat(spool.messages.get(send(recipientPolicy, STRANGER, envelope, asked)).envelope().options())
                .isEqualTo(new DeliveryOptions(kept.holdUntilMillis(), kept.deliverBy(), 0, SenderTls.REQUIRED));
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
        QueueId id = send(recipientPolicy(Books.usual()), Envelope.of(SENDER, addresses("alice@here.example")));
        assertThat(spool.messages.get(id).facts()).contains(FACTS);
    }

    /// The list of mailboxes narrows the book; aliases and other domains are not looked up.
    @Test
    void aMailboxThatItsProgramDoesNotKnowIsRefusedAndDoubtIsTemporary() {
        AddressBook book = Books.usual().mailboxes("*").alias("sales@here.example", "gone@here.example").build();
        List<Address> asked = new ArrayList<>();
        RecipientPolicy policy = new RecipientPolicy(ingest(book), book, new Config.Relay(List.of(), List.of(), false,
                BareLineFeed.NORMALIZE), FREE_FLOW, Set.of(), mailbox -> {
                    asked.add(mailbox);
                    return switch (mailbox.localPart()) {
                        case "alice" -> MailboxLookup.Existence.EXISTS;
                        case "gone" -> MailboxLookup.Existence.UNKNOWN;
                        default -> MailboxLookup.Existence.UNCERTAIN;
                    };
                }, Optional.empty(), false);
        assertThat(reply(policy, "Alice+tag@here.example")).isEqualTo("accepted");
        assertThat(reply(policy, "gone@here.example")).startsWith("550 5.1.1");
        assertThat(reply(policy, "later@here.example")).startsWith("451 4.3.0");
        assertThat(reply(policy, "sales@here.example")).isEqualTo("accepted");
        assertThat(reply(policy, "x@far.example")).startsWith("554 5.7.1");
        assertThat(asked).extracting(Address::toString).containsExactly("alice@here.example", "gone@here.example",
                "later@here.example");
    }

    private static String reply(RecipientPolicy policy, String recipient) {
        return switch (policy.recipient(STRANGER, SENDER, Address.of(recipient))) {
            case MessageHandler.HandlerVerdict.Accept _ -> "accepted";
            case MessageHandler.HandlerVerdict.Refuse(var reply) -> reply.toString();
        };
    }

    private RecipientPolicy recipientPolicy(Books books) {
        AddressBook book = books.build();
        Config.Relay relay = new Config.Relay(
                List.of(Network.parse("10.0.0.0/8").orElseThrow(), Network.parse("fd00::/8").orElseThrow()), List.of(),
                false,
                BareLineFeed.NORMALIZE);
        return new RecipientPolicy(ingest(book), book, relay, FREE_FLOW, Set.of());
    }

    private Ingest ingest(AddressBook book) {
        return new Ingest(spool, book, arrivals::add);
    }

    private static QueueId send(RecipientPolicy recipientPolicy, Envelope envelope) throws IOException {
        return send(recipientPolicy, STRANGER, envelope, EnvelopeExtras.NONE);
    }

    private static QueueId send(RecipientPolicy recipientPolicy, Client client, Envelope envelope,
            EnvelopeExtras extras) throws IOException {
        try (MessageHandler.DraftContent message = recipientPolicy.draft(client)) {
            byte[] content = "xxSubject: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            message.write(content, 2, content.length - 2);
            message.commit(envelope, extras, Optional.of(FACTS));
            return message.id();
        }
    }

    private static String rcpt(RecipientPolicy recipientPolicy, Client client, String recipient) {
        return verdict(recipientPolicy.recipient(client, SENDER, Address.of(recipient)));
    }

    private static String verdict(MessageHandler.HandlerVerdict verdict) {
        return switch (verdict) {
            case MessageHandler.HandlerVerdict.Accept _ -> "accept";
            case MessageHandler.HandlerVerdict.Refuse(var reply) -> reply.toString();
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
