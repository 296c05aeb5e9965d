package org.slipstream.server.intake;

import org.junit.jupiter.api.Test;
import org.slipstream.config.Config;
import org.slipstream.config.Config.BareLineFeed;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.Network;
import org.slipstream.core.Recipient;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.local.address.Srs;
import org.slipstream.smtpin.EnvelopeExtras;
import org.slipstream.smtpin.MessageHandler;
import org.slipstream.smtpin.policy.Client;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/// Mail that aliases send on to other domains, with `local.srs-domain`.
class ForwardingTest {
    private static final Client STRANGER = new Client(1, InetAddress.ofLiteral("198.51.100.7"),
            Optional.of("client.example"), true, Optional.empty(), Optional.empty(), "smtp");
    private static final Client NEIGHBOUR = new Client(1, InetAddress.ofLiteral("10.1.2.3"),
            Optional.of("client.example"), true, Optional.empty(), Optional.empty(), "smtp");
    private static final String CONTENT = "Subject: x\r\n\r\nbody\r\n";

    private final MemoryDrafts spool = new MemoryDrafts();
    private final List<MessageSummary> arrivals = new ArrayList<>();
    private final Books books = Books.usual()
            .forwarding(new Srs("here.example", List.of("secret"), System::currentTimeMillis))
            .alias("away@here.example", "ann@elsewhere.example")
            .alias("both@here.example", "alice@here.example", "ann@elsewhere.example");

    private RecipientPolicy policy() {
        return new RecipientPolicy(new Ingest(spool, books.build(), arrivals::add), books.build(),
                new Config.Relay(List.of(Network.parse("10.0.0.0/8").orElseThrow()), List.of(), false,
                        BareLineFeed.NORMALIZE),
                new InFlowDelay(() -> false, 1_000), Set.of());
    }

    private void send(Client client, Optional<Address> sender, String... recipients) throws IOException {
        List<Address> addresses = Arrays.stream(recipients).map(Address::of).toList();
        try (MessageHandler.DraftContent draft = policy().draft(client)) {
            byte[] content = CONTENT.getBytes(StandardCharsets.US_ASCII);
            draft.write(content, 0, content.length);
            draft.commit(Envelope.of(sender, addresses), EnvelopeExtras.NONE, Optional.empty());
        }
    }

    private List<String> stored() {
        return spool.messages.values().stream()
                .map(each -> each.envelope().sender().map(Address::toString).orElse("<>") + " to "
                        + each.envelope().recipients().stream().map(Recipient::address).map(Address::toString).toList())
                .toList();
    }

    private String forwardedSender() {
        return spool.messages.values().stream().map(each -> each.envelope().sender().orElseThrow())
                .filter(sender -> sender.localPart().startsWith("SRS")).findFirst().orElseThrow().toString();
    }

    private String rcpt(String recipient) {
        return switch (policy().recipient(STRANGER, Optional.empty(), Address.of(recipient))) {
            case MessageHandler.HandlerVerdict.Accept _ -> "accepted";
            case MessageHandler.HandlerVerdict.Refuse(var reply) -> reply.toString();
        };
    }

    @Test
    void aForwardedMessageLeavesWithASenderOfOurs() throws IOException {
        send(STRANGER, Address.parse("Bob@far.example"), "away@here.example");
        assertThat(stored()).hasSize(1).first().asString()
                .matches("SRS0=.{4}=[A-Z2-7]{2}=far\\.example=Bob@here\\.example to \\[ann@elsewhere\\.example]");
    }

    @Test
    void aBounceFindsTheSenderOfTheOriginal() throws IOException {
        send(STRANGER, Address.parse("Bob@far.example"), "away@here.example");
        String sender = forwardedSender();
        assertThat(rcpt(sender)).isEqualTo("accepted");
        spool.messages.clear();
        send(STRANGER, Optional.empty(), sender);
        assertThat(stored()).containsExactly("<> to [Bob@far.example]");
    }

    /// The reporter of this server submits its reports in the same way.
    @Test
    void aReportOfThisServerFindsTheSenderOfTheOriginal() throws IOException {
        send(STRANGER, Address.parse("Bob@far.example"), "away@here.example");
        String sender = forwardedSender();
        spool.messages.clear();
        new Ingest(spool, books.build(), arrivals::add).submit(
                Envelope.of(Optional.empty(), List.of(Address.of(sender))),
                CONTENT.getBytes(StandardCharsets.US_ASCII));
        assertThat(stored()).containsExactly("<> to [Bob@far.example]");
    }

