package org.slipstream.server.view;

import org.junit.jupiter.api.Test;
import org.slipstream.admin.operations.ViewOperations.ShapeBy;
import org.slipstream.admin.operations.ViewOperations.ShapeRow;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.ProviderTable;
import org.slipstream.core.QueueId;
import org.slipstream.core.Recipient;
import org.slipstream.core.Reply;
import org.slipstream.core.queue.MessageDetails;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.core.queue.Outcome;
import org.slipstream.core.queue.RecipientState;
import org.slipstream.core.queue.RecipientStatus;
import org.slipstream.core.queue.Suspension;
import org.slipstream.core.queue.Suspension.SuspensionScope;
import org.slipstream.qmgr.flow.DestinationState;
import org.slipstream.spool.Spool;
import org.slipstream.spool.log.HostRecord;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// The shape of a queue whose mail waits for very many hosts.
class QueueShapeTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final ProviderOfMail NO_DOMAINS = new ProviderOfMail(ProviderTable.shipped(), Map.of());
    private static final int HOSTS = 80_000;

    @Test
    void eachHostIsLookedAtOnceHoweverManyDomainsWaitForHosts() {
        AtomicInteger looks = new AtomicInteger();
        List<HostRecord> hosts = new AbstractList<>() {
            @Override
            public HostRecord get(int index) {
                looks.incrementAndGet();
                return new HostRecord("[" + address(index) + "]:25/may", "RETRY", "mx" + index + ".example", NOW - 1,
                        NOW + 300_000, 1, "450 4.4.1 refused", "");
            }

            @Override
            public int size() {
                return HOSTS;
            }
        };
        QueueShape shape = new QueueShape(ShapeBy.DESTINATION, new Spool.CommonRecords(hosts, List.of()), Map.of(),
                NO_DOMAINS, NOW);
        shape.add(message(Reply.of(450, "4.4.1", "refused")));
        assertThat(shape.rows()).hasSize(QueueShape.PAGE)
                .allSatisfy(row -> assertThat(row.state()).startsWith("host left alone until "));
        assertThat(looks.get()).isEqualTo(HOSTS);
    }

    @Test
    void aDeadNextHopIsFoundByTheFailureOfItsMail() {
        Map<String, DestinationState.Dead> dead = new LinkedHashMap<>();
        for (int i = 0; i < HOSTS; i++) {
            dead.put("[relay" + i + ".example]:25",
                    new DestinationState.Dead(NOW + i, Reply.of(450, "4.4.1", "no route to relay" + i)));
        }
        QueueShape shape = new QueueShape(ShapeBy.DESTINATION, Spool.CommonRecords.NONE, dead, NO_DOMAINS, NOW);
        shape.add(message(Reply.of(450, "4.4.1", "delivery temporarily suspended: no route to relay777")));
        assertThat(shape.rows()).allSatisfy(row -> assertThat(row.state())
                .isEqualTo("dead until 2027-01-15T08:00:00.777Z: 450 4.4.1 no route to relay777"));
    }

    @Test
    void providersAreTheRowsOfMailThatHasMetTheirHostsOrWhoseDomainIsKnown() {
        Suspension suspension = new Suspension(SuspensionScope.PROVIDER, "google", "they block us", "ann", NOW,
                Long.MAX_VALUE);
        QueueShape shape = new QueueShape(ShapeBy.PROVIDER,
                new Spool.CommonRecords(List.of(), List.of(suspension)), Map.of(),
                new ProviderOfMail(ProviderTable.shipped(), Map.of("d3.example", "google")), NOW);
        Reply later = Reply.of(450, "4.2.1", "later");
        shape.add(mail(List.of(state(1, Optional.of(new Outcome.Deferred(later, "ASPMX.L.google.com[192.0.2.1]:25"))),
                state(2, Optional.of(new Outcome.Deferred(suspension.reply(), Outcome.HERE))),
                state(3, Optional.empty()), state(4, Optional.empty()),
                state(5, Optional.of(new Outcome.Deferred(Reply.of(450, "4.3.2",
                        "the rate of the provider gmx is 10/1h, and the mail of one period waits"), Outcome.HERE))))));

        assertThat(shape.rows()).extracting(ShapeRow::name).containsExactly("gmx", "google", "other");
        assertThat(shape.rows().get(1).state()).contains("provider google is suspended by ann");
        assertThat(shape.rows().get(1).total()).isEqualTo(1);
        assertThat(shape.rows().get(2).state()).isEmpty();
    }

    private static MessageDetails mail(List<RecipientState> states) {
        List<Recipient> recipients = states.stream().map(RecipientState::recipient).toList();
        return new MessageDetails(new MessageSummary(new QueueId(1), Optional.empty(), NOW - 1, 1, recipients.size(),
                recipients.size(), 0, 1, false, false),
                Envelope.of(Optional.empty(), recipients.stream().map(Recipient::address).toList()), NOW, states);
    }

    private static RecipientState state(int number, Optional<Outcome> last) {
        return new RecipientState(new Recipient(number, Address.of("r@d" + number + ".example")), RecipientStatus.OPEN,
                last, NOW - 1);
    }

    /// Deferred at as many hosts as a page has messages.
    private static MessageDetails message(Reply reply) {
        List<Address> addresses = IntStream.range(0, QueueShape.PAGE).mapToObj(i -> Address.of("r@d" + i + ".example"))
                .toList();
        Envelope envelope = Envelope.of(Optional.empty(), addresses);
        List<RecipientState> states = new ArrayList<>();
        envelope.recipients().forEach(each -> states.add(new RecipientState(each, RecipientStatus.OPEN,
                Optional.of(new Outcome.Deferred(reply,
                        "mx.example[" + address(HOSTS - each.number()) + "]:25")),
                NOW - 1)));
        return new MessageDetails(new MessageSummary(new QueueId(1), Optional.empty(), NOW - 1, 1, addresses.size(),
                addresses.size(), 0, 1, false, false), envelope, NOW, states);
    }

    private static String address(int number) {
        return "192." + (number >> 16) + "." + (number >> 8 & 255) + "." + (number & 255);
    }
}