    @Test
    void aMailboxHereSeesTheSenderThatWroteAndTheForwardedCopyIsAMessageOfItsOwn() throws IOException {
        send(STRANGER, Address.parse("bob@far.example"), "both@here.example", "carol@here.example");
        assertThat(stored()).hasSize(2).anySatisfy(copy -> assertThat(copy)
                .startsWith("SRS0=").endsWith("=far.example=bob@here.example to [ann@elsewhere.example]"));
        assertThat(stored()).contains("bob@far.example to [alice@here.example, carol@here.example]");
        assertThat(spool.messages.values()).allSatisfy(each -> {
            assertThat(each.content()).asString().isEqualTo(CONTENT);
            assertThat(each.envelope().recipients().getFirst().number()).isEqualTo(1);
        });
        assertThat(arrivals).extracting(MessageSummary::id).containsExactlyElementsOf(spool.messages.keySet());
    }

    @Test
    void theNullSenderAndOwnSendersStay() throws IOException {
        send(STRANGER, Optional.empty(), "both@here.example");
        send(NEIGHBOUR, Address.parse("alice@second.example"), "away@here.example");
        assertThat(stored()).containsExactly("<> to [alice@here.example, ann@elsewhere.example]",
                "alice@second.example to [ann@elsewhere.example]");
    }

    @Test
    void mailThatAnOwnClientSendsToAnotherDomainIsNotForwarded() throws IOException {
        send(NEIGHBOUR, Address.parse("bob@far.example"), "ann@elsewhere.example", "away@here.example",
                "eve@elsewhere.example");
        assertThat(stored()).containsExactly(
                "bob@far.example to [ann@elsewhere.example, eve@elsewhere.example]");
    }

    @Test
    void theFormerSenderStaysWithoutTheSetting() throws IOException {
        Books without = Books.usual().alias("away@here.example", "ann@elsewhere.example");
        Ingest ingest = new Ingest(spool, without.build(), arrivals::add);
        ingest.submit(Envelope.of(Address.parse("bob@far.example"), List.of(Address.of("away@here.example"))),
                CONTENT.getBytes(StandardCharsets.US_ASCII));
        assertThat(stored()).containsExactly("bob@far.example to [ann@elsewhere.example]");
    }

    @Test
    void aForgedSrsAddressMakesUsNoOpenRelay() throws IOException {
        send(STRANGER, Address.parse("bob@far.example"), "away@here.example");
        String real = forwardedSender();
        books.mailboxes("*");
        for (String forged : List.of("SRS0=aaaa=AA=victim.example=ann@here.example",
                "SRS0=aaaa=AA=victim.example=ann@[192.0.2.1]", "SRS0==AA=victim.example=ann@here.example",
                "srs0+aaaa=aa=victim.example=ann@here.example", "SRS1=aaaa=victim.example==a=b=c=d@here.example",
                "\"SRS0=aaaa=AA=victim.example=a b\"@here.example", real.replace("far.example", "victim.example"),
                real.replace("=bob@", "=ann@"), real.replace("SRS0=", "SRS0=A"),
                real.replace("SRS0=", "SRS1="))) {
            assertThat(rcpt(forged)).as(forged).startsWith("550 5.1.1 ");
        }
        assertThat(rcpt(real.replace("@here.example", "@second.example"))).as("an ordinary name there")
                .isEqualTo("accepted");
        assertThat(rcpt(real.replace("@here.example", "@other.example"))).startsWith("554 5.7.1 ");
        assertThat(rcpt(real)).isEqualTo("accepted");
        assertThat(rcpt(real.toLowerCase(java.util.Locale.ROOT))).as("hosts change case").isEqualTo("accepted");
    }

    @Test
    void aCopyThatCannotBeStoredLeavesNothingBehind() {
        spool.onCommit = Optional.of(new IOException("full"));
        assertThatThrownBy(() -> send(STRANGER, Address.parse("bob@far.example"), "both@here.example"))
                .isInstanceOf(IOException.class);
        assertThat(spool.messages).isEmpty();
        assertThat(arrivals).isEmpty();
    }
}
